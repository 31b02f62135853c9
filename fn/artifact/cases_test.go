package artifact

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// opFields is a copy operation in YAML and JSON.
type opFields struct {
	From, To, Strategy string
	Exclude            []string
	Optional           bool
}

func (o opFields) fields() Fields {
	pos := krm.Pos{File: "generator.yaml", Field: "copy[0]"}
	f := Fields{
		From: krm.Str{Text: o.From, Pos: pos.At("from")}, To: krm.Str{Text: o.To, Pos: pos.At("to")},
		Strategy: krm.Str{Text: o.Strategy, Pos: pos.At("strategy")}, Optional: o.Optional, Pos: pos,
	}
	for i, exclude := range o.Exclude {
		f.Exclude = append(f.Exclude, krm.Str{Text: exclude, Pos: pos.At("exclude").Item(i)})
	}
	return f
}

// build parses and runs operations on a tree that has the alias repo.
func buildOps(tree *source.Tree, values map[string]string, ops ...opFields) (*Artifact, *krm.Report) {
	rep := &krm.Report{}
	var parsed []Operation
	for _, o := range ops {
		op, ok := ParseOperation(o.fields(), rep)
		if !ok {
			return nil, rep
		}
		parsed = append(parsed, op)
	}
	a, ok := Build("tenant-a/web", parsed, values, map[string]*source.Tree{"repo": tree}, rep)
	if !ok {
		return nil, rep
	}
	return a, rep
}

func memory(files map[string]string) *source.Tree {
	contents := map[string]source.Content{}
	for path, text := range files {
		contents[path] = source.Content{Data: []byte(text)}
	}
	return source.Memory(".", contents)
}

// held are the files of an artifact; a directory without files has a trailing
// slash.
func held(t testing.TB, a *Artifact) map[string]string {
	t.Helper()
	files := map[string]string{}
	tree := treeOf(a)
	var walk func(dir string) int
	walk = func(dir string) int {
		entries, err := tree.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			path := strings.TrimPrefix(dir+"/"+e.Name, "/")
			if e.Type == source.Directory {
				if walk(path) == 0 {
					files[path+"/"] = ""
				}
				continue
			}
			content, err := tree.ReadFile(path, 1<<30)
			require.NoError(t, err)
			files[path] = string(content.Data)
		}
		return len(entries)
	}
	walk("")
	return files
}

func codes(rep *krm.Report) []string {
	var found []string
	for _, f := range rep.Findings() {
		found = append(found, f.Severity.String()+" "+f.Code)
	}
	return found
}

// copyCases are copy operations as Flux performs them.
type copyCases struct {
	Cases []struct {
		Err   bool
		Files map[string]string
		Ops   []opFields
		Tree  map[string]string
	}
}

func readCopyCases(t testing.TB) copyCases {
	t.Helper()
	data, err := os.ReadFile("../../testdata/copy-cases.json")
	require.NoError(t, err)
	var all copyCases
	require.NoError(t, json.Unmarshal(data, &all))
	require.Len(t, all.Cases, 120)
	return all
}

func TestCopyCases(t *testing.T) {
	for i, c := range readCopyCases(t).Cases {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			a, rep := buildOps(memory(c.Tree), nil, c.Ops...)
			if c.Err {
				require.Nil(t, a)
				require.Equal(t, krm.Error, rep.Worst())
				return
			}
			require.NotNil(t, a, "%v", rep.Findings())
			got := map[string]string{}
			for path, text := range held(t, a) {
				if !strings.HasSuffix(path, "/") {
					sum := sha256.Sum256([]byte(text))
					got[path] = hex.EncodeToString(sum[:])
				}
			}
			want := c.Files
			if want == nil {
				want = map[string]string{}
			}
			assert.Equal(t, want, got)
		})
	}
}

// treeOf is what the stage of an artifact holds.
func treeOf(a *Artifact) *source.Tree {
	files := make(map[string]source.Content, len(a.paths))
	for _, path := range a.paths {
		f := a.stage.files[path]
		if f.directory {
			path += "/"
		}
		files[path] = source.Content{Data: f.data, Executable: f.executable}
	}
	return source.Memory("artifact "+a.what, files)
}
