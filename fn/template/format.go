package template

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"text/template"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// formatFunctions make text of values, and values of text.
func formatFunctions() map[string]function {
	all := map[string]function{
		"print":    deep(func(v ...any) string { return fmt.Sprint(printable(v)...) }),
		"println":  deep(func(v ...any) string { return fmt.Sprintln(printable(v)...) }),
		"html":     deep(func(v ...any) string { return template.HTMLEscapeString(fmt.Sprint(printable(v)...)) }),
		"js":       deep(func(v ...any) string { return template.JSEscapeString(fmt.Sprint(printable(v)...)) }),
		"urlquery": deep(func(v ...any) string { return url.QueryEscape(fmt.Sprint(printable(v)...)) }),
		"fromYaml": shallow(fromYAML), "fromYamlArray": shallow(fromYAMLArray),
	}
	printf := deep(printed)
	printf.size = sizes["printf"]
	all["printf"] = printf
	for _, must := range []string{"", "must"} {
		all[lowerFirst(must+"ToYaml")] = deep(toYAML)
		all[lowerFirst(must+"ToJson")] = deep(func(v any) (any, error) { return toJSON(v, json.Marshal) })
		all[lowerFirst(must+"ToPrettyJson")] = deep(func(v any) (any, error) { return toJSON(v, prettyJSON) })
		all[lowerFirst(must+"ToRawJson")] = deep(func(v any) (any, error) { return toJSON(v, rawJSON) })
		all[lowerFirst(must+"FromJson")] = shallow(fromYAML)
		all[lowerFirst(must+"FromJsonArray")] = shallow(fromYAMLArray)
	}
	return all
}

// addressVerb prints where in memory a value is, which is another place each time.
var addressVerb = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%[-+# 0-9.*\[\]]*p`) })

func printed(format string, v ...any) (string, error) {
	if addressVerb().MatchString(strings.ReplaceAll(format, "%%", "")) {
		return "", errors.New("the verb %p gives another result each time")
	}
	return fmt.Sprintf(format, v...), nil
}

func lowerFirst(name string) string { return strings.ToLower(name[:1]) + name[1:] }

// printable is what text/template makes of null.
func printable(values []any) []any {
	all := make([]any, len(values))
	for i, v := range values {
		if all[i] = v; isNil(v) {
			all[i] = "<no value>"
		}
	}
	return all
}

func toYAML(v any) (any, error) {
	node, err := nodeOf(v)
	if err != nil {
		return nil, err
	}
	return &layout{value: node, text: strings.TrimSuffix(string(node.AppendYAML(nil, 0)), "\n"), block: true, hang: -1}, nil
}

func toJSON(v any, marshal func(any) ([]byte, error)) (any, error) {
	node, err := nodeOf(v)
	if err != nil {
		return nil, err
	}
	text, err := marshal(v)
	if err != nil {
		return nil, errors.New("a number without an end has no JSON")
	}
	return &layout{value: node, text: strings.TrimSuffix(string(text), "\n"), hang: -1}, nil
}

func prettyJSON(v any) ([]byte, error) { return json.MarshalIndent(v, "", "  ") }

func rawJSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	encoder := json.NewEncoder(&buf)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return buf.Bytes(), err
}

// fromYAML reads YAML, of which JSON is a part: integers stay exact.
func fromYAML(text string) (any, error) {
	rep := krm.Report{}
	node, ok := krm.ParseAt(krm.Pos{}, []byte(text), &rep)
	if !ok {
		return nil, errors.New(rep.Findings()[0].Message)
	}
	if node == nil {
		return map[string]any{}, nil
	}
	return valueOf(node)
}

func fromYAMLArray(text string) (any, error) {
	v, err := fromYAML(text)
	if err != nil {
		return nil, err
	}
	if _, isList := v.([]any); !isList {
		return nil, fmt.Errorf("must be a list, found %s", describe(v))
	}
	return v, nil
}

// isFinite tells whether JSON has the number.
func isFinite(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) }
