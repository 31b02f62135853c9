package template

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	sprig "github.com/go-task/slim-sprig/v3"
)

// truths are functions of text/template that decide whether to look at their
// further arguments: only the interpreter can do that.
var truths = map[string]bool{"and": true, "or": true, "not": true}

const (
	readsClock  = "depends on the time"
	rollsDice   = "gives another result each time"
	readsHost   = "reads the environment of the machine"
	asksNetwork = "asks the network"
)

// impureFunctions are known from Sprig, and have no place in a function of the
// input alone.
var impureFunctions = map[string]string{
	"ago": readsClock, "date": readsClock, "date_in_zone": readsClock, "date_modify": readsClock,
	"dateInZone": readsClock, "dateModify": readsClock, "durationRound": readsClock, "htmlDate": readsClock,
	"htmlDateInZone": readsClock, "must_date_modify": readsClock, "mustDateModify": readsClock,
	"mustToDate": readsClock, "now": readsClock, "toDate": readsClock, "unixEpoch": readsClock,

	"randAlpha": rollsDice, "randAlphaNum": rollsDice, "randAscii": rollsDice, "randBytes": rollsDice,
	"randInt": rollsDice, "randNumeric": rollsDice, "shuffle": rollsDice, "uuidv4": rollsDice,
	"bcrypt": rollsDice, "buildCustomCert": rollsDice, "derivePassword": rollsDice, "encryptAES": rollsDice,
	"genCA": rollsDice, "genCAWithKey": rollsDice, "genPrivateKey": rollsDice, "genSelfSignedCert": rollsDice,
	"genSelfSignedCertWithKey": rollsDice, "genSignedCert": rollsDice, "genSignedCertWithKey": rollsDice,
	"htpasswd": rollsDice,

	"env": readsHost, "expandenv": readsHost, "getHostByName": asksNetwork, "lookup": asksNetwork,
}

// The functions of slim-sprig that we take as they are. Whatever a later version
// adds is not among them.
var (
	// shallowNames look at their arguments, and no further.
	shallowNames = []string{
		"add", "add1", "adler32sum", "all", "any", "atoi", "b32dec", "b32enc", "b64dec", "b64enc",
		"base", "biggest", "ceil", "clean", "contains", "dir", "div", "duration", "empty", "ext", "fail", "float64",
		"floor", "hasKey", "hasPrefix", "hasSuffix", "hello", "int", "int64", "isAbs", "kindIs", "kindOf", "lower",
		"max", "maxf", "min", "minf", "mod", "mul", "plural", "round", "seq", "sha1sum", "sha256sum", "sub",
		"substr", "title", "toDecimal", "trunc", "typeIs", "typeIsLike", "typeOf", "until", "untilStep", "upper",
		"urlJoin", "urlParse", "regexQuoteMeta", "split", "splitList", "splitn", "replace", "repeat",
	}
	// keepNames hand their arguments on.
	keepNames = []string{
		"append", "chunk", "coalesce", "compact", "concat", "default", "first", "get", "initial", "last", "list",
		"mustAppend", "mustChunk", "mustCompact", "mustFirst", "mustInitial", "mustLast", "mustPrepend", "mustPush",
		"mustRest", "mustReverse", "mustSlice", "omit", "pick", "pluck", "prepend", "push", "rest", "reverse",
		"slice", "ternary", "tuple", "unset",
	}
	// deepNames look at everything in their arguments.
	deepNames = []string{"cat", "deepEqual", "has", "join", "mustHas", "mustUniq", "mustWithout", "sortAlpha", "toString", "toStrings", "uniq", "without"}
)

// newLibrary is a table of all functions.
func newLibrary(r *run) map[string]function {
	all := map[string]function{}
	from := sprig.GenericFuncMap()
	for _, name := range shallowNames {
		all[name] = function{fn: reflect.ValueOf(from[name]), size: sizes[name]}
	}
	for _, name := range keepNames {
		all[name] = function{fn: reflect.ValueOf(from[name]), keep: true, size: sizes[name]}
	}
	for _, name := range deepNames {
		all[name] = function{fn: reflect.ValueOf(from[name]), deep: true, size: sizes[name]}
	}
	for _, own := range []map[string]function{textFunctions(), valueFunctions(r), formatFunctions(), regexFunctions(), comparisons()} {
		maps.Copy(all, own)
	}
	return all
}

func shallow(fn any) function { return function{fn: reflect.ValueOf(fn)} }
func deep(fn any) function    { return function{fn: reflect.ValueOf(fn), deep: true} }
func keep(fn any) function    { return function{fn: reflect.ValueOf(fn), keep: true} }

// textFunctions keep what is known of a text.
func textFunctions() map[string]function {
	cutting := func(cut func(s, by string) string) function {
		return keep(func(by, v any) (any, error) {
			if _, mine := by.(literal); !mine {
				v = plain(v) // whoever chooses what is cut off chooses what is left
			}
			text, ok := plain(by).(string)
			if !ok {
				return nil, fmt.Errorf("argument 1 must be a string, found %s", describe(by))
			}
			return trimmed(v, func(s string) string { return cut(s, text) })
		})
	}
	return map[string]function{
		"indent":  {fn: reflect.ValueOf(indented), deep: true, keep: true, size: sizes["indent"]},
		"nindent": {fn: reflect.ValueOf(nindented), deep: true, keep: true, size: sizes["indent"]},
		"trim":    keep(func(v any) (any, error) { return trimmed(v, strings.TrimSpace) }),
		"trimAll": cutting(strings.Trim), "trimall": cutting(strings.Trim),
		"trimPrefix": cutting(strings.TrimPrefix), "trimSuffix": cutting(strings.TrimSuffix),
		"quote": {fn: reflect.ValueOf(func(values ...any) any {
			return quoted(values, func(v any) string { return fmt.Sprintf("%q", textOf(v)) })
		}), deep: true},
		"squote": {fn: reflect.ValueOf(func(values ...any) any {
			return quoted(values, func(v any) string { return "'" + textOf(v) + "'" })
		}), deep: true},
		"slugify": shallow(slugify),
	}
}

// valueFunctions work on maps, always in the order of their keys, and on paths,
// always with slashes.
func valueFunctions(r *run) map[string]function {
	return map[string]function{
		"dict":  keep(dict),
		"set":   keep(r.set),
		"keys":  shallow(keysOf),
		"dig":   keep(dig),
		"index": keep(index),
		"len":   shallow(length),
		"values": keep(func(m map[string]any) []any {
			all := []any{}
			for _, key := range slices.Sorted(maps.Keys(m)) {
				all = append(all, m[key])
			}
			return all
		}),
		"osBase": shallow(path.Base), "osClean": shallow(path.Clean), "osDir": shallow(path.Dir),
		"osExt": shallow(path.Ext), "osIsAbs": shallow(path.IsAbs),
	}
}

func dict(pairs ...any) (map[string]any, error) {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		if isCollection(pairs[i]) {
			return nil, fmt.Errorf("a key of `dict` must be a string, found %s", describe(pairs[i]))
		}
		var value any = literal("")
		if i+1 < len(pairs) {
			value = pairs[i+1]
		}
		m[textOf(pairs[i])] = value
	}
	return m, nil
}

// set changes a map, which must not come to hold itself.
func (r *run) set(m map[string]any, key string, value any) (map[string]any, error) {
	if m == nil {
		return nil, errors.New("argument 1 of `set` is null")
	}
	m[key] = value
	if len(m) > maxList {
		return nil, r.stop("a map has more than %d entries", maxList)
	}
	if isCollection(value) {
		_, err := r.measure(value)
		return m, err
	}
	return m, nil
}

// isCollection tells whether a value is a list or a map, of whatever type.
func isCollection(v any) bool {
	if v == nil {
		return false
	}
	kind := reflect.TypeOf(v).Kind()
	return kind == reflect.Slice || kind == reflect.Map
}

func keysOf(all ...map[string]any) []string {
	keys := []string{}
	for _, m := range all {
		keys = append(keys, slices.Sorted(maps.Keys(m))...)
	}
	return keys
}

// dig looks up nested keys; what is before the map is the default.
func dig(args ...any) (any, error) {
	if len(args) < 3 {
		return nil, errors.New("`dig` wants keys, a default and a map")
	}
	at, otherwise := args[len(args)-1], args[len(args)-2]
	for _, key := range args[:len(args)-2] {
		m, ok := at.(map[string]any)
		if !ok || isCollection(key) {
			return nil, fmt.Errorf("`dig` wants a string, and a map to find it in, found %s and %s", describe(key), describe(at))
		}
		if at, ok = m[textOf(key)]; !ok {
			return otherwise, nil
		}
	}
	return at, nil
}

// index is that of text/template for the values there are here.
func index(item any, keys ...any) (any, error) {
	for _, key := range keys {
		v := reflect.ValueOf(plain(item))
		switch key = plain(key); {
		case v.Kind() == reflect.Map && reflect.TypeOf(key) != v.Type().Key():
			return nil, fmt.Errorf("a map has strings as keys, found %s", describe(key))
		case v.Kind() == reflect.Map:
			if v = v.MapIndex(reflect.ValueOf(key)); !v.IsValid() {
				return nil, nil
			}
		case v.Kind() == reflect.Slice || v.Kind() == reflect.String:
			i, ok := convert(key, reflect.TypeFor[int]())
			if !ok || i.Int() < 0 || int(i.Int()) >= v.Len() {
				return nil, fmt.Errorf("there is no such entry, the length is %d", v.Len())
			}
			v = v.Index(int(i.Int()))
		default:
			return nil, fmt.Errorf("`index` wants a list or a map, found %s", describe(item))
		}
		item = v.Interface()
	}
	return item, nil
}

func length(v any) (int, error) {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.String, reflect.Slice, reflect.Map:
		return r.Len(), nil
	default:
		return 0, fmt.Errorf("%s has no length", describe(v))
	}
}

// functionNames are all names that a template may use.
func functionNames(known map[string]function) []string {
	return slices.Sorted(maps.Keys(known))
}
