package krm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

const (
	// maxDepth bounds how deep lists and maps may nest.
	maxDepth = 100
	// maxDirectives bounds the lines that begin with `%`. The library compares
	// every directive with all before it.
	maxDirectives = 10
)

// ParseFile parses a file that a tenant can write: UTF-8 with or without BOM,
// LF or CRLF, one YAML document, unique string keys, bounded aliases. A file
// that is empty or holds only comments gives (nil, true). Every mistake is a
// finding at `file:line:column`; the result is then (nil, false).
func ParseFile(file string, data []byte, rep *Report) (*Node, bool) {
	return ParseAt(Pos{File: file, Line: 1}, data, rep)
}

// ParseAt is ParseFile for text that begins at pos. Without a line there, as for
// what was made of a file, positions have none either.
func ParseAt(pos Pos, data []byte, rep *Report) (*Node, bool) {
	docs, ok := parseDocuments(pos, data, rep)
	if len(docs) > 1 {
		rep.Errorf("yaml-multiple-documents", Pos{File: pos.File, Line: docs[1].Pos.Line, Column: docs[1].Pos.Column},
			"keep one document in the file", "found a second YAML document, one is allowed")
		return nil, false
	}
	if !ok || len(docs) == 0 {
		return nil, ok
	}
	return docs[0], true
}

// ParseFiles is ParseFile for any number of documents; empty ones are skipped.
func ParseFiles(file string, data []byte, rep *Report) ([]*Node, bool) {
	return parseDocuments(Pos{File: file, Line: 1}, data, rep)
}

func parseDocuments(pos Pos, data []byte, rep *Report) ([]*Node, bool) {
	text, ok := decodeText(pos, data, rep)
	if !ok {
		return nil, false
	}
	docs, err := decodeStrictly(text)
	if err != nil {
		reportSyntax(pos, text, err, rep)
		return nil, false
	}
	var nodes []*Node
	for _, doc := range docs {
		node, good := nodeFromYAML(doc, pos, rep)
		nodes = append(nodes, node)
		ok = ok && good
	}
	if !ok {
		return nil, false
	}
	return nodes, true
}

// decodeText checks the encoding and returns the text without BOM and with LF
// line ends. Lines and columns stay what an editor shows.
func decodeText(pos Pos, data []byte, rep *Report) ([]byte, bool) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if i := oddByte(data); i >= 0 {
		what, hint := describeOdd(data, i)
		rep.Errorf("yaml-encoding", pos.move(lineColumn(data, i)), hint, "%s", what)
		return nil, false
	}
	return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), true
}

// move is another line and column of a text that has lines.
func (p Pos) move(line, column int) Pos {
	if p.Line > 0 {
		p.Line, p.Column = line, column
	}
	return p
}

// oddByte finds the first byte that no text file has, -1 when there is none.
func oddByte(data []byte) int {
	for i := 0; i < len(data); {
		c := data[i]
		switch {
		case c == '\r' && (i+1 == len(data) || data[i+1] != '\n'):
			return i
		case c < ' ' && c != '\t' && c != '\n' && c != '\r', c == 0x7f:
			return i
		case c < utf8.RuneSelf:
			i++
			continue
		}
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 || r >= 0x80 && r < 0xa0 && r != 0x85 || r == 0xfeff {
			return i
		}
		i += size
	}
	return -1
}

func describeOdd(data []byte, i int) (what, hint string) {
	switch {
	case bytes.HasPrefix(data, []byte("\x00GITCRYPT")):
		return "the file is not UTF-8 text, it looks encrypted by git-crypt", "unlock the repository before rendering"
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return "the file is UTF-16, it must be UTF-8", "save the file as UTF-8"
	case data[i] == '\r':
		return "found a lone carriage return, lines must end in LF or CRLF", "convert the line ends of the file"
	case data[i] < ' ' || data[i] == 0x7f:
		return fmt.Sprintf("found the control character U+%04X", data[i]), "remove the character"
	}
	if r, size := utf8.DecodeRune(data[i:]); size > 1 {
		return fmt.Sprintf("found the control character U+%04X", r), "remove the character"
	}
	return fmt.Sprintf("the byte 0x%02x is not UTF-8", data[i]), "save the file as UTF-8"
}

// lineColumn counts lines and characters up to offset i, both from 1.
func lineColumn(data []byte, i int) (line, column int) {
	start := bytes.LastIndexByte(data[:i], '\n') + 1
	return bytes.Count(data[:i], []byte("\n")) + 1, utf8.RuneCount(data[start:i]) + 1
}

// decodeStrictly is decodeYAML for text that a tenant can write.
func decodeStrictly(text []byte) ([]*yaml.Node, error) {
	if err := checkDirectives(text); err != nil {
		return nil, err
	}
	return decodeYAML(text)
}

// checkDirectives refuses more directives than anybody needs, with an error like
// those of the library.
func checkDirectives(text []byte) error {
	found := 0
	for at := 0; at >= 0; {
		if bytes.HasPrefix(text[at:], []byte("%")) {
			found++
		}
		if found > maxDirectives {
			return fmt.Errorf("yaml: line %d: more than %d lines begin with `%%`", bytes.Count(text[:at], []byte("\n"))+1, maxDirectives)
		}
		next := bytes.Index(text[at:], []byte("\n%"))
		if next < 0 {
			return nil
		}
		at += next + 1
	}
	return nil
}

// decodeYAML returns the documents of a text that hold anything. The library
// has panicked on odd input before: a panic is a syntax error here.
func decodeYAML(text []byte) (docs []*yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			docs, err = nil, fmt.Errorf("yaml: %v", p)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var doc yaml.Node
		switch err := decoder.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return docs, nil
		case err != nil:
			return nil, err
		case !isEmptyDocument(&doc):
			docs = append(docs, &doc)
		}
	}
}

func isEmptyDocument(doc *yaml.Node) bool {
	if len(doc.Content) == 0 {
		return true
	}
	root := doc.Content[0]
	return root.Kind == yaml.ScalarNode && root.Value == "" && root.Style == 0 && root.Anchor == ""
}

// countedFromZero are the errors of the library whose line is one too low: those
// of its parser, as opposed to its scanner.
var countedFromZero = regexp.MustCompile(`^did not find expected (<document start>|node content|key|'-'|',')`)

var yamlLine = regexp.MustCompile(`line (\d+): `)

// reportSyntax turns the library's error into a finding. The library knows the
// line only; the column is that line's first character.
func reportSyntax(pos Pos, text []byte, err error, rep *Report) {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if m := yamlLine.FindStringSubmatch(message); m != nil && pos.Line > 0 {
		line, _ = strconv.Atoi(m[1])
		message = strings.Replace(message, m[0], "", 1)
		if countedFromZero.MatchString(message) {
			line = min(line+1, bytes.Count(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))+1)
		}
	}
	content := lineAt(text, line)
	column := len(content) - len(bytes.TrimLeft(content, " ")) + 1
	hint := ""
	if bytes.HasPrefix(bytes.TrimLeft(content, " "), []byte("\t")) {
		hint = "indent with spaces, the line begins with a tab"
	}
	rep.Errorf("yaml-syntax", pos.move(line, column), hint, "not valid YAML: %s", shown(message))
}

func lineAt(text []byte, line int) []byte {
	for range line - 1 {
		_, rest, found := bytes.Cut(text, []byte("\n"))
		if !found {
			return nil
		}
		text = rest
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	return first
}

// nodeFromYAML converts a document or a node of the library. Nodes get pos with
// their field path; where pos has a line, also their own line and column.
func nodeFromYAML(y *yaml.Node, pos Pos, rep *Report) (*Node, bool) {
	c := converter{rep: rep, expansion: newExpansion()}
	if y.Kind == yaml.DocumentNode {
		y = y.Content[0]
	}
	node := c.node(y, pos, 0)
	return node, !c.failed
}

// converter builds Nodes and reports what a Node cannot hold.
type converter struct {
	rep    *Report
	failed bool
	expansion
	// cut is set once the limit of aliases has been reported.
	cut bool
}

func (c *converter) fail(code string, pos Pos, hint, format string, args ...any) *Node {
	c.failed = true
	c.rep.add(Error, code, pos, hint, format, args)
	return &Node{Kind: NullNode, Pos: pos, Text: "null"}
}

func (c *converter) node(y *yaml.Node, pos Pos, depth int) *Node {
	if len(c.open) == 0 {
		pos = pos.move(y.Line, y.Column)
	}
	c.count(y)
	switch {
	case c.exceeded() != "":
		return c.tooManyAliases(pos)
	case depth > maxDepth:
		return c.fail("yaml-depth", pos, "", "lists and maps nest more than %d deep", maxDepth)
	case y.Kind == yaml.AliasNode:
		return c.alias(y, pos, depth)
	case y.Style&yaml.TaggedStyle != 0 && !plainTags[y.ShortTag()]:
		return c.fail("yaml-tag", pos, "remove the tag", "the YAML tag %q is not supported", shown(y.Tag))
	case y.Kind == yaml.MappingNode:
		return c.mapping(y, pos, depth)
	case y.Kind == yaml.SequenceNode:
		return c.sequence(y, pos, depth)
	}
	return c.scalar(y, pos)
}

// plainTags are the explicit tags that change nothing for a reader of JSON.
var plainTags = map[string]bool{"!!str": true, "!!map": true, "!!seq": true}

// tooManyAliases reports the limit once; what follows is cut off silently.
func (c *converter) tooManyAliases(pos Pos) *Node {
	if c.cut {
		return &Node{Kind: NullNode, Pos: pos, Text: "null"}
	}
	c.cut = true
	pos.Field = ""
	return c.fail("yaml-alias-limit", pos, "write the values out instead of using aliases",
		"the aliases of the document expand to more than %s", c.exceeded())
}

func (c *converter) alias(y *yaml.Node, pos Pos, depth int) *Node {
	if c.open[y.Alias] {
		return c.fail("yaml-alias-limit", pos, "", "the alias %q contains itself", shown(y.Value))
	}
	c.open[y.Alias] = true
	defer delete(c.open, y.Alias)
	return c.node(y.Alias, pos, depth)
}

func (c *converter) sequence(y *yaml.Node, pos Pos, depth int) *Node {
	n := &Node{Kind: ListNode, Pos: pos, Items: make([]*Node, 0, len(y.Content))}
	for i, item := range y.Content {
		n.Items = append(n.Items, c.node(item, pos.Item(i), depth+1))
		if c.cut {
			break
		}
	}
	return n
}

func (c *converter) mapping(y *yaml.Node, pos Pos, depth int) *Node {
	n := &Node{Kind: MapNode, Pos: pos, fields: make([]field, 0, len(y.Content)/2)}
	seen := make(map[string]Pos, len(y.Content)/2)
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, ok := c.key(y.Content[i], pos)
		if !ok {
			continue
		}
		if first, twice := seen[key.Text]; twice {
			c.fail("yaml-duplicate-key", key.Pos, "keep one of the two", "the key %q is there twice%s", shown(key.Text), firstAt(first))
			continue
		}
		seen[key.Text] = key.Pos
		n.fields = append(n.fields, field{key, c.node(y.Content[i+1], key.Pos, depth+1)})
		if c.cut {
			break
		}
	}
	return n
}

func firstAt(first Pos) string {
	if first.Line == 0 {
		return ""
	}
	return fmt.Sprintf(", first in line %d", first.Line)
}

// key checks that a key is a string whatever version of YAML reads it.
func (c *converter) key(y *yaml.Node, pos Pos) (Str, bool) {
	if len(c.open) == 0 {
		pos = pos.move(y.Line, y.Column)
	}
	written := y
	if y = resolve(y); y != written || len(c.open) > 0 {
		c.bytes += len(y.Value)
	}
	switch {
	case y.Kind != yaml.ScalarNode:
		c.fail("yaml-key-not-string", pos, "", "a key must be a string, found a list or a map")
		return Str{}, false
	case y.Style&yaml.TaggedStyle != 0 && y.ShortTag() != "!!str":
		c.fail("yaml-tag", pos, "remove the tag", "the YAML tag %q is not supported", shown(y.Tag))
		return Str{}, false
	}
	pos = pos.entry(y.Value)
	if !c.writable(y, pos) || !c.keyFits(y, pos) {
		return Str{}, false
	}
	if y.Style != 0 {
		return Str{y.Value, pos}, true
	}
	plain := resolvePlain(y.Value)
	switch {
	case y.Value == "<<":
		c.fail("yaml-merge-key", pos, "write the merged keys out", "merge keys are YAML 1.1 only")
		return Str{}, false
	case plain.kind != StringNode || plain.ambiguous != "":
		c.fail("yaml-key-not-string", pos, fmt.Sprintf("write %q", shown(y.Value)), "the key %q is not a string", shown(y.Value))
		return Str{}, false
	}
	return Str{y.Value, pos}, true
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// entry is the position of a map entry: `.name` or `["any text"]`.
func (p Pos) entry(key string) Pos {
	if identifier.MatchString(key) {
		return p.At(key)
	}
	return p.Key(key)
}

func (c *converter) scalar(y *yaml.Node, pos Pos) *Node {
	c.writable(y, pos)
	if y.Style != 0 {
		return &Node{Kind: StringNode, Pos: pos, Text: y.Value, Quoted: true}
	}
	plain := resolvePlain(y.Value)
	n := &Node{Kind: plain.kind, Pos: pos, Text: plain.text, Ambiguous: plain.ambiguous}
	if n.Ambiguous != "" {
		n.Written = y.Value
	}
	return n
}
