package artifact

import (
	"cmp"
	"errors"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

const (
	// maxInputs bounds an inputs file: it ends up in the status of an object.
	maxInputs = 100 << 10
	// maxWritten bounds the inputs in block style, which can take a hundred times
	// the room of flow style.
	maxWritten = 1 << 20
)

// artifactAlias is what `inputsFrom` calls the built artifact.
const artifactAlias = "artifact"

// InputsFrom is a valid spec.artifacts[].inputsFrom: one file, without wildcards,
// whose path may hold captures.
type InputsFrom struct {
	alias krm.Str
	path  krm.Template
}

// ParseInputsFrom checks everything that needs no file. `@artifact/path` is a
// file of the built artifact.
func ParseInputsFrom(s krm.Str, rep *krm.Report) (InputsFrom, bool) {
	alias, path, what, hint := splitAlias(s)
	if what == "" {
		what, hint = badInputsPath(path)
	}
	if what != "" {
		rep.Errorf("inputs-from", s.Pos, hint, "`inputsFrom` %q %s", shown(s.Text), what)
		return InputsFrom{}, false
	}
	t, ok := krm.ParseTemplate(s, rep)
	return InputsFrom{alias, t}, ok
}

func badInputsPath(path string) (what, hint string) {
	switch {
	case path == "":
		return "names no file", ""
	case strings.ContainsAny(path, "*?[]"):
		return "is a pattern", "name exactly one file"
	}
	return badPath(path)
}

// Alias is the source alias; `artifact`, which FromArtifact tells apart, is none.
func (i InputsFrom) Alias() krm.Str { return i.alias }

// FromArtifact tells whether the file is one of the built artifact.
func (i InputsFrom) FromArtifact() bool { return i.alias.Text == artifactAlias }

// CheckCaptures tells whether every capture of the path is one of known.
func (i InputsFrom) CheckCaptures(known []string, rep *krm.Report) bool {
	return i.path.CheckCaptures(known, rep)
}

// Load reads and parses the inputs of an artifact, which must not have been
// released. A missing file is an error: an artifact that silently lost its
// `dependsOn` would be deployed out of order. Of an artifact that could not be
// built nobody knows the files, so there is nothing to say about one of them.
func (i InputsFrom) Load(a *Artifact, values map[string]string, trees map[string]*source.Tree, rep *krm.Report) (*krm.Node, bool) {
	if i.FromArtifact() && a.stage.files == nil {
		return nil, false
	}
	from := i.path.Render(values)
	path := strings.TrimPrefix(from, "@"+i.alias.Text+"/")
	data, start, err := a.stage.read(path)
	if tree := trees[i.alias.Text]; !i.FromArtifact() {
		var content source.Content
		content, err = tree.ReadFile(path, maxInputs)
		data, start = content.Data, content.Start(tree.Place(path))
	}
	if err != nil {
		i.fault(err, a.what, shown(from), rep)
		return nil, false
	}
	return ParseInputs(data, start, rep)
}

func (i InputsFrom) fault(err error, what, from string, rep *krm.Report) {
	pos := i.path.Str().Pos
	var large *source.TooLargeError
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		rep.Errorf("inputs-missing", pos, "add the file; `{}` means no inputs", "artifact %s: the inputs file %q does not exist", what, from)
	case errors.As(err, &large) && errors.As(err, &at):
		rep.Errorf("inputs-too-large", krm.Pos{File: at.Path}, "", "the inputs have %d bytes, %d are allowed", large.Size, large.Limit)
	case errors.Is(err, source.ErrLink) && errors.As(err, &at):
		rep.Errorf("inputs-link", pos, "replace the link by the file", "artifact %s: cannot read the inputs %q: %q is a link, and links are never followed", what, from, shown(at.Path))
	case errors.As(err, &at):
		rep.Errorf("inputs-unreadable", pos, source.Cure(err), "artifact %s: cannot read the inputs %q: %v", what, from, at.Err)
	default:
		rep.Errorf("inputs-unreadable", pos, source.Cure(err), "artifact %s: cannot read the inputs %q: %v", what, from, err)
	}
}

// ParseInputs parses exported inputs: one map of any JSON values, plain or as the
// `spec` of a `fn.kpt.dev/v1alpha1` Inputs. Explicit nulls are kept. An empty file
// is an empty map. A value that cannot be JSON, or that two readers would
// understand differently, is an error. The text begins at start; see krm.ParseAt.
func ParseInputs(data []byte, start krm.Pos, rep *krm.Report) (*krm.Node, bool) {
	if len(data) > maxInputs {
		rep.Errorf("inputs-too-large", krm.Pos{File: start.File}, "", "the inputs have %d bytes, %d are allowed", len(data), maxInputs)
		return nil, false
	}
	node, ok := krm.ParseAt(start, data, rep)
	switch {
	case !ok:
		return nil, false
	case node == nil:
		return krm.NewMap(nil), true
	}
	node, ok = unwrap(node, rep)
	switch {
	case !ok:
		return nil, false
	case node.Kind != krm.MapNode:
		rep.Errorf("inputs-not-map", node.Pos, "write `name: value` pairs", "the inputs must be a map, found %s", describeKind(node.Kind))
		return nil, false
	case leastSize(node, maxWritten) > maxWritten:
		rep.Errorf("inputs-too-large", krm.Pos{File: start.File}, "nest less, and use fewer aliases", "the inputs have more than %d bytes as they are written, each value on a line of its own", maxWritten)
		return nil, false
	}
	for scalar := range scalars(node) {
		ok = checkInput(scalar, rep) && ok
	}
	warnNulls(node, rep)
	return node, ok
}

func describeKind(kind krm.Kind) string {
	switch kind {
	case krm.NullNode:
		return "null"
	case krm.BoolNode:
		return "a boolean"
	case krm.IntNode, krm.FloatNode:
		return "a number"
	case krm.StringNode:
		return "a string"
	case krm.ListNode:
		return "a list"
	case krm.MapNode:
		return "a map"
	}
	return "something else"
}

// checkInput refuses what YAML 1.1 and 1.2 read as different values, and numbers
// that JSON readers would round or cannot hold.
func checkInput(scalar *krm.Node, rep *krm.Report) bool {
	switch {
	case scalar.Ambiguous != "":
		rep.Errorf("inputs-ambiguous-scalar", scalar.Pos, "put it in quotes if it is text; write numbers in decimal and booleans as true or false",
			"the value %q is %s for YAML 1.1, and %s, %q, for YAML 1.2", shown(scalar.Written), scalar.Ambiguous, describeKind(scalar.Kind), shown(scalar.Text))
	case scalar.Kind == krm.IntNode && !fits64(scalar.Text):
		rep.Errorf("inputs-number-range", scalar.Pos, "put it in quotes", "the integer does not fit into 64 bits")
	case scalar.Kind == krm.FloatNode && !finite(scalar.Text):
		rep.Errorf("inputs-number-range", scalar.Pos, "put it in quotes", "the number %q has no JSON form", shown(scalar.Text))
	default:
		return true
	}
	return false
}

func fits64(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	if err == nil {
		return true
	}
	_, err = strconv.ParseUint(text, 10, 64)
	return err == nil
}

func finite(text string) bool {
	f, err := strconv.ParseFloat(text, 64)
	return err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
}

// warnNulls names the keys whose null an API server will drop: the object then
// lacks the key. The warning stands at the first null.
func warnNulls(node *krm.Node, rep *krm.Report) {
	var nulls []krm.Pos
	for scalar := range scalars(node) {
		if scalar.Kind == krm.NullNode && scalar.Ambiguous == "" {
			nulls = append(nulls, scalar.Pos)
		}
	}
	if len(nulls) == 0 {
		return
	}
	slices.SortStableFunc(nulls, func(a, b krm.Pos) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	var fields []string
	for _, null := range nulls {
		fields = append(fields, "`"+null.Field+"`")
	}
	first := nulls[0]
	first.Field = ""
	rep.Warnf("inputs-null", first, "leave the key out, or give it a value",
		"an API server drops a key whose value is null: %s", listed(fields))
}

// listed joins the first ten words.
func listed(words []string) string {
	const most = 10
	if len(words) <= most {
		return strings.Join(words, ", ")
	}
	return strings.Join(words[:most], ", ") + " and " + strconv.Itoa(len(words)-most) + " more"
}
