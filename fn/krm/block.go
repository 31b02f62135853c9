package krm

import "strings"

// maxNesting is how deep the scanner follows; deeper items go to the library.
const maxNesting = 64

// frame is a map or a list that is open where the scanner stands.
type frame struct {
	// indent is the column of its keys or dashes.
	indent int
	list   bool
	// key is the key read last, "" in a list.
	key string
	// waiting is set after a key or a dash with nothing behind it: the value
	// may follow on deeper lines.
	waiting bool
}

// scanner reads one entry of a list in plain block style, line by line. It
// accepts a part of YAML in which every line says by itself what it is: keys
// and scalars that end on their line, block scalars, comments. It accepts
// nothing that the library refuses, and reads nothing in another way; all else
// makes it give up.
type scanner struct {
	text string
	// at is the offset of the next line.
	at    int
	item  *Item
	stack []frame
	// seen has a bit for every itemField that was there.
	seen uint
	// isMap tells whether the item turned out to be a map.
	isMap bool
}

// itemField is a place in an item that the scanner knows.
type itemField int

const (
	otherField itemField = iota
	apiVersionField
	kindField
	metadataField
	nameField
	namespaceField
	uidField
	annotationsField
	// annotationField is any entry of the annotations.
	annotationField
)

// scanItem reads the fields of an item from its text. root is the list or the
// map that the text is an entry of. With false the item has no field set.
func scanItem(item *Item, root frame) bool {
	s := scanner{text: item.text, item: item, stack: append(make([]frame, 0, 8), root)}
	if s.scan() {
		return true
	}
	*item = Item{text: item.text}
	return false
}

func (s *scanner) scan() bool {
	for s.at < len(s.text) {
		column, content := indentation(s.line())
		content = strings.TrimRight(content, " ")
		if content == "" || content[0] == '#' {
			continue
		}
		if !s.structure(column, content) {
			return false
		}
	}
	return s.isMap
}

// line returns the next line without its LF.
func (s *scanner) line() string {
	line, _, _ := strings.Cut(s.text[s.at:], "\n")
	s.at += len(line) + 1
	return line
}

func (s *scanner) top() *frame { return &s.stack[len(s.stack)-1] }

func (s *scanner) push(column int, list bool) bool {
	if len(s.stack) == maxNesting {
		return false
	}
	if len(s.stack) == 1 {
		s.isMap = !list
	}
	s.stack = append(s.stack, frame{indent: column, list: list})
	return true
}

// structure reads a line that is an entry of a list or a map.
func (s *scanner) structure(column int, content string) bool {
	switch dash := isDash(content); {
	case strings.Contains(content, "\t"), !s.enter(column, dash):
		return false
	case dash:
		return s.entry(column, content)
	}
	return s.pair(content)
}

// enter finds the map or list that an entry in this column belongs to: it ends
// deeper ones, or begins the value that the last key or dash waits for.
func (s *scanner) enter(column int, dash bool) bool {
	for ; len(s.stack) > 0; s.stack = s.stack[:len(s.stack)-1] {
		top := s.top()
		// A list may stand in the column of the key that it is the value of.
		below := column > top.indent || column == top.indent && dash && !top.list
		switch {
		case below && !top.waiting:
			return false
		case below:
			top.waiting = false
			return s.push(column, dash)
		case column == top.indent && dash == top.list:
			return true
		}
	}
	return false
}

// entry reads `- …`.
func (s *scanner) entry(column int, content string) bool {
	s.top().waiting = false
	if len(content) == 1 || content[2] == ' ' {
		return false
	}
	rest := content[2:]
	switch {
	case rest[0] == '#':
		s.top().waiting = true
		return true
	case isDash(rest):
		return s.push(column+2, true) && s.entry(column+2, rest)
	}
	if _, _, ok := cutKey(rest); ok {
		return s.push(column+2, false) && s.pair(rest)
	}
	return s.value(rest)
}

// pair reads `key: …`.
func (s *scanner) pair(content string) bool {
	key, value, ok := cutKey(content)
	if !ok {
		return false
	}
	s.top().key, s.top().waiting = key, false
	switch {
	case !s.first():
		return false
	case value == "", value[0] == '#':
		return s.open()
	}
	return s.value(value)
}

// field is the place of the entry that was read last.
func (s *scanner) field() itemField {
	top := s.top()
	switch {
	case top.list, len(s.stack) == 1:
	case len(s.stack) == 2:
		switch top.key {
		case "apiVersion":
			return apiVersionField
		case "kind":
			return kindField
		case "metadata":
			return metadataField
		}
	case s.stack[1].key != "metadata":
	case len(s.stack) == 3:
		switch top.key {
		case "name":
			return nameField
		case "namespace":
			return namespaceField
		case "uid":
			return uidField
		case "annotations":
			return annotationsField
		}
	case len(s.stack) == 4 && s.stack[2].key == "annotations":
		return annotationField
	}
	return otherField
}

// first tells whether the entry's field is there for the first time.
func (s *scanner) first() bool {
	field := s.field()
	if field == otherField {
		return true
	}
	if field == annotationField {
		_, twice := s.item.Annotations[s.top().key]
		return !twice
	}
	twice := s.seen&(1<<field) != 0
	s.seen |= 1 << field
	return !twice
}

// open reads a key with nothing behind it.
func (s *scanner) open() bool {
	s.top().waiting = true
	return s.field() != annotationField
}

// value reads what stands behind a key or a dash. The item itself is a map, so
// a list entry or a functionConfig that is a scalar is not for us.
func (s *scanner) value(text string) bool {
	if len(s.stack) == 1 {
		return false
	}
	if text[0] == '|' || text[0] == '>' {
		return s.blockScalar(text)
	}
	value, rest, ok := cutToken(text)
	return ok && (rest == "" || isComment(rest)) && s.assign(value)
}

// assign notes the value of a field of the item.
func (s *scanner) assign(value token) bool {
	switch s.field() {
	case apiVersionField:
		s.item.APIVersion = value.scalar()
	case kindField:
		s.item.Kind = value.scalar()
	case nameField:
		s.item.Name = value.scalar()
	case namespaceField:
		s.item.Namespace = value.scalar()
	case uidField:
		s.item.UID = value.scalar()
	case metadataField, annotationsField:
		return value.style != flowToken || value.text == "{}"
	case annotationField:
		return s.annotate(value)
	case otherField:
	}
	return true
}

func (s *scanner) annotate(value token) bool {
	if value.style == flowToken || value.style == plainToken && !isPlainString(value.text) {
		return false
	}
	if s.item.Annotations == nil {
		s.item.Annotations = make(map[string]string, 8)
	}
	s.item.Annotations[s.top().key] = value.text
	return true
}

// blockScalar reads `|` or `>` and the lines of the text. Its indentation is
// that of its first line; YAML has rules of its own for blank lines with
// spaces before it and for an explicit indentation, which we leave to it.
func (s *scanner) blockScalar(header string) bool {
	chomp, rest := cutChomp(header[1:])
	begin, indent := s.at, 0
	for s.at < len(s.text) {
		at := s.at
		column, content := indentation(s.line())
		if content == "" && (column == 0 || indent > 0) {
			continue
		}
		if indent == 0 {
			if content == "" || content[0] == '\t' || column <= s.top().indent {
				return false
			}
			indent = column
		}
		if column < indent {
			s.at = at
			break
		}
	}
	switch {
	case indent == 0, rest != "" && !isComment(rest):
		return false
	case s.field() == otherField:
		return true
	case header[0] == '>':
		return false
	}
	return s.assign(token{quotedToken, literalText(s.text[begin:s.at], indent, chomp)})
}

// cutChomp cuts the sign that says what becomes of the line ends behind the
// last line of a block scalar: `-` drops them, `+` keeps them, else it is one.
func cutChomp(header string) (chomp, rest string) {
	if strings.HasPrefix(header, "-") || strings.HasPrefix(header, "+") {
		return header[:1], header[1:]
	}
	return "", header
}

// literalText is the value of a `|` scalar with these lines.
func literalText(block string, indent int, chomp string) string {
	var b strings.Builder
	for _, line := range lines(block) {
		b.WriteString(line[min(indent, len(line)):])
		b.WriteByte('\n')
	}
	switch chomp {
	case "-":
		return strings.TrimRight(b.String(), "\n")
	case "+":
		return b.String()
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
