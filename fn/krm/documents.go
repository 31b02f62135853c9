package krm

import (
	"bytes"
	"slices"
	"strings"
)

// ReadObjects reads the objects of a file: a ResourceList, or any number of YAML
// documents, as hosts and kubectl write them; a `v1` List is its items. Comments do not survive; what counts is who the
// objects are. What is wrong is reported where it is in the file.
func ReadObjects(file string, data []byte, rep *Report) ([]*Item, bool) {
	if list, err := Read(data); err == nil {
		return list.Items, true
	}
	texts := documentsIn(data)
	list, err := Read(wrapDocuments(texts))
	if err == nil {
		return expandLists(list.Items, texts), true
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

// expandLists puts the items of each `v1` List, which is how kubectl writes several
// objects, in its place. The texts are those that the items were made of.
func expandLists(items []*Item, texts [][]string) []*Item {
	var all []*Item
	for i, item := range items {
		if item.APIVersion == "v1" && item.Kind == "List" {
			if list, err := readExport(strings.Join(texts[i], "\n") + "\n"); err == nil {
				all = append(all, list.Items...)
				continue
			}
		}
		all = append(all, item)
	}
	return all
}

// exportHeader makes of the first lines of a `v1` List those of a ResourceList.
var exportHeader = map[string]string{"apiVersion: v1": "apiVersion: config.kubernetes.io/v1", "kind: List": "kind: ResourceList"}

// readExport reads a `v1` List: as text where it is written as kubectl does, by
// the library where it is not, as in JSON.
func readExport(text string) (*List, error) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if header, found := exportHeader[line]; found {
			lines[i] = header
		}
	}
	if list, err := Read([]byte(strings.Join(lines, "\n"))); err == nil {
		return list, nil
	}
	docs, err := decodeStrictly([]byte(text))
	if err != nil {
		return nil, err
	}
	root, err := copyNode(docs[0].Content[0])
	if err != nil {
		return nil, err
	}
	lookup(root, "apiVersion").Value, lookup(root, "kind").Value = "config.kubernetes.io/v1", "ResourceList"
	return readRoot(root)
}
