package krm

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
)

// ReadDocuments makes a list of bare YAML documents: one with the
// functionConfig, and any number of objects, none when items is empty. That is
// what kustomize gives to its legacy exec plugins. Render writes such a list as
// documents again. The error says which of the two texts is unusable.
func ReadDocuments(config, items []byte) (*List, error) {
	if _, err := Read(items); err == nil {
		return nil, errors.New("stdin is a ResourceList, which holds its own functionConfig; with a configuration file it must be bare documents")
	}
	configs := documentsIn(config)
	if len(configs) != 1 {
		return nil, fmt.Errorf("the configuration has %d YAML documents, it must be one", len(configs))
	}
	text := append(wrapDocuments(documentsIn(items)), "functionConfig:\n"...)
	text = appendEntry(text, "  ", configs[0])
	list, err := Read(text)
	switch {
	case err != nil:
		return nil, blame(config, items, err)
	case list.Config == nil || list.Config.APIVersion == "" || list.Config.Kind == "":
		return nil, errors.New("the configuration is no Kubernetes object, it must have `apiVersion` and `kind`")
	}
	list.Bare = true
	return list, nil
}

// blame says which of two texts made a list unreadable.
func blame(config, items []byte, err error) error {
	if _, bad := decodeYAML(config); bad != nil {
		return fmt.Errorf("the configuration is not YAML: %s", shown(strings.TrimPrefix(bad.Error(), "yaml: ")))
	}
	if _, bad := decodeYAML(items); bad != nil {
		return fmt.Errorf("stdin is not YAML: %s", shown(strings.TrimPrefix(bad.Error(), "yaml: ")))
	}
	return err
}

// renderDocuments writes items and objects as bare documents. There is no place
// for findings, and nobody who puts an object into a file.
func (l *List) renderDocuments(w io.Writer, items []*Item, objects []*Object) error {
	out := bufio.NewWriterSize(w, 1<<16)
	border := ""
	for _, item := range items {
		_, _ = out.WriteString(border)
		l.writeDocument(out, item)
		border = "---\n"
	}
	for _, object := range objects {
		_, _ = out.WriteString(border)
		_, _ = out.Write(object.withoutFile().AppendYAML(nil, 0))
		border = "---\n"
	}
	return out.Flush() // and the first error of all writes
}

// writeDocument writes an item without the dash of the list, and everything else
// as far to the left as that was deep.
func (l *List) writeDocument(out *bufio.Writer, item *Item) {
	dash := true
	for _, line := range lines(item.text) {
		column, content := indentation(line)
		line = line[min(column, l.indent+2):]
		if dash && column == l.indent && isDash(content) {
			dash, line = false, strings.TrimPrefix(content[1:], " ")
		}
		_, _ = out.WriteString(line)
		_ = out.WriteByte('\n')
	}
}

// withoutFile is the object without the annotations that name its file.
func (o *Object) withoutFile() *Object {
	bare := *o
	bare.Annotations = maps.Clone(o.Annotations)
	delete(bare.Annotations, PathKey)
	delete(bare.Annotations, IndexKey)
	return &bare
}
