package krm

import (
	"bytes"
	"errors"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// The annotations by which hosts keep track of where an item belongs (KRM
// functions specification; the ones without `internal.` are the older spelling).
const (
	indexAnnotation       = "internal.config.kubernetes.io/index"
	packagePathAnnotation = "internal.config.kubernetes.io/package-path"
	legacyIDAnnotation    = "config.k8s.io/id"
	internalPrefix        = "internal.config.kubernetes.io/"
)

// List is a ResourceList. Items that are not ours are kept as the text that
// came in.
type List struct {
	// Items in input order.
	Items []*Item
	// Config is the functionConfig, nil when there is none.
	Config *Item
	// Bare is set for a list that came in as bare documents and goes out so.
	Bare bool

	// sections are the top-level entries in the order of the input; `items` and
	// `results` are always among them.
	sections []section
	// indent is the column of the dashes of the items, and behindItems what is
	// behind the colon of their key: nothing, or a comment.
	indent      int
	behindItems string
	// foreign are the earlier results of other functions, one list entry each;
	// replaced tells whether there were earlier ones of ours.
	foreign  []string
	replaced bool
}

// Item is one object of a List: its text, and the few fields that everyone
// asks for.
type Item struct {
	APIVersion, Kind, Name, Namespace, UID string
	// Annotations holds the string-valued annotations, the host's included.
	Annotations map[string]string

	// text is the item as block YAML, whole lines that parse on their own: a
	// list of one entry, or the `functionConfig` entry of the list. Comments
	// before the item belong to it.
	text string
}

// Read parses a ResourceList (KRM functions specification, `config.kubernetes.io`
// v1, v1beta1 or v1alpha1), in YAML or JSON. The error says why the text is none
// (exit 2). The list keeps data, which must not change any more.
//
// What hosts send, plain block style, is understood without a YAML library,
// and the text of the items is kept byte for byte. Whatever is not certainly
// understood goes to the library: one item where its borders are certain, else
// the whole list, whose items are then written anew.
func Read(data []byte) (*List, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		return nil, errors.New("the input is not UTF-8 text")
	}
	// A list can be large, so the items are parts of data and no copies.
	if list, ok := readBlock(unsafe.String(unsafe.SliceData(data), len(data))); ok {
		return list, nil
	}
	return readAny(data)
}

// Identity returns the object's identity.
func (i *Item) Identity() Identity {
	return Identity{GroupOf(i.APIVersion), i.Kind, i.Namespace, i.Name}
}

// Path is the item's path annotation, slash-separated and cleaned, "" when there
// is none. Hosts write a path below the package; the caller refuses one that is
// absolute or begins with `..`.
func (i *Item) Path() string {
	given := i.annotation(InternalPathKey, PathKey)
	if given == "" {
		return ""
	}
	return path.Clean(given)
}

// Index is the item's index annotation, 0 when there is none.
func (i *Item) Index() int {
	index, err := strconv.Atoi(i.annotation(indexAnnotation, IndexKey))
	if err != nil {
		return 0
	}
	return index
}

// annotation returns the first of these annotations that is not empty: an empty
// one of the newer spelling must not hide where the host puts the item.
func (i *Item) annotation(keys ...string) string {
	for _, key := range keys {
		if value := i.Annotations[key]; value != "" {
			return value
		}
	}
	return ""
}

// PackagePath is the absolute package path that `kpt fn render` sets, or "".
func (i *Item) PackagePath() string { return i.Annotations[packagePathAnnotation] }

// Pos is the item's place: file and index where the host gave them, and the
// object.
func (i *Item) Pos() Pos {
	return Pos{File: i.Path(), Index: i.Index(), Object: i.Identity(), APIVersion: i.APIVersion}
}

// Node parses the whole item; positions have field paths and no lines.
func (i *Item) Node(rep *Report) (*Node, bool) {
	value, err := decodeEntry(i.text)
	if err != nil {
		rep.Errorf("yaml-syntax", i.Pos(), "", "not valid YAML: %s", shown(strings.TrimPrefix(err.Error(), "yaml: ")))
		return nil, false
	}
	return nodeFromYAML(value, i.Pos(), rep)
}

// HostAnnotations are the annotations by which the host recognises the item
// (path, index, id, `internal.config.kubernetes.io/*`), the package path left
// out: an object that we regenerate keeps them.
func (i *Item) HostAnnotations() map[string]string {
	host := maps.Clone(i.Annotations)
	maps.DeleteFunc(host, func(key, _ string) bool { return !isHostAnnotation(key) })
	return host
}

// hostPrefixes are those of the annotations that hosts use among themselves.
var hostPrefixes = []string{internalPrefix, "config.kubernetes.io/", "config.k8s.io/", "kustomize.config.k8s.io/"}

// IsHostKey tells whether an annotation is between hosts and functions, and says
// nothing about the object.
func IsHostKey(key string) bool {
	return slices.ContainsFunc(hostPrefixes, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}

func isHostAnnotation(key string) bool {
	switch key {
	case PathKey, IndexKey, legacyIDAnnotation:
		return true
	case packagePathAnnotation:
		return false
	}
	return strings.HasPrefix(key, internalPrefix)
}

// Mentions tells whether a word is anywhere in the item's text.
func (i *Item) Mentions(word string) bool { return strings.Contains(i.text, word) }
