package krm

// List is a ResourceList. Items that are not ours are kept as the text that
// came in.
type List struct {
	// Items in input order.
	Items []*Item
	// Config is the functionConfig, nil when there is none.
	Config *Item
}

// Item is one object of a List: its text, and the few fields that everyone
// asks for.
type Item struct {
	APIVersion, Kind, Name, Namespace, UID string
	// Annotations holds the string-valued annotations, the host's included.
	Annotations map[string]string
}

// Read parses a ResourceList. The error says why the text is none (exit 2).
func Read(data []byte) (*List, error) { return nil, nil }

// Identity returns the object's identity.
func (i *Item) Identity() Identity {
	return Identity{GroupOf(i.APIVersion), i.Kind, i.Namespace, i.Name}
}

// Path is the item's path annotation, slash-separated, "" when there is none.
func (i *Item) Path() string { return "" }

// Index is the item's index annotation, 0 when there is none.
func (i *Item) Index() int { return 0 }

// PackagePath is the absolute package path that `kpt fn render` sets, or "".
func (i *Item) PackagePath() string { return "" }

// Pos is the item's place: file and index where the host gave them, and the
// object.
func (i *Item) Pos() Pos { return Pos{} }

// Node parses the whole item; positions have field paths and no lines.
func (i *Item) Node(rep *Report) (*Node, bool) { return nil, false }

// HostAnnotations are the annotations by which the host recognises the item
// (path, index, id, `internal.config.kubernetes.io/*`), the package path left
// out: an object that we regenerate keeps them.
func (i *Item) HostAnnotations() map[string]string { return nil }

// WithLocalConfig returns the item with `config.kubernetes.io/local-config:
// "true"` added to its text, which changes nowhere else.
func (i *Item) WithLocalConfig() *Item { return i }

// Render writes the list with these items and objects, in this order, and
// these findings in the place of our earlier ones.
func (l *List) Render(items []*Item, objects []*Object, findings []Finding) []byte { return nil }
