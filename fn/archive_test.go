package fn

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// A source is a tree, whether it is a directory or packed. Every golden case and
// everything else that is observed runs both ways.

// packed counts the lists that ran both ways.
var packed int

// assertSameFromArchives packs the directories of a list's sources, and compares.
// What both runs get is a ProvisionTenants, whatever the list came with.
func assertSameFromArchives(t *testing.T, stdin []byte) {
	t.Helper()
	list, sources, ok := fullForm(stdin)
	if !ok || slices.ContainsFunc(sources, func(s map[string]any) bool { return !canBePacked(list.dir(s)) }) {
		return
	}
	packed++
	want := runMain(list.withSources(t, sources))
	var archives []map[string]any
	names := []string{}
	for i, s := range sources {
		archive := fmt.Sprintf("../packed-%d.tgz", i)
		packAnyhow(t, filepath.Join(list.base, archive), list.dir(s))
		defer func() { _ = os.Remove(filepath.Join(list.base, archive)) }()
		entry := map[string]any{"archive": archive}
		for key, value := range s {
			if key != "directory" {
				entry[key] = value
			}
		}
		archives = append(archives, entry)
		switch directory := filepath.Clean(s["directory"].(string)); directory {
		case ".":
			names = append(names, archive+"/", "", `"`+archive+`"`, `"."`)
		default:
			names = append(names, archive, directory)
		}
	}
	got := runMain(list.withSources(t, archives))
	assert.Equal(t, want["status"], got["status"], got["stderr"])
	assert.Equal(t, withoutResults(want["stdout.yaml"]), withoutResults(got["stdout.yaml"]), "an archive gives what its directory gives")
	names = append(names, "].archive: ", "].directory: ")
	assert.ElementsMatch(t, findingsOf(want["stderr"]), findingsOf(strings.NewReplacer(names...).Replace(got["stderr"])))
}

// shortened is a name of which a message shows both ends: a longer one before it
// takes some of that.
var shortened = regexp.MustCompile(`[^" ]*…[^" ]*`)

func findingsOf(stderr string) []string {
	return strings.Split(shortened.ReplaceAllString(stderr, "…"), "\n")
}

// packAnyhow packs a directory in the test itself, which is fast, unless there is
// something special in it.
func packAnyhow(t *testing.T, name, dir string) {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	require.NoError(t, err)
	w := tar.NewWriter(z)
	if w.AddFS(os.DirFS(dir)) != nil {
		require.NoError(t, setUpLine([]string{"pack", name, dir}))
		return
	}
	require.NoError(t, errors.Join(w.Close(), z.Close(), os.WriteFile(name, b.Bytes(), 0o644)))
}

// withoutResults is a rendered list up to its results, which come last, and without
// its head, which holds the functionConfig.
func withoutResults(list string) string {
	_, rest, _ := strings.Cut(list, "\nitems:")
	items, _, _ := strings.Cut(rest, "\nresults:\n")
	return items
}

// fullList is a list with a ProvisionTenants.
type fullList struct {
	items, metadata, spec any
	// base is where relative paths start.
	base string
}

// dir is the directory of a source, "" when it names none.
func (l fullList) dir(source map[string]any) string {
	directory, _ := source["directory"].(string)
	if directory == "" || filepath.IsAbs(directory) {
		return directory
	}
	return filepath.Join(l.base, directory)
}

// fullForm gives a list a ProvisionTenants, and tells its sources.
func fullForm(stdin []byte) (list fullList, sources []map[string]any, ok bool) {
	var in struct {
		Items          []any          `yaml:"items"`
		FunctionConfig map[string]any `yaml:"functionConfig"`
	}
	if err := yaml.Unmarshal(stdin, &in); err != nil {
		return list, nil, false
	}
	config := in.FunctionConfig
	metadata, _ := config["metadata"].(map[string]any)
	spec, _ := config["spec"].(map[string]any)
	source := map[string]any{"directory": "."}
	switch config["kind"] {
	case "ProvisionTenants":
		written, given := spec["sources"].([]any)
		for _, s := range written {
			entry, _ := s.(map[string]any)
			sources = append(sources, entry)
		}
		if !given {
			sources = append(sources, source)
		}
	case "ArtifactGenerator":
		annotations, _ := metadata["annotations"].(map[string]any)
		if directory, found := annotations["provision-tenants.fn.kpt.dev/directory"].(string); found {
			source["directory"] = directory
		}
		generator := map[string]any{"metadata": map[string]any{"name": metadata["name"], "namespace": metadata["namespace"]}, "spec": spec}
		spec = map[string]any{"generators": []any{generator}}
		sources = append(sources, source)
	default:
		spec = map[string]any{}
		sources = append(sources, source)
	}
	if metadata["name"] == nil || spec == nil {
		metadata = map[string]any{"name": "x"}
	}
	list = fullList{in.Items, metadata, spec, "."}
	annotations, _ := metadata["annotations"].(map[string]any)
	if base, found := annotations["internal.config.kubernetes.io/package-path"].(string); found {
		list.base = base
	}
	return list, sources, true
}

func (l fullList) withSources(t *testing.T, sources []map[string]any) []byte {
	t.Helper()
	spec := maps.Clone(l.spec.(map[string]any))
	spec["sources"] = sources
	data, err := yaml.Marshal(map[string]any{
		"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": l.items,
		"functionConfig": map[string]any{"apiVersion": "fn.kpt.dev/v1alpha1", "kind": "ProvisionTenants", "metadata": l.metadata, "spec": spec},
	})
	require.NoError(t, err)
	return data
}

// canBePacked tells whether a directory is there and an archive can hold it: what
// is larger than that is refused, and what nobody may read tar may, run by root.
func canBePacked(directory string) bool {
	if info, err := os.Stat(directory); err != nil || !info.IsDir() {
		return false
	}
	size := int64(0)
	err := filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		info, err := f.Stat()
		size += info.Size()
		return errors.Join(err, f.Close())
	})
	return err == nil && size < 200<<20
}

// Programs write archives in different formats, and they are all the same tree.
func TestArchivesOfPrograms(t *testing.T) {
	dir := demo(t)
	long := "tenants/tenant-tide/modules/web/manifests/" + strings.Repeat("long/", 40) + "name-of-a-file.yaml"
	write(t, dir, long, "a: b\n")
	write(t, dir, "tenants/tenant-tide/modules/web/manifests/señor.yaml", "a: b\n")
	write(t, dir, "tenants/tenant-tide/modules/web/manifests/run.sh", "#!/bin/sh\n")
	require.NoError(t, os.Chmod(filepath.Join(dir, "tenants/tenant-tide/modules/web/manifests/run.sh"), 0o755))
	t.Chdir(dir)
	must(t, dir, "git init -q . && git add . && git -c user.name=x -c user.email=x@example.org commit -qm x")
	config := read(t, dir, "function-config.yaml")
	want := runMain(wrap([]byte(config)))
	require.Equal(t, "0\n", want["status"], want["stderr"])
	require.Equal(t, 3, strings.Count(want["stdout.yaml"], "kind: ExternalArtifact\n  metadata"))
	for _, command := range []string{
		"git archive --format=tar.gz -o ../x.tgz HEAD",
		"git archive --format=tgz HEAD >../x.tgz",
		"tar -czf ../x.tgz .",
		"tar -czf ../x.tgz tenants",
		"tar -czf ../x.tgz --format=gnu tenants",
		"tar -czf ../x.tgz --format=posix tenants",
		"tar -czf ../x.tgz --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u+rwX,go= tenants",
		"tar -czf ../x.tgz --sparse tenants",
		"find tenants -type f | tar -czf ../x.tgz -T -",
		"tar -cf ../x.tar tenants/tenant-reef && tar -rf ../x.tar tenants/tenant-tide && tar -rf ../x.tar tenants/tenant-tide/namespace-metadata.yaml && gzip -c ../x.tar >../x.tgz",
		"tar -cf - tenants | split -b 3000 --filter='gzip -9' - x. >../x.tgz",
	} {
		must(t, dir, command)
		got := runMain(wrap([]byte(strings.Replace(config, "directory: .", "archive: ../x.tgz", 1))))
		assert.Equal(t, want["stderr"], got["stderr"], command)
		assert.Equal(t, itemsText(want["stdout.yaml"]), itemsText(got["stdout.yaml"]), command)
	}
}

// What a broken pipe leaves is no smaller fleet.
func TestHalfAnArchive(t *testing.T) {
	dir := demo(t)
	t.Chdir(dir)
	config := strings.Replace(read(t, dir, "function-config.yaml"), "directory: .", "archive: ../x.tgz", 1)
	must(t, dir, "tar -cf ../x.tar tenants")
	for size := int64(512); ; size += 512 {
		must(t, dir, fmt.Sprintf("head -c %d ../x.tar | gzip -1 >../x.tgz", size))
		got := runMain(wrap([]byte(config)))
		if got["status"] == "0\n" {
			info, err := os.Stat("../x.tar")
			require.NoError(t, err)
			assert.Less(t, info.Size()-size, int64(10240), "only what fills the last record may be missing")
			return
		}
		assert.Contains(t, got["stderr"], "[source-archive]")
		assert.Contains(t, got["stdout.yaml"], "items: []\n")
	}
}
