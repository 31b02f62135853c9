package flux

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxcd/pkg/sourceignore"
	"github.com/fluxcd/pkg/tar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// contents are all files below dir, directories included, as Flux's source-controller
// would leave them; executable ones are marked.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir, name)
		require.NoError(t, err)
		switch info, err := entry.Info(); {
		case err != nil:
			return err
		case entry.IsDir():
			found[relative+"/"] = ""
		case info.Mode().IsRegular():
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			if info.Mode()&0o111 != 0 {
				relative += " (executable)"
			}
			found[relative] = string(data)
		}
		return nil
	}))
	return found
}

// Flux and tar unpack what `publish --out` writes, to the same files; digest and
// size in the object are those of the file.
func TestArchivesUnpack(t *testing.T) {
	archives, checked := 0, 0
	for _, e := range examples(t) {
		t.Run(e.name, func(t *testing.T) {
			stream, stderr, status := e.run(t)
			require.Zero(t, status, stderr)
			public := t.TempDir()
			written, stderr, status := e.run(t, "publish", "--out", public)
			require.Zero(t, status, stderr)
			objects := map[string]map[string]any{}
			for _, part := range ofEachCluster(t, stream) { // artifacts are for one of them
				maps.Copy(objects, ours(t, part))
			}
			wanted := 0
			for id, o := range objects {
				if o["kind"] != "ExternalArtifact" {
					continue
				}
				wanted++
				a := artifactOf(t, o)
				require.Contains(t, written, a.path+"\n", id)
				a.check(t, filepath.Join(public, a.path))
				archives++
				if want, known := copied(t, e, a); known {
					assert.Equal(t, want, unpack(t, filepath.Join(public, a.path)), id)
					checked++
				}
			}
			assert.Len(t, strings.Fields(written), wanted)
		})
	}
	assert.Greater(t, archives, 40)
	assert.Greater(t, checked, 20)
}

// artifact is what an ExternalArtifact says about itself.
type artifact struct {
	namespace, name, digest, owner, origin, path string
	// status is status.artifact, nil when nobody serves the archives.
	status map[string]any
}

func artifactOf(t *testing.T, o map[string]any) artifact {
	t.Helper()
	metadata := o["metadata"].(map[string]any)
	annotation := func(name string) string {
		return metadata["annotations"].(map[string]any)["provision-tenants.fn.kpt.dev/"+name].(string)
	}
	a := artifact{
		namespace: metadata["namespace"].(string), name: metadata["name"].(string),
		digest: annotation("digest"), owner: annotation("owner"), origin: annotation("origin"),
	}
	a.path = path.Join("externalartifact", a.namespace, a.name, strings.TrimPrefix(a.digest, "sha256:")[:12]+".tar.gz")
	status, _ := o["status"].(map[string]any)
	a.status, _ = status["artifact"].(map[string]any)
	return a
}

// check compares the file with what the object says about it, and Flux with tar.
func (a artifact) check(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, a.digest, fmt.Sprintf("sha256:%x", sha256.Sum256(data)))
	if a.status != nil {
		assert.Equal(t, []any{a.path, a.digest, len(data)}, []any{a.status["path"], a.status["digest"], a.status["size"]})
	}
	byTar := t.TempDir()
	out, err := exec.Command("tar", "-xzf", file, "-C", byTar).CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Equal(t, contents(t, byTar), unpack(t, file))
}

// unpack is what source-watcher's consumers do with an archive.
func unpack(t *testing.T, file string) map[string]string {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	dir := t.TempDir()
	require.NoError(t, tar.Untar(f, dir, tar.WithMaxUntarSize(tar.UnlimitedUntarSize)))
	return contents(t, dir)
}

// copied is what an artifact must hold, where that can be told without the
// function: its only operation copies all of a directory below the one that
// matched.
func copied(t *testing.T, e example, a artifact) (map[string]string, bool) {
	t.Helper()
	root, generators := configuration(t, e)
	for _, g := range generators {
		if root == "" || "ArtifactGenerator/"+or(g.Metadata.Namespace, "default")+"/"+g.Metadata.Name != a.owner || len(g.Spec.Artifacts) != 1 {
			continue
		}
		copies := g.Spec.Artifacts[0].Copy
		if len(copies) != 1 || len(copies[0]) != 2 || copies[0]["to"] != "@artifact/" {
			continue
		}
		rest, below := strings.CutPrefix(copies[0]["from"].(string), g.Spec.PathPattern+"/")
		rest, all := strings.CutSuffix("/"+rest, "/**")
		if below && all && !strings.ContainsAny(rest, "*?[{") {
			return withoutIgnored(contents(t, filepath.Join(e.dir, root, a.origin, rest))), true
		}
	}
	return nil, false
}

// withoutIgnored leaves out what Flux does, by Flux's own list.
func withoutIgnored(files map[string]string) map[string]string {
	matcher := sourceignore.NewDefaultMatcher(nil, nil)
	maps.DeleteFunc(files, func(name, _ string) bool {
		file, _, _ := strings.Cut(name, " (executable)")
		return matcher.Match(strings.Split(strings.TrimSuffix(file, "/"), "/"), strings.HasSuffix(file, "/"))
	})
	return files
}

// generator is as much of an ArtifactGenerator as is needed.
type generator struct {
	APIVersion, Kind string
	Metadata         struct{ Name, Namespace string }
	Spec             struct {
		PathPattern string `yaml:"pathPattern"`
		Artifacts   []struct{ Copy []map[string]any }
	}
}

// configuration is the directory of the only source, "" when it is something else,
// and the generators that are not in files.
func configuration(t *testing.T, e example) (root string, generators []generator) {
	t.Helper()
	var config struct {
		Kind string
		Spec struct {
			Sources    []struct{ Directory string }
			Generators []generator
		}
	}
	text := string(e.stdin)
	if len(e.args) > 0 {
		data, err := os.ReadFile(filepath.Join(e.dir, e.args[0]))
		require.NoError(t, err)
		text = string(wrap(data))
	}
	var list struct {
		Items          []generator
		FunctionConfig yaml.Node `yaml:"functionConfig"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(text), &list))
	if list.FunctionConfig.IsZero() {
		return ".", list.Items
	}
	require.NoError(t, list.FunctionConfig.Decode(&config))
	if config.Kind == "ConfigMap" || strings.Contains(text, "provision-tenants.fn.kpt.dev/directory") {
		return "", nil
	}
	generators = append(list.Items, config.Spec.Generators...)
	switch {
	case config.Kind == "ArtifactGenerator":
		var g generator
		require.NoError(t, list.FunctionConfig.Decode(&g))
		return ".", append(generators, g)
	case len(config.Spec.Sources) == 0:
		return ".", generators
	case len(config.Spec.Sources) == 1:
		return config.Spec.Sources[0].Directory, generators
	}
	return "", generators
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
