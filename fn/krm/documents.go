package krm

import (
	"bytes"
	"slices"
	"strings"
)

// ReadObjects reads the objects of a file: a ResourceList, or any number of YAML
// documents, as hosts write them. Comments do not survive; what counts is who the
// objects are. What is wrong is reported where it is in the file.
func ReadObjects(file string, data []byte, rep *Report) ([]*Item, bool) {
	if list, err := Read(data); err == nil {
		return list.Items, true
	}
	list, err := Read(wrapDocuments(documentsIn(data)))
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

// documentsIn cuts a text into its documents, each as lines without their ends;
// comments before a document are dropped. A line that begins with `---` is never
// anything but the border of a document.
func documentsIn(data []byte) [][]string {
	var documents [][]string
	var document []string
	for line := range strings.Lines(string(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))) {
		line = strings.TrimRight(line, "\r\n")
		if rest, border := strings.CutPrefix(line, "---"); border && (rest == "" || rest[0] == ' ') {
			documents, document = append(documents, document), nil
			line = strings.TrimSpace(rest)
		}
		if comment := strings.TrimSpace(line); len(document) == 0 && (comment == "" || comment[0] == '#') {
			continue
		}
		document = append(document, line)
	}
	return slices.DeleteFunc(append(documents, document), func(d []string) bool { return len(d) == 0 })
}

// wrapDocuments makes each document an item of a list.
func wrapDocuments(documents [][]string) []byte {
	text := []byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for _, document := range documents {
		text = appendEntry(text, "- ", document)
	}
	return text
}

// appendEntry appends lines below each other, the first one behind a sign.
func appendEntry(text []byte, sign string, lines []string) []byte {
	for _, line := range lines {
		text = append(append(append(text, sign...), line...), '\n')
		sign = "  "
	}
	return text
}
