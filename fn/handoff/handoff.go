// Package handoff says who deletes an object, and tells appliers in their own
// words what they may do with it. The keys are those that the appliers document;
// what they mean is decided here.
package handoff

import (
	"maps"
	"slices"
	"strings"
)

// Appliers are those that a run serves.
type Appliers []Dialect

// Default are the appliers that a run serves unless told otherwise. kubectl is
// not among them: its prunes honour no metadata.
func Default() Appliers {
	return slices.DeleteFunc(dialects(), func(d Dialect) bool { return d.Name == kubectl })
}

// Named are the appliers of these names, in the order of Names.
func Named(names []string) Appliers {
	return slices.DeleteFunc(dialects(), func(d Dialect) bool { return !slices.Contains(names, d.Name) })
}

// Names are the appliers that there are.
func Names() []string {
	var names []string
	for _, d := range dialects() {
		names = append(names, d.Name)
	}
	return names
}

// String lists the names.
func (as Appliers) String() string {
	var names []string
	for _, d := range as {
		names = append(names, d.Name)
	}
	return strings.Join(names, ", ")
}

// Has tells whether an applier is among them.
func (as Appliers) Has(name string) bool {
	return slices.ContainsFunc(as, func(d Dialect) bool { return d.Name == name })
}

// Prunes tells whether an applier among them deletes whatever leaves its input,
// because nothing on an object can say otherwise.
func (as Appliers) Prunes() bool { return as.Has(kubectl) }

// Except leaves out the applier whose objects are of an API group: who deletes a
// namespace in the appliers' place must not be told to keep it.
func (as Appliers) Except(group string) Appliers {
	return slices.DeleteFunc(slices.Clone(as), func(d Dialect) bool { return d.Group == group })
}

// Tell returns annotations with what the appliers have to be told. A key that is
// there already has been set for one applier and counts for it, but not against
// keeping. What else was asked of Argo CD stays in the list of its options.
func (as Appliers) Tell(annotations map[string]string, asks ...Ask) map[string]string {
	told := maps.Clone(annotations)
	if told == nil {
		told = map[string]string{}
	}
	for _, d := range as {
		for _, ask := range asks {
			for key, value := range d.Answers[ask].Keys {
				_, there := told[key]
				switch {
				case key == syncOptions:
					told[key] = mergeOptions(told[key], value)
				case !there || ask == Keep:
					told[key] = value
				}
			}
		}
	}
	return told
}

// Keep tells every applier to keep an object that leaves its input.
func (as Appliers) Keep(annotations map[string]string) map[string]string {
	return as.Tell(annotations, Keep)
}

// Keeping are the appliers that keep an object with these annotations when it
// leaves their input. They read them from the live object.
func (as Appliers) Keeping(annotations map[string]string) Appliers {
	return slices.DeleteFunc(slices.Clone(as), func(d Dialect) bool { return !d.keeps(annotations) })
}

// Keeps tells whether all appliers that can be told to keep an object are told
// so.
func (as Appliers) Keeps(annotations map[string]string) bool {
	return !slices.ContainsFunc(as, func(d Dialect) bool { return d.Name != kubectl && !d.keeps(annotations) })
}

// Unread are the keys, among annotations, that make an applier leave a live object
// as it is. What else the annotations say then never reaches it.
func (as Appliers) Unread(annotations map[string]string) []string {
	var keys []string
	for _, d := range as {
		for _, ask := range []Ask{CreateOnly, Ignore, Pause} {
			for key, value := range d.Answers[ask].Keys {
				if strings.EqualFold(annotations[key], value) {
					keys = append(keys, key)
				}
			}
		}
	}
	return keys
}

// NoSubstitution returns annotations under which Flux leaves the object's text
// alone: what a tenant wrote is data, `${…}` included. The value is compared
// case-sensitively, so it is set last and always.
func (as Appliers) NoSubstitution(annotations map[string]string) map[string]string {
	data := maps.Clone(annotations)
	if as.Has(flux) {
		data[substitute] = "disabled"
	}
	return data
}

// keeps tells whether annotations make the applier keep an object.
func (d Dialect) keeps(annotations map[string]string) bool {
	keys := d.Answers[Keep].Keys
	for key, value := range keys {
		have := strings.Split(annotations[key], ",")
		for option := range strings.SplitSeq(value, ",") {
			if !slices.ContainsFunc(have, func(h string) bool { return d.equal(strings.TrimSpace(h), option) }) {
				return false
			}
		}
	}
	return len(keys) > 0
}

func (d Dialect) equal(a, b string) bool {
	return a == b || d.FoldCase && strings.EqualFold(a, b)
}

// mergeOptions appends options to a comma-separated list, in the place of those
// that say something else about the same subject.
func mergeOptions(have, want string) string {
	wanted := strings.Split(want, ",")
	var options []string
	for option := range strings.SplitSeq(have, ",") {
		subject, _, _ := strings.Cut(option, "=")
		same := func(w string) bool { return strings.HasPrefix(w, strings.TrimSpace(subject)+"=") }
		if option != "" && !slices.ContainsFunc(wanted, same) {
			options = append(options, option)
		}
	}
	return strings.Join(append(options, wanted...), ",")
}
