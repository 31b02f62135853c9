package krm

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// File is a file of a package whose text a list has: as items, each a document of
// it, or in the data of one item.
type File struct {
	documents []*Item
	json      bool
	text      []byte
}

// NewFile is the file of a name whose documents are these items, in this order.
func NewFile(name string, documents []*Item) File {
	return File{documents: documents, json: path.Ext(name) == ".json" && len(documents) == 1}
}

// Rewritten tells whether a host has written the text anew: then its lines are not
// those of its author.
func (f File) Rewritten() bool { return f.documents != nil }

// Read returns the bytes of the file. Those of documents are what kpt writes when
// it puts the items back: a file that has that form already gives itself. The
// annotations by which hosts keep track of items are no part of it; those that
// authors write for hosts, such as local-config, are.
func (f File) Read() (text []byte, err error) {
	if !f.Rewritten() {
		return f.text, nil
	}
	defer func() { // the library has panicked on odd input before
		if p := recover(); p != nil {
			text, err = nil, fmt.Errorf("cannot be written as YAML: %v", p)
		}
	}()
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	for _, item := range f.documents {
		document, err := item.document()
		switch {
		case err != nil:
			return nil, err
		case f.json:
			return encodeJSON(document)
		case item.Annotations[seqIndentAnnotation] == "wide":
			encoder.DefaultSeqIndent()
		default:
			encoder.CompactSeqIndent()
		}
		if err := encoder.Encode(document); err != nil {
			return nil, err
		}
	}
	err = encoder.Close()
	return b.Bytes(), err
}

// Least is a number of bytes that the file has at least, as far as hosts write
// only what is needed: to know whether it can be read into little memory.
func (f File) Least() int64 {
	const most = 4 << 10 // of annotations on a document
	size := len(f.text)
	for _, item := range f.documents {
		size += max(0, len(item.text)-most) / 2 // a line of one character has two more for the list
	}
	return int64(size)
}

// encodeJSON writes JSON as kpt does: indented, keys sorted. An alias becomes a
// copy of what it stands for, within bounds.
func encodeJSON(document *yaml.Node) ([]byte, error) {
	expanded, err := copyNode(document)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetIndent("", "  ")
	err = encoder.Encode(yaml.NewRNode(expanded))
	return b.Bytes(), err
}

// document is the item as it was before its host annotated it. Maps that are
// empty without the annotations are not there: the host has made them, or kpt
// would leave them out.
func (i *Item) document() (*yaml.Node, error) {
	document, err := decodeEntry(i.text)
	if err != nil {
		return nil, err
	}
	metadata := lookup(document, "metadata")
	annotations := lookup(metadata, "annotations")
	removePairs(annotations, func(key string, _ *yaml.Node) bool { return isHostAnnotation(key) || key == packagePathAnnotation })
	removePairs(metadata, func(_ string, value *yaml.Node) bool { return value == annotations && len(value.Content) == 0 })
	removePairs(document, func(_ string, value *yaml.Node) bool { return value == metadata && len(value.Content) == 0 })
	if wrapped := lookup(document, yaml.BareSeqNodeWrappingKey); len(document.Content) == 2 && wrapped != nil {
		return wrapped, nil // a list is no item, so hosts wrap it
	}
	return document, nil
}

// removePairs removes entries of a map, and with them their comments.
func removePairs(node *yaml.Node, unwanted func(key string, value *yaml.Node) bool) {
	if node == nil || node.Kind != yaml.MappingNode {
		return
	}
	var kept []*yaml.Node
	for pair := range slices.Chunk(node.Content, 2) {
		if !unwanted(pair[0].Value, resolve(pair[1])) {
			kept = append(kept, pair...)
		}
	}
	node.Content = kept
}

// HeldFile is the file in a local-config ConfigMap with one entry: its text, or
// its bytes. The error says what the item has instead.
func (i *Item) HeldFile() (File, error) {
	local, there := i.Annotations[LocalConfigKey]
	switch {
	case i.Kind != "ConfigMap" || i.APIVersion != "v1":
		return File{}, errors.New("it must be a `v1` ConfigMap")
	case !there || local == "false":
		return File{}, fmt.Errorf("it must have the annotation `%s`, or it would be applied", LocalConfigKey)
	}
	item, err := decodeEntry(i.text)
	if err != nil {
		return File{}, fmt.Errorf("it is not valid YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	data, binary := lookup(item, "data"), lookup(item, "binaryData")
	if n := lengthOf(data) + lengthOf(binary); n != 1 {
		return File{}, fmt.Errorf("it must have one entry in `data` or `binaryData`, it has %d", n)
	}
	for _, text := range entries(data) {
		return textFile(text)
	}
	for _, text := range entries(binary) {
		return binaryFile(text)
	}
	return File{}, errors.New("its data must be a map")
}

func lengthOf(node *yaml.Node) int {
	if node == nil {
		return 0
	}
	return len(node.Content) / 2
}

func textFile(value *yaml.Node) (File, error) {
	if value.Kind != yaml.ScalarNode || value.ShortTag() != yaml.NodeTagString {
		return File{}, errors.New("its data must be a string")
	}
	return File{text: []byte(value.Value)}, nil
}

func binaryFile(value *yaml.Node) (File, error) {
	text, err := base64.StdEncoding.DecodeString(value.Value) // which skips line ends
	if err != nil {
		return File{}, errors.New("its `binaryData` must be base64")
	}
	return File{text: text}, nil
}
