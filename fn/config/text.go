package config

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/provision-tenants/provision-tenants/fn/handoff"
	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// The texts of the wire structs, each with a syntax of its own.
type (
	aliasName        krm.Str
	aliasReference   krm.Str
	applierName      krm.Str
	artifactName     krm.Str
	baseURL          krm.Str
	copyFrom         krm.Str
	copyStrategy     krm.Str
	copyTo           krm.Str
	directory        krm.Str
	filePattern      krm.Str
	globText         krm.Str
	innerPath        krm.Str
	labelName        krm.Str
	metadataStrategy krm.Str
	namespaceOrAll   krm.Str
	pathPattern      krm.Str
	revision         krm.Str
	ruleText         krm.Str
	sourceKind       krm.Str
	sourceName       krm.Str
	sourcePath       krm.Str
	subdomain        krm.Str
	timestamp        krm.Str
	trueOrFalse      krm.Str
)

// The maps of the wire structs.
type (
	labelMap      map[string]krm.Str
	annotationMap map[string]krm.Str
	ruleMap       map[string]krm.Str
	// tenantMap has any keys: those that no allow-list names are ignored.
	tenantMap map[string]krm.Str
)

// syntax is what a text must look like: in the JSON Schema, and here unless the
// field says that a constructor checks it.
type syntax struct {
	pattern string
	// say puts the pattern into words that finish the sentence "must …".
	say  string
	enum []string
	// min and max count characters; a max of 0 is none.
	min, max int
}

const (
	labelPattern     = `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	subdomainPattern = `^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	aliasPattern     = `[a-z0-9]([a-z0-9_-]*[a-z0-9])?`

	// A qualified name: an optional DNS prefix, `/`, and up to 63 characters.
	keyPattern   = `^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`
	valuePattern = `^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$`

	sayLabel     = "consist of lower-case letters, digits and `-`, and begin and end with a letter or digit"
	saySubdomain = "consist of lower-case letters, digits, `-` and `.`, with a letter or digit at both ends of each part"
)

// syntaxes are those of Flux's ArtifactGenerator (its CRD validation) and of
// names in Kubernetes, by wire type.
var syntaxes = sync.OnceValue(func() map[reflect.Type]syntax {
	return map[reflect.Type]syntax{
		reflect.TypeFor[aliasName](): {
			pattern: `^` + aliasPattern + `$`, min: 1, max: 63,
			say: "consist of lower-case letters, digits, `-` and `_`, and begin and end with a letter or digit",
		},
		reflect.TypeFor[aliasReference](): {
			pattern: `^@` + aliasPattern + `$`, min: 1, max: 64,
			say: "be `@` and a source alias, such as `@repo`",
		},
		reflect.TypeFor[applierName]():  {enum: handoff.Names()},
		reflect.TypeFor[artifactName](): {min: 1, max: 253},
		reflect.TypeFor[baseURL](): {
			pattern: `^https?://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?(/([A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?$`, min: 1, max: 1024,
			say: "be an http or https URL without user, query and fragment, such as `https://artifacts.example.org`",
		},
		reflect.TypeFor[copyFrom]():         {pattern: `^@` + aliasPattern + `/(.*)$`, min: 1, max: 1024},
		reflect.TypeFor[copyStrategy]():     {enum: []string{"Overwrite", "Merge", "Extract"}},
		reflect.TypeFor[copyTo]():           {pattern: `^@(artifact)/(.*)$`, min: 1, max: 1024},
		reflect.TypeFor[directory]():        {min: 1},
		reflect.TypeFor[filePattern]():      {min: 1},
		reflect.TypeFor[globText]():         {min: 1},
		reflect.TypeFor[innerPath]():        {min: 1},
		reflect.TypeFor[labelName]():        {pattern: labelPattern, min: 1, max: 63, say: sayLabel},
		reflect.TypeFor[metadataStrategy](): {enum: []string{"Reset", "Override", "Merge"}},
		reflect.TypeFor[namespaceOrAll]():   {pattern: `^(\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$`, min: 1, max: 63},
		reflect.TypeFor[pathPattern]():      {pattern: `^(@` + aliasPattern + `/.*)?$`, max: 1024},
		reflect.TypeFor[revision]():         {pattern: `^\S+$`, min: 1, max: 1024, say: "have no spaces"},
		reflect.TypeFor[ruleText]():         {min: 1, max: 4096},
		reflect.TypeFor[sourceKind]():       {enum: []string{"Bucket", "GitRepository", "OCIRepository", "HelmChart", "ExternalArtifact"}},
		reflect.TypeFor[sourceName]():       {pattern: labelPattern, min: 1, max: 253, say: sayLabel},
		reflect.TypeFor[sourcePath]():       {pattern: `^@` + aliasPattern + `/.+$`, min: 1, max: 1024},
		reflect.TypeFor[subdomain]():        {pattern: subdomainPattern, min: 1, max: 253, say: saySubdomain},
		reflect.TypeFor[timestamp](): {
			pattern: `^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$`, min: 1, max: 64,
			say: "be a time as in RFC 3339, such as `1970-01-01T00:00:00Z`",
		},
		reflect.TypeFor[trueOrFalse](): {enum: []string{"true", "false"}},
	}
})

// syntaxOf is the syntax of a text.
func syntaxOf[T any]() syntax { return syntaxes()[reflect.TypeFor[T]()] }

// mistake finishes the sentence "must …" about a text that breaks its syntax; ""
// when it does not.
func (s syntax) mistake(text string) string {
	length := utf8.RuneCountInString(text)
	switch {
	case length < s.min:
		return "not be empty"
	case s.max > 0 && length > s.max:
		return fmt.Sprintf("have at most %d characters, found %d", s.max, length)
	case s.enum != nil && !slices.Contains(s.enum, text):
		return fmt.Sprintf("be one of %s, found %q", listOf(s.enum), shown(text))
	case s.pattern != "" && !matches(s.pattern, text):
		return fmt.Sprintf("%s, found %q", s.say, shown(text))
	}
	return ""
}

// compiled holds a *regexp.Regexp for each pattern that was needed: a run without
// generators compiles none.
var compiled sync.Map

func matches(pattern, text string) bool {
	re, found := compiled.Load(pattern)
	if !found {
		re, _ = compiled.LoadOrStore(pattern, regexp.MustCompile(pattern))
	}
	return re.(*regexp.Regexp).MatchString(text)
}

// flag is a boolean that knows whether it was written.
type flag struct {
	Value, Set bool
	Pos        krm.Pos
}

func (f *flag) decode(n *krm.Node, rep *krm.Report) {
	f.Pos = n.Pos
	if n.Kind != krm.BoolNode {
		hint := ""
		if n.Text == "true" || n.Text == "false" {
			hint = "write it without quotes: " + n.Text
		}
		rep.Errorf("config-type", n.Pos, hint, "must be true or false, found %s", describe(n))
		return
	}
	f.Value, f.Set = n.Text == "true", true
}
