package krm

import (
	"iter"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// section is one top-level entry of a ResourceList: its key, its lines, and the
// comments before them. The last section has no key and holds the comments at
// the end of the list. Of the `items` section, whose items are in the List,
// text is only the comments behind the last item.
type section struct {
	key, lead, text string
}

// maxSections is how many top-level keys a list may have to be read here. The
// specification has five.
const maxSections = 32

// readBlock reads a list whose top-level keys and items each begin a line. It
// gives up, with false, where that is not certain.
//
// Why cutting at lines is safe: a YAML parser goes through its text once, from
// left to right. When the lines of one entry parse on their own, the parser
// stands at the start of a line with nothing open, and goes on as if the next
// entry were its first. Only an alias looks further back, and an alias without
// its anchor does not parse on its own. So whatever the lines of an entry look
// like, it is enough that they are one entry to the scanner or to the library;
// only what neither of them sees, comments between entries, must be plain text.
func readBlock(text string) (*List, bool) {
	if !strings.HasSuffix(text, "\n") {
		return nil, false
	}
	sections, ok := splitSections(text)
	if !ok {
		return nil, false
	}
	list := &List{sections: sections}
	header := header{}
	for i := range list.sections {
		if s := &list.sections[i]; !isPlainText(s.lead) || !list.readSection(s, &header) {
			return nil, false
		}
	}
	list.complete()
	return list, header.check() == nil
}

// isPlainText tells whether lines end in LF and nowhere else, and YAML accepts
// every character as it is. CR, NEL, U+2028 and U+2029 are line ends in YAML
// 1.1; text with one of them is for the library.
func isPlainText(text string) bool {
	for i := range len(text) {
		c := text[i]
		if c < ' ' && c != '\n' && c != '\t' || c >= 0x7f && isSpecial(text[i:]) {
			return false
		}
	}
	return true
}

// isSpecial tells whether UTF-8 text begins with DEL, a C1 control, U+2028,
// U+2029, U+FEFF, U+FFFE or U+FFFF.
func isSpecial(text string) bool {
	switch text[0] {
	case 0x7f:
		return true
	case 0xc2:
		return text[1] < 0xa0
	case 0xe2:
		return text[1] == 0x80 && (text[2] == 0xa8 || text[2] == 0xa9)
	case 0xef:
		return text[1] == 0xbb && text[2] == 0xbf || text[1] == 0xbf && text[2] >= 0xbe
	}
	return false
}

// lines iterates over the lines of a text, each with its offset and without its
// LF. The text ends in LF.
func lines(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for at := 0; at < len(text); {
			end := at + strings.IndexByte(text[at:], '\n')
			if !yield(at, text[at:end]) {
				return
			}
			at = end + 1
		}
	}
}

// indentation splits a line into the number of its leading spaces and the rest.
func indentation(line string) (column int, content string) {
	content = strings.TrimLeft(line, " ")
	return len(line) - len(content), content
}

// comments remembers where a run of comments began: comments go with what
// follows them.
type comments struct {
	at     int
	inside bool
}

func (c *comments) add(at int) {
	if !c.inside {
		c.at, c.inside = at, true
	}
}

// begin is where the entry that starts at an offset begins with its comments.
func (c *comments) begin(at int) int {
	if c.inside {
		return c.at
	}
	return at
}

// splitSections cuts the text before every top-level key and the comments in
// front of it that stand in the first column. Any other line goes on with what
// is before it, but for the borders of documents.
func splitSections(text string) ([]section, bool) {
	type mark struct {
		key         string
		begin, text int
	}
	var marks []mark
	above := comments{inside: true}
	for at, line := range lines(text) {
		switch {
		case line == "", line == "---" && at == 0:
		case line[0] == '#':
			above.add(at)
		case isBorder(line):
			return nil, false
		default:
			if key, _, ok := cutKey(line); ok {
				twice := slices.ContainsFunc(marks, func(m mark) bool { return m.key == key })
				if twice || len(marks) == maxSections {
					return nil, false
				}
				marks = append(marks, mark{key, above.begin(at), at})
			}
			above.inside = false
		}
	}
	if len(marks) == 0 || marks[0].begin != 0 {
		return nil, false
	}
	marks = append(marks, mark{"", above.begin(len(text)), len(text)})
	sections := make([]section, len(marks))
	for i, m := range marks {
		sections[i] = section{key: m.key, lead: text[m.begin:m.text]}
		if i > 0 {
			sections[i-1].text = text[marks[i-1].text:m.begin]
		}
	}
	return sections, true
}

// isBorder tells whether a line begins or ends a document.
func isBorder(line string) bool {
	return strings.HasPrefix(line, "---") || strings.HasPrefix(line, "...")
}

// readSection reads one section. The header's fields and keys that we do not
// know are few and short, so the library reads them.
func (l *List) readSection(s *section, h *header) bool {
	switch s.key {
	case "":
		return true
	case "items":
		return l.readItems(s)
	case "functionConfig":
		return l.readConfig(s.text)
	}
	value, err := decodeEntry(s.text)
	if err != nil {
		return false
	}
	h.set(s.key, value)
	return s.key != "results" || l.setResults(value) == nil
}

func (l *List) readConfig(text string) bool {
	item := &Item{text: text}
	if isPlainText(text) && scanItem(item, frame{}) {
		l.Config = item
		return true
	}
	value, err := decodeEntry(text)
	return err == nil && l.setConfig(text, value) == nil
}

// readItems reads the `items` section and leaves of its text what is not an
// item: the comments behind the key and behind the last item.
func (l *List) readItems(s *section) bool {
	first, body, _ := strings.Cut(s.text, "\n")
	behind, found := strings.CutPrefix(first, "items:")
	behindList, empty := strings.CutPrefix(strings.TrimLeft(behind, " "), "[]")
	switch {
	case !found:
		return false
	case empty:
		l.behindItems, s.text = behindList, ""
		return isNothing(behindList) && strings.Trim(body, " \n") == ""
	}
	indent, texts, rest, ok := splitItems(body)
	if !ok || !isNothing(behind) || !isPlainText(rest) {
		return false
	}
	l.indent, l.behindItems = indent, behind
	s.text = rest
	l.Items = make([]*Item, len(texts))
	for i, text := range texts {
		if l.Items[i], ok = readItem(text, l.indent); !ok {
			return false
		}
	}
	return true
}

// isNothing tells whether what is behind a value on its line is nothing, or a
// comment.
func isNothing(rest string) bool {
	return isPlainText(rest) && (strings.Trim(rest, " ") == "" || isComment(rest))
}

// splitItems cuts the text of a block list before every entry and the comments
// in front of it that stand no deeper than the dashes. Any other line goes on
// with the entry before it. The rest is what comes after the last entry.
func splitItems(body string) (indent int, items []string, rest string, ok bool) {
	var begins []int
	indent = -1
	above := comments{inside: true}
	for at, line := range lines(body) {
		column, content := indentation(line)
		switch {
		case content == "":
		case content[0] == '#' && (column <= indent || indent < 0):
			above.add(at)
		case isDash(content) && (column == indent || indent < 0):
			begins = append(begins, above.begin(at))
			indent, above.inside = column, false
		case indent < 0:
			return 0, nil, "", false
		default:
			above.inside = false
		}
	}
	if len(begins) == 0 {
		return 0, nil, strings.TrimLeft(body, " \n"), true
	}
	end := above.begin(len(body))
	items = make([]string, len(begins))
	for i, next := range append(begins[1:], end) {
		items[i] = body[begins[i]:next]
	}
	return indent, items, body[end:], true
}

// isDash tells whether a line, its indentation cut off, is a list entry.
func isDash(content string) bool {
	return content[0] == '-' && (len(content) == 1 || content[1] == ' ')
}

// readItem reads an item whose text is one entry of a list: by the scanner, or
// by the library where the scanner gives up.
func readItem(text string, indent int) (*Item, bool) {
	item := &Item{text: text}
	if isPlainText(text) && scanItem(item, frame{indent: indent, list: true}) {
		return item, true
	}
	value, err := decodeEntry(text)
	if err != nil || value.Kind != yaml.MappingNode {
		return nil, false
	}
	return newItem(text, value), true
}
