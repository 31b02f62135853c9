package krm

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNearest(t *testing.T) {
	tests := []struct {
		name  string
		known []string
		want  string
	}{
		{"exlude", []string{"copy", "exclude", "include"}, "exclude"},
		{"lables", []string{"annotations", "labels"}, "labels"},
		{"allowednames", []string{"allowedNames"}, "allowedNames"},
		{"Test", []string{"dev", "test", "uat"}, "test"},
		{"UAT", []string{"uat"}, "uat"},
		{"bxt", []string{"but", "bat"}, "bat"}, // equally near: the lexically first
		{"teir", []string{"tier"}, "tier"},     // neighbours that are swapped are one edit
		{"di", []string{"id"}, "id"},
		{"anme", []string{"kind", "mane", "name"}, "name"},
		{"namspeaec", []string{"namespace"}, ""},
		{"nmaesapce", []string{"namespace"}, "namespace"},
		{"abc", []string{"cab"}, ""}, // no neighbours
		{"dev", []string{"prod"}, ""},
		{"ns", []string{"value"}, ""},
		{"id", []string{"to"}, ""}, // two edits of two letters are no likeness
		{"production", []string{"prod", "dev"}, ""},
		{"abcdef", []string{"abczyx"}, ""},
		{"", []string{"a-long-name"}, ""},
		{"x", nil, ""},
	}
	for _, test := range tests {
		got, found := Nearest(test.name, test.known)
		assert.Equal(t, test.want, got, "%q", test.name)
		assert.Equal(t, test.want != "", found, "%q", test.name)
	}
}
