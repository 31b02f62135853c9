package krm

import (
	"bytes"
	"strings"
)

// ReadObjects reads the objects of a file: a ResourceList, or any number of YAML
// documents, as hosts write them. Comments do not survive; what counts is who the
// objects are. What is wrong is reported where it is in the file.
func ReadObjects(file string, data []byte, rep *Report) ([]*Item, bool) {
	if list, err := Read(data); err == nil {
		return list.Items, true
	}
	list, err := Read(wrapDocuments(string(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))))
	if err == nil {
		return list.Items, true
	}
	documents, ok := ParseFiles(file, data, rep)
	for _, document := range documents {
		if document.Kind != MapNode {
			rep.Errorf("yaml-syntax", document.Pos, "", "a document must be an object")
			ok = false
		}
	}
	if ok {
		rep.Errorf("yaml-syntax", Pos{File: file}, "", "not a file of objects: %v", err)
	}
	return nil, false
}

// wrapDocuments makes each document an item of a list. A line that begins with
// `---` is never anything but the border of a document.
func wrapDocuments(text string) []byte {
	var b strings.Builder
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	var document []string
	flush := func() {
		for i, line := range document {
			if i == 0 {
				b.WriteString("- " + line + "\n")
			} else {
				b.WriteString("  " + line + "\n")
			}
		}
		document = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if rest, border := strings.CutPrefix(line, "---"); border && (rest == "" || rest[0] == ' ') {
			flush()
			line = strings.TrimSpace(rest)
		}
		if comment := strings.TrimSpace(line); len(document) == 0 && (comment == "" || comment[0] == '#') {
			continue
		}
		document = append(document, line)
	}
	flush()
	return []byte(b.String())
}
