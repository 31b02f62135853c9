package fn

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/artifact"
	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// published is the list that the demo's configuration makes with an address.
func published(t *testing.T, dir, address string) []byte {
	t.Helper()
	config := strings.Replace(read(t, dir, "function-config.yaml"), "\nspec:\n", "\nspec:\n  publish: {baseURL: \""+address+"\"}\n", 1)
	return wrap([]byte(config))
}

// statuses are the status.artifact of a list by the name of its object.
func statuses(t *testing.T, list string) map[string]*krm.Node {
	t.Helper()
	parsed, err := krm.Read([]byte(list))
	require.NoError(t, err)
	found := map[string]*krm.Node{}
	for _, item := range parsed.Items {
		if item.Kind == externalArtifactKind {
			node, ok := item.Node(&krm.Report{})
			require.True(t, ok)
			found[item.Namespace+"/"+item.Name] = node.Get("status").Get("artifact")
		}
	}
	return found
}

// A static file server is all that a consumer needs besides the objects.
func TestPublishedArchivesAreWhatTheObjectsSay(t *testing.T) {
	needs(t)
	dir := demo(t)
	t.Chdir(dir)
	out := filepath.Join(t.TempDir(), "not", "there")
	server := httptest.NewServer(http.FileServer(http.Dir(out)))
	defer server.Close()
	list := published(t, dir, server.URL+"/")
	r := runMain(list, "publish", "--out", out)
	require.Equal(t, "0\n", r["status"], r["stderr"])
	assert.Empty(t, r["stderr"])
	found := statuses(t, runMain(list)["stdout.yaml"])
	require.Len(t, found, 3)
	var paths []string
	for name, status := range found {
		path, digest := status.Get("path").Text, status.Get("digest").Text
		paths = append(paths, path)
		assert.Equal(t, "externalartifact/"+name+"/"+digest[len("sha256:"):][:12]+".tar.gz", path)
		assert.Equal(t, server.URL+"/"+path, status.Get("url").Text)
		assert.Equal(t, "latest@"+digest, status.Get("revision").Text)
		archive := fetch(t, status.Get("url").Text)
		assert.Equal(t, digest, fmt.Sprintf("sha256:%x", sha256.Sum256(archive)))
		assert.Equal(t, status.Get("size").Text, fmt.Sprint(len(archive)))
		assert.Equal(t, strings.TrimPrefix(digest, "sha256:"), strings.Fields(must(t, out, "sha256sum "+path))[0])
		unpacked := t.TempDir()
		must(t, out, "tar -xzf "+path+" -C "+unpacked)
		assert.Equal(t, snapshot(t, filepath.Join(dir, "tenants", strings.Replace(name, "/", "/modules/", 1), "manifests")), snapshot(t, unpacked), name)
	}
	slices.Sort(paths)
	assert.Equal(t, strings.Join(paths, "\n")+"\n", r["stdout.yaml"], "what is new is printed")
	assert.Equal(t, paths, slices.Sorted(maps.Keys(snapshot(t, out))), "and nothing else is there")
}

func fetch(t *testing.T, url string) []byte {
	t.Helper()
	response, err := http.Get(url)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(t, http.StatusOK, response.StatusCode)
	var b strings.Builder
	require.NoError(t, response.Write(&b))
	_, body, _ := strings.Cut(b.String(), "\r\n\r\n")
	return []byte(body)
}

func TestPublishNeedsNoAddress(t *testing.T) {
	dir := demo(t)
	t.Chdir(dir)
	list := wrap([]byte(read(t, dir, "function-config.yaml")))
	for name, status := range statuses(t, runMain(list)["stdout.yaml"]) {
		assert.Nil(t, status, name)
	}
	out := t.TempDir()
	want := runMain(published(t, dir, "https://example.org"), "publish", "--out="+out)
	assert.Len(t, snapshot(t, out), 3)
	for _, args := range [][]string{{"publish", "function-config.yaml", "--out"}, {"publish", "--out"}} {
		out := t.TempDir()
		stdin := list
		if len(args) == 3 {
			stdin = nil
		}
		assert.Equal(t, want, runMain(stdin, append(args, out)...), args)
		assert.Len(t, snapshot(t, out), 3)
	}
}

// stats are what changes when a file is written again.
func stats(t *testing.T, dir string) map[string]fs.FileInfo {
	t.Helper()
	found := map[string]fs.FileInfo{}
	for name := range snapshot(t, dir) {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		found[name] = info
	}
	return found
}

func TestPublishTwiceWritesNothing(t *testing.T) {
	dir := demo(t)
	t.Chdir(dir)
	list := published(t, dir, "https://example.org")
	out := t.TempDir()
	first := runMain(list, "publish", "--out", out)
	require.Equal(t, 3, strings.Count(first["stdout.yaml"], "\n"))
	before := stats(t, out)
	second := runMain(list, "publish", "--out", out)
	assert.Equal(t, map[string]string{"status": "0\n", "stdout.yaml": "", "stderr": ""}, second)
	assertUntouched(t, before, stats(t, out))

	write(t, dir, "tenants/tenant-tide/modules/api/manifests/new.yaml", "a: b\n")
	third := runMain(list, "publish", "--out", out)
	assert.Regexp(t, `^externalartifact/tenant-tide/api/[0-9a-f]{12}\.tar\.gz\n$`, third["stdout.yaml"], "only what changed is written")
	after := stats(t, out)
	assert.Len(t, after, 4, "the older archive stays for those who are behind")
	assertUntouched(t, before, after)
}

func assertUntouched(t *testing.T, before, after map[string]fs.FileInfo) {
	t.Helper()
	for name, info := range before {
		require.Contains(t, after, name)
		assert.True(t, os.SameFile(info, after[name]), "%s is another file", name)
		assert.Equal(t, info.ModTime(), after[name].ModTime(), name)
	}
}

// Whatever an interrupted run or a hand leaves there is put right.
func TestPublishRepairs(t *testing.T) {
	dir := demo(t)
	t.Chdir(dir)
	list := published(t, dir, "https://example.org")
	out := t.TempDir()
	written := strings.Fields(runMain(list, "publish", "--out", out)["stdout.yaml"])
	require.Len(t, written, 3)
	want := snapshot(t, out)
	half := want[written[0]][:1000]
	write(t, out, written[0], half)
	write(t, out, written[1], strings.Replace(want[written[1]], "manifests", "manifestz", 1)+"x")
	require.NoError(t, os.Remove(filepath.Join(out, written[2])))
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(out, written[2])))
	leftover := filepath.Join(filepath.Dir(written[0]), ".provision-tenants-LEFTOVER")
	write(t, out, leftover, half)
	assert.Equal(t, written, strings.Fields(runMain(list, "publish", "--out", out)["stdout.yaml"]))
	want[leftover] = half
	assert.Equal(t, want, snapshot(t, out))
	assert.Empty(t, runMain(list, "publish", "--out", out)["stdout.yaml"])
}

func TestPublishWritesNothingForARunThatFails(t *testing.T) {
	for name, test := range map[string]struct {
		spoil  func(dir string)
		status string
		stderr string
	}{
		"an error": {func(dir string) { write(t, dir, "tenants/tenant_x/modules/m/manifests/a.yaml", "a: b\n") }, "1\n", "[namespace-name]"},
		"a safeguard": {func(dir string) {
			require.NoError(t, os.RemoveAll(filepath.Join(dir, "tenants")))
			write(t, dir, "tenants/README.md", "moved")
		}, "3\n", "[no-match]"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := demo(t)
			t.Chdir(dir)
			test.spoil(dir)
			out := filepath.Join(t.TempDir(), "out")
			r := runMain(published(t, dir, "https://example.org"), "publish", "--out", out)
			assert.Equal(t, test.status, r["status"])
			assert.Contains(t, r["stderr"], test.stderr)
			assert.Empty(t, r["stdout.yaml"])
			assert.NoDirExists(t, out)
		})
	}
}

// Two generators want one artifact: only the winner's is published.
func TestPublishWritesWhatIsEmitted(t *testing.T) {
	dir := demo(t)
	t.Chdir(dir)
	config := read(t, dir, "function-config.yaml")
	_, generator, _ := strings.Cut(config, "  generators:\n")
	second := strings.NewReplacer("name: monorepo-tenants", "name: second\n        annotations: {provision-tenants.fn.kpt.dev/tier: \"1\"}", "manifests/**", "**").Replace(generator)
	list := wrap([]byte(config + second))
	out := t.TempDir()
	r := runMain(list, "publish", "--out", out)
	require.Equal(t, "0\n", r["status"], r["stderr"])
	emitted, err := krm.Read([]byte(runMain(list)["stdout.yaml"]))
	require.NoError(t, err)
	var want []string
	for _, item := range emitted.Items {
		if item.Kind == externalArtifactKind {
			assert.Equal(t, "ArtifactGenerator/flux-system/second@1", item.Annotations[krm.WinnerKey])
			want = append(want, archivePath(&krm.Object{Namespace: item.Namespace, Name: item.Name, Annotations: item.Annotations}))
		}
	}
	require.Len(t, want, 3)
	assert.ElementsMatch(t, want, strings.Fields(r["stdout.yaml"]))
	assert.Len(t, snapshot(t, out), 3)
}

// A run holds one artifact at a time, and what it says is written.
func TestPublishNoticesThatTheSourcesChange(t *testing.T) {
	dir := demo(t)
	t.Chdir(dir)
	list, err := krm.Read(published(t, dir, "https://example.org"))
	require.NoError(t, err)
	_, objects := render(list, nil, &krm.Report{})
	p := publication{wanted: archivesOf(objects)}
	require.Len(t, p.wanted, 3)
	write(t, dir, "tenants/tenant-tide/modules/api/manifests/new.yaml", "a: b\n")
	rep := &krm.Report{}
	render(list, func(o *krm.Object, built *artifact.Artifact) {
		require.NotZero(t, built.Size)
		delete(p.wanted, archivePath(o))
	}, rep)
	assert.ErrorContains(t, p.incomplete(), `the sources changed while their archives were written, 1 of them are missing, such as "externalartifact/tenant-tide/api/`)
}

func TestPublishArguments(t *testing.T) {
	dir := demo(t)
	t.Chdir(dir)
	list := published(t, dir, "https://example.org")
	write(t, dir, "file", "")
	for _, test := range []struct {
		stdin  []byte
		args   []string
		stderr string
	}{
		{list, []string{"publish"}, "usage: provision-tenants publish [CONFIG] --out DIR"},
		{list, []string{"publish", "--out"}, "usage: "},
		{list, []string{"publish", "--out="}, "usage: "},
		{list, []string{"publish", "--output", "x"}, "usage: "},
		{list, []string{"publish", "a", "b", "--out", "x"}, "usage: "},
		{list, []string{"publish", "--out", "file"}, `cannot write to the directory "file": not a directory`},
		{list, []string{"publish", "--out", "file/below"}, `cannot write to the directory "file/below": not a directory`},
		{[]byte("a: b\n"), []string{"publish", "--out", "x"}, "the input is not a ResourceList"},
		{nil, []string{"publish", "missing.yaml", "--out", "x"}, "no such file"},
		{list, []string{"publish", "--out", "x", "function-config.yaml"}, "stdin is a ResourceList"},
	} {
		r := runMain(test.stdin, test.args...)
		assert.Equal(t, "2\n", r["status"], test.args)
		assert.Contains(t, r["stderr"], test.stderr, test.args)
		assert.Empty(t, r["stdout.yaml"], test.args)
		assert.NoDirExists(t, filepath.Join(dir, "x"), test.args)
	}
}

func TestPublishSaysWhichFileCannotBeWritten(t *testing.T) {
	dir := demo(t)
	t.Chdir(dir)
	out := t.TempDir()
	write(t, out, "externalartifact/tenant-tide/api", "in the way")
	r := runMain(published(t, dir, "https://example.org"), "publish", "--out", out)
	assert.Equal(t, "2\n", r["status"])
	assert.Regexp(t, `^error: cannot write "externalartifact/tenant-tide/api/[0-9a-f]{12}\.tar\.gz" in the directory ".*": file exists\n$`, r["stderr"])
	assert.Len(t, strings.Fields(r["stdout.yaml"]), 1, "what was written before is printed")
}

// large gives each module of the demo a file that takes a moment to write.
func large(t *testing.T, dir string) {
	t.Helper()
	for _, module := range []string{"tenant-tide/modules/api", "tenant-tide/modules/web", "tenant-reef/modules/web"} {
		write(t, dir, "tenants/"+module+"/manifests/large", strings.Repeat(module+"\n", 1<<19))
	}
}

// wrong lists the files that somebody may fetch and whose content is not what their
// name says; halves counts those that nobody reads.
func wrong(t *testing.T, out string) (found []string, halves int) {
	t.Helper()
	for name, text := range snapshot(t, out) {
		switch base := filepath.Base(name); {
		case strings.HasPrefix(base, ".provision-tenants-"):
			halves++
		case !strings.HasPrefix(fmt.Sprintf("%x", sha256.Sum256([]byte(text))), strings.TrimSuffix(base, ".tar.gz")):
			found = append(found, name)
		}
	}
	return found, halves
}

// A run may be killed at any moment: what has a name is whole, and the next run
// adds the rest.
func TestPublishKilled(t *testing.T) {
	needs(t)
	dir := demo(t)
	t.Chdir(dir)
	large(t, dir)
	list := published(t, dir, "https://example.org")
	caught := 0
	for round := range 20 {
		out := filepath.Join(t.TempDir(), "out")
		publish := exec.Command("provision-tenants", "publish", "--out", out)
		publish.Stdin = bytes.NewReader(list)
		require.NoError(t, publish.Start())
		require.Eventually(t, func() bool { return holdsHalf(out) }, time.Minute, time.Millisecond)
		time.Sleep(time.Duration(round) * 3 * time.Millisecond)
		require.NoError(t, publish.Process.Kill())
		_ = publish.Wait()
		found, halves := wrong(t, out)
		require.Empty(t, found)
		caught += halves
		if caught < 3 {
			continue
		}
		must(t, dir, "provision-tenants publish function-config.yaml --out "+out)
		found, _ = wrong(t, out)
		assert.Empty(t, found)
		assert.Len(t, snapshot(t, out), 3+halves)
		return
	}
	t.Fatal("no run was killed while it wrote")
}

// holdsHalf tells whether a file is being written.
func holdsHalf(out string) bool {
	found, _ := filepath.Glob(out + "/externalartifact/*/*/.provision-tenants-*")
	return len(found) > 0
}

// A disk that is full leaves nothing behind and is named.
func TestPublishToAFullDisk(t *testing.T) {
	needs(t)
	dir := demo(t)
	large(t, dir)
	out := filepath.Join(t.TempDir(), "out")
	r := run(t, dir, "trap '' XFSZ; ulimit -f 1024; provision-tenants publish function-config.yaml --out "+out)
	assert.Equal(t, exitUnusable, r.status)
	assert.Regexp(t, `^error: cannot write "externalartifact/.*\.tar\.gz" in the directory ".*/out": file too large\n$`, r.stderr)
	assert.Empty(t, snapshot(t, out))
}
