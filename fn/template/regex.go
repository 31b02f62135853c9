package template

import (
	"fmt"
	"regexp"
	"strings"
)

// maxPattern bounds a regular expression, in bytes.
const maxPattern = 4096

// regexFunctions are those of slim-sprig, with bounds and without panics.
func regexFunctions() map[string]function {
	all := map[string]function{}
	for name, fn := range map[string]any{
		"regexMatch":             regexMatch,
		"regexFind":              regexFind,
		"regexFindAll":           regexFindAll,
		"regexSplit":             regexSplit,
		"regexReplaceAll":        regexReplace((*regexp.Regexp).ReplaceAllString),
		"regexReplaceAllLiteral": regexReplace((*regexp.Regexp).ReplaceAllLiteralString),
	} {
		all[name] = shallow(fn)
		all["mustR"+name[1:]] = shallow(fn)
	}
	return all
}

func compile(pattern string) (*regexp.Regexp, error) {
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("a regular expression has %d bytes, %d are allowed", len(pattern), maxPattern)
	}
	return regexp.Compile(pattern)
}

func regexMatch(pattern, text string) (bool, error) {
	re, err := compile(pattern)
	return err == nil && re.MatchString(text), err
}

func regexFind(pattern, text string) (string, error) {
	re, err := compile(pattern)
	if err != nil {
		return "", err
	}
	return re.FindString(text), nil
}

func regexFindAll(pattern, text string, n int) ([]string, error) {
	re, err := compile(pattern)
	if err != nil {
		return nil, err
	}
	return re.FindAllString(text, bounded(n)), nil
}

func regexSplit(pattern, text string, n int) ([]string, error) {
	re, err := compile(pattern)
	if err != nil {
		return nil, err
	}
	return re.Split(text, bounded(n)), nil
}

// bounded is one more than a list may have, where more is asked for: that fails.
func bounded(n int) int {
	if n < 0 || n > maxList {
		return maxList + 1
	}
	return n
}

// regexReplace estimates what a replacement makes: the groups of all matches
// together are no longer than the text.
func regexReplace(replace func(re *regexp.Regexp, text, by string) string) any {
	return func(pattern, text, by string) (string, error) {
		re, err := compile(pattern)
		if err != nil {
			return "", err
		}
		found := len(re.FindAllStringIndex(text, maxList+1))
		if times(found, len(by))+times(strings.Count(by, "$"), len(text)) > maxValue || found > maxList {
			return "", fmt.Errorf("the result would be too large: %d bytes are allowed", maxValue)
		}
		return replace(re, text, by), nil
	}
}
