package source_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

func TestItems(t *testing.T) {
	list, err := krm.Read([]byte(`apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- a: 1
- {"b": &x [1], "c": *x}
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: held
    annotations:
      config.kubernetes.io/local-config: "true"
  data:
    x: "text\r\n"
`))
	require.NoError(t, err)
	held, err := list.Items[2].HeldFile()
	require.NoError(t, err)
	tree := source.Items(".", map[string]krm.File{
		"a/b.yaml": krm.NewFile("a/b.yaml", list.Items[:2]),
		"a/c.json": krm.NewFile("a/c.json", list.Items[1:2]),
		"held":     held,
	})
	entries, err := tree.ReadDir("a")
	require.NoError(t, err)
	assert.Equal(t, []source.Entry{{Name: "b.yaml", Type: source.File}, {Name: "c.json", Type: source.File}}, entries)

	content, err := tree.ReadFile("a/b.yaml", 100)
	require.NoError(t, err)
	assert.Equal(t, "a: 1\n---\n{\"b\": &x [1], \"c\": *x}\n", string(content.Data))
	assert.False(t, content.Executable)
	assert.Equal(t, krm.Pos{File: "a/b.yaml"}, content.Start("a/b.yaml"), "a host has written it anew, and its lines are not the author's")
	content, err = tree.ReadFile("a/c.json", 100)
	require.NoError(t, err)
	assert.Equal(t, "{\n  \"b\": [\n    1\n  ],\n  \"c\": [\n    1\n  ]\n}\n", string(content.Data))
	content, err = tree.ReadFile("held", 6)
	require.NoError(t, err)
	assert.Equal(t, "text\r\n", string(content.Data))
	assert.Equal(t, krm.Pos{File: "held", Line: 1}, content.Start("held"))

	for _, path := range []string{"held", "a/b.yaml"} {
		_, err = tree.ReadFile(path, 5)
		var large *source.TooLargeError
		require.True(t, errors.As(err, &large), path)
	}
}
