package template

import (
	"fmt"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// parsed are the documents of a skeleton, tokens in place.
type parsed struct {
	documents []*krm.Node
	mistake   *Mistake
	// plain is set where a plain word is a string in every place of a token.
	plain bool
}

// maxParsed and maxParsedBytes bound the skeletons that are remembered, with trees
// that are thirty times as large.
const (
	maxParsed      = 256
	maxParsedBytes = 1 << 20
)

// Documents are the YAML documents of the rendering, empty ones left out, with
// every value in its place:
//
//   - a plain scalar that is one action is the value: a string stays a string, a
//     number a number; what `toYaml` and `toJson` return is a node;
//   - a scalar in quotes or in a block, or with text around the action, is a
//     string, and so is a key;
//   - `toYaml` on a line of its own gives its entries to the map or the list there.
//
// A key or a scalar that came with a value, or has one in it, has no line in its
// position. Documents must not be
// changed.
func (o *Output) Documents() ([]*krm.Node, []*Mistake) {
	p := o.parse()
	if p.mistake != nil {
		return nil, []*Mistake{p.mistake}
	}
	f := filler{Output: o}
	documents := make([]*krm.Node, 0, len(p.documents))
	for _, d := range p.documents {
		documents = append(documents, f.node(d))
	}
	if len(f.mistakes) > 0 {
		return nil, f.mistakes
	}
	return documents, nil
}

func (o *Output) parse() parsed {
	known, found := o.template.parsed[o.skeleton]
	if found {
		return known
	}
	if o.template.parsedBytes += len(o.skeleton); len(o.template.parsed) >= maxParsed || o.template.parsedBytes > maxParsedBytes {
		clear(o.template.parsed)
		o.template.parsedBytes = len(o.skeleton)
	}
	known.documents, known.mistake = parseDocuments(o.skeleton, o.Text)
	known.plain = known.mistake == nil && o.takesWords(known.documents)
	o.template.parsed[o.skeleton] = known
	return known
}

// parseDocuments parses what a template rendered; in messages tokens are no help.
func parseDocuments(text string, shown func() string) ([]*krm.Node, *Mistake) {
	rep := krm.Report{}
	documents, ok := krm.ParseFiles("", []byte(text), &rep)
	if ok {
		return documents, nil
	}
	f := rep.Findings()[0]
	if f.Pos.Line == 0 {
		return nil, notYAML("template-yaml", f.Hint, "%s", f.Message)
	}
	return nil, notYAML("template-yaml", f.Hint, "line %d of what it renders, %q: %s", f.Pos.Line, lineOf(shown(), f.Pos.Line), f.Message)
}

// notYAML is a mistake in what was rendered: nobody knows where in the template.
func notYAML(code, hint, format string, args ...any) *Mistake {
	return &Mistake{Code: code, Hint: hint, What: fmt.Sprintf(format, args...)}
}

func lineOf(text string, line int) string {
	first, _, _ := strings.Cut(text[lineStart(text, line):], "\n")
	return krm.Short(first, 128)
}

// filler puts values into the place of their tokens.
type filler struct {
	*Output
	mistakes []*Mistake
}

func (f *filler) fail(t *token, hint, format string, args ...any) {
	f.mistakes = append(f.mistakes, f.mistake("template-value", t, hint, format, args...))
}

func (f *filler) node(n *krm.Node) *krm.Node {
	switch n.Kind {
	case krm.MapNode:
		return f.entries(n)
	case krm.ListNode:
		return f.items(n)
	case krm.StringNode:
		return f.scalar(n)
	default:
		return n
	}
}

func (f *filler) scalar(n *krm.Node) *krm.Node {
	if !strings.Contains(n.Text, f.template.marks.open) {
		return n
	}
	if t, whole := f.whole(n.Text); whole && !n.Quoted {
		return f.value(t)
	}
	return &krm.Node{Kind: krm.StringNode, Pos: krm.Pos{File: n.Pos.File, Field: n.Pos.Field}, Text: f.text(n.Text), Quoted: true}
}

// value is what a plain scalar becomes.
func (f *filler) value(t *token) *krm.Node {
	var node *krm.Node
	var err error
	switch v := t.value.(type) {
	case *layout:
		if node = v.node(); v.value == nil {
			node, err = stringNode(v.text)
		}
	default:
		if node, err = nodeOf(v); err == nil && (node.Kind == krm.MapNode || node.Kind == krm.ListNode) {
			err = fmt.Errorf("%s is no scalar", describe(v))
			f.fail(t, "write `toYaml` or `toJson` behind it", "%s", err)
			return krm.NewString("")
		}
	}
	if err != nil {
		f.fail(t, "", "%s", err)
		return krm.NewString("")
	}
	return node
}

// text puts values into a text. Lines that were indented for a block stay under
// their first one.
func (f *filler) text(text string) string {
	var b strings.Builder
	f.fill(&b, text, func(b *strings.Builder, t *token) {
		switch {
		case isNil(t.value):
			f.fail(t, "give it a default: `| default \"…\"`", "the value is null, and a part of a text cannot be")
			return
		case isCollection(t.value):
			f.fail(t, "write `toYaml` or `toJson` behind it", "%s is no text", describe(t.value))
			return
		}
		shown := t.inBlock(lineIndent(b.String()))
		if odd := krm.Unwritable(shown); odd != "" {
			f.fail(t, "", "the text holds %s", odd)
			return
		}
		b.WriteString(shown)
	})
	return b.String()
}

// inBlock is the text of a value in a line that, without the indentation of its
// block, begins with some spaces.
func (t *token) inBlock(spaces int) string {
	l, laid := t.value.(*layout)
	if !laid {
		return textOf(t.value)
	}
	body := *l
	body.lead, body.first = "", 0
	body.hang = max(l.hang, 0) - (t.indent - spaces)
	return body.String()
}

// lineIndent is how many spaces the last line begins with.
func lineIndent(text string) int {
	line := text[strings.LastIndexByte(text, '\n')+1:]
	return len(line) - len(strings.TrimLeft(line, " "))
}

func (f *filler) items(n *krm.Node) *krm.Node {
	list := &krm.Node{Kind: krm.ListNode, Pos: n.Pos, Items: make([]*krm.Node, 0, len(n.Items))}
	for _, item := range n.Items {
		if t, whole := f.spliced(item, itemsForm); whole {
			list.Items = append(list.Items, t.value.(*layout).value.Items...)
			continue
		}
		list.Items = append(list.Items, f.node(item))
	}
	return list
}

// spliced is the token of an entry that others take the place of.
func (f *filler) spliced(n *krm.Node, as form) (*token, bool) {
	if n.Kind != krm.StringNode || n.Quoted {
		return nil, false
	}
	t, whole := f.whole(n.Text)
	return t, whole && t.form == as
}

func (f *filler) entries(n *krm.Node) *krm.Node {
	m := mapMaker{filler: f, keys: make(map[string]bool, n.Len())}
	var later []krm.Entry // what is written comes first, and keeps its keys
	for key, value := range n.Fields() {
		if strings.Contains(key.Text, f.template.marks.open) {
			later = append(later, krm.Entry{Key: key, Value: value})
			continue
		}
		m.add(nil, key, f.node(value))
	}
	for _, e := range later {
		m.make(e.Key.Text, e.Value)
	}
	return krm.NewEntries(n.Pos, m.entries)
}

// mapMaker is a map with keys that values make.
type mapMaker struct {
	*filler
	keys    map[string]bool
	entries []krm.Entry
}

func (m *mapMaker) add(t *token, key krm.Str, value *krm.Node) {
	if m.keys[key.Text] {
		m.fail(t, "", "the key %q is there already", krm.Short(key.Text, 128))
		return
	}
	m.keys[key.Text] = true
	m.entries = append(m.entries, krm.Entry{Key: key, Value: value})
}

// make adds what stands for a key with tokens in it.
func (m *mapMaker) make(key string, value *krm.Node) {
	if t, splice := m.spliced(value, entriesForm); splice && key == value.Text {
		for k, v := range t.value.(*layout).value.Fields() {
			m.add(t, krm.Str{Text: k.Text}, v)
		}
		return
	}
	_, i, _, _ := m.cut(key)
	m.add(&m.tokens[i], krm.Str{Text: m.key(key)}, m.node(value))
}

// key is a key with values in it; one that is nothing but a value in quotes is the
// value.
func (f *filler) key(text string) string {
	t, whole := f.whole(text)
	if !whole {
		return f.text(text)
	}
	if l, laid := t.value.(*layout); laid && l.value != nil && l.value.Kind == krm.StringNode {
		return l.value.Text
	}
	return f.text(text)
}
