package resourceset

import (
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// Selector selects by labels (Kubernetes, LabelSelector). Without requirements it
// selects everything.
type Selector struct {
	Labels       map[string]krm.Str
	Requirements []Requirement
}

// Requirement is an entry of matchExpressions.
type Requirement struct {
	Key      string
	Operator string
	Values   []string
}

// The operators of a Requirement.
const (
	In           = "In"
	NotIn        = "NotIn"
	Exists       = "Exists"
	DoesNotExist = "DoesNotExist"
)

// Matches tells whether labels satisfy all of the selector.
func (s *Selector) Matches(labels map[string]string) bool {
	for key, want := range s.Labels {
		if have, there := labels[key]; !there || have != want.Text {
			return false
		}
	}
	return !slices.ContainsFunc(s.Requirements, func(r Requirement) bool { return !r.matches(labels) })
}

func (r Requirement) matches(labels map[string]string) bool {
	have, there := labels[r.Key]
	switch r.Operator {
	case In:
		return there && slices.Contains(r.Values, have)
	case NotIn:
		return !there || !slices.Contains(r.Values, have)
	case Exists:
		return there
	}
	return !there
}
