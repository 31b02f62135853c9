package fn

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

var update = flag.Bool("update", false, "rewrite the expectations of the golden cases")

// A golden case is one txtar file. in.yaml is what comes in on stdin; without it
// fn.yaml is wrapped into a list of its own. Files below want/ are what must come
// out; setup makes what a txtar cannot hold; every other file is on disk, in the
// working directory, which is called /PACKAGE in the list.
type golden struct {
	stdin []byte
	want  map[string]string
}

func loadGolden(t *testing.T, archive *txtar.Archive) golden {
	t.Helper()
	t.Chdir(t.TempDir())
	g := golden{want: map[string]string{}}
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "want/"); ok {
			g.want[name] = string(f.Data)
			continue
		}
		if f.Name == "setup" {
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(f.Name), 0o755))
		require.NoError(t, os.WriteFile(f.Name, f.Data, 0o644))
		switch f.Name {
		case "in.yaml":
			g.stdin = f.Data
		case "fn.yaml":
			g.stdin = wrap(f.Data)
		}
	}
	require.NotNil(t, g.stdin, "a case needs in.yaml or fn.yaml")
	dir, err := os.Getwd()
	require.NoError(t, err)
	g.stdin = bytes.ReplaceAll(g.stdin, []byte(packageDir), []byte(dir))
	for _, f := range archive.Files {
		if f.Name == "setup" {
			setUp(t, string(f.Data))
		}
	}
	return g
}

// setUp runs the lines of a setup file:
//
//	link TARGET NAME   a symbolic link
//	chmod MODE NAME    the octal mode of a file that the case holds
//	fifo NAME          a named pipe
//	fill NAME BYTES    a file that is one long YAML comment
//	sparse NAME BYTES  a file of zeros that takes no room on the disk
//	dirs FORMAT N      directories; FORMAT has a verb for their numbers
//	pack NAME DIR      a `.tar.gz` of a directory
func setUp(t *testing.T, script string) {
	t.Helper()
	for line := range strings.Lines(script) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		require.NoError(t, setUpLine(words), line)
	}
}

func setUpLine(words []string) error {
	command, args := words[0], append(words[1:], "", "")
	switch command {
	case "link":
		return errors.Join(makeParents(args[1]), os.Symlink(args[0], args[1]))
	case "chmod":
		mode, err := strconv.ParseUint(args[0], 8, 32)
		return errors.Join(err, os.Chmod(args[1], os.FileMode(mode)))
	case "fifo":
		return errors.Join(makeParents(args[0]), exec.Command("mkfifo", args[0]).Run())
	case "fill", "sparse":
		size, err := strconv.Atoi(args[1])
		if err := errors.Join(err, makeParents(args[0])); err != nil {
			return err
		}
		if command == "sparse" {
			return errors.Join(os.WriteFile(args[0], nil, 0o644), os.Truncate(args[0], int64(size)))
		}
		return os.WriteFile(args[0], []byte("#"+strings.Repeat("x", size-1)), 0o644)
	case "dirs":
		n, err := strconv.Atoi(args[1])
		for i := range n {
			err = errors.Join(err, os.MkdirAll(fmt.Sprintf(args[0], i), 0o755))
		}
		return err
	case "pack":
		return errors.Join(makeParents(args[0]), exec.Command("tar", "-czf", args[0], "-C", args[1], ".").Run())
	}
	return fmt.Errorf("unknown command %q", command)
}

func makeParents(name string) error { return os.MkdirAll(filepath.Dir(name), 0o755) }

const packageDir = "/PACKAGE"

// portable is an output as it is in every working directory.
func portable(t *testing.T, got map[string]string) map[string]string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	out := map[string]string{}
	for name, text := range got {
		out[name] = strings.ReplaceAll(text, dir, packageDir)
	}
	return out
}

// wrap makes the list that a host without items sends.
func wrap(config []byte) []byte {
	var b bytes.Buffer
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nfunctionConfig:\n")
	for line := range strings.Lines(string(config)) {
		if line != "\n" {
			b.WriteString("  ")
		}
		b.WriteString(line)
	}
	return b.Bytes()
}

func runMain(stdin []byte, args ...string) map[string]string {
	var stdout, stderr bytes.Buffer
	status := Main(args, bytes.NewReader(stdin), &stdout, &stderr)
	return map[string]string{"stdout.yaml": stdout.String(), "stderr": stderr.String(), "status": strconv.Itoa(status) + "\n"}
}

func TestGolden(t *testing.T) {
	files, err := filepath.Glob("../testdata/golden/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			file, err := filepath.Abs(file)
			require.NoError(t, err)
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			g := loadGolden(t, archive)
			got := runMain(g.stdin)
			if *update {
				rewrite(t, file, archive, portable(t, got))
				return
			}
			assert.Equal(t, g.want, portable(t, got))
			if got["status"] == "0\n" {
				assertStable(t, g.stdin, got["stdout.yaml"])
			}
			assertShuffled(t, g.stdin)
			assertSameFromArchives(t, g.stdin)
		})
	}
	assert.True(t, *update || packed > len(files)/2, "%d of %d cases ran from archives, too", packed, len(files))
}

func rewrite(t *testing.T, file string, archive *txtar.Archive, got map[string]string) {
	t.Helper()
	var kept []txtar.File
	for _, f := range archive.Files {
		if !strings.HasPrefix(f.Name, "want/") {
			kept = append(kept, f)
		}
	}
	for _, name := range []string{"status", "stderr", "stdout.yaml"} {
		kept = append(kept, txtar.File{Name: "want/" + name, Data: []byte(got[name])})
	}
	archive.Files = kept
	require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
}

// assertStable runs the function on its own output, as the host that sent stdin
// would: no byte of the items changes.
func assertStable(t *testing.T, stdin []byte, first string) {
	t.Helper()
	echo := echoOf(t, stdin)
	second := runMain(sentAgain(echo, first))
	assert.Equal(t, "0\n", second["status"], second["stderr"])
	assert.Equal(t, itemsOf(t, first), itemsOf(t, second["stdout.yaml"]), "a second run must change nothing")
	third := runMain(sentAgain(echo, second["stdout.yaml"]))
	assert.Equal(t, second["stdout.yaml"], third["stdout.yaml"], "a third run must change nothing, the results included")
}

func sentAgain(echo, list string) []byte {
	return []byte(strings.Replace(list, "\nitems:\n", "\nitems:\n"+echo, 1))
}

// echoOf is the item by which kustomize repeats the functionConfig, which is not
// emitted; "" under other hosts.
func echoOf(t *testing.T, stdin []byte) string {
	t.Helper()
	list, err := krm.Read(stdin)
	require.NoError(t, err)
	for _, item := range list.Items {
		if list.Config != nil && item.Path() == "" && item.Identity() == list.Config.Identity() {
			_, text, _ := strings.Cut(rendered(list, []*krm.Item{item}, nil, nil), "\nitems:\n")
			text, _, _ = strings.Cut(text, "\nfunctionConfig:\n")
			return text + "\n"
		}
	}
	return ""
}

// assertShuffled runs the function on its input in other orders: what is emitted
// and what is found stays the same.
func assertShuffled(t *testing.T, stdin []byte) {
	t.Helper()
	list, err := krm.Read(stdin)
	if err != nil || len(list.Items) < 2 {
		return
	}
	want := &krm.Report{}
	_, objects := render(list, nil, want)
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, seed))
		random.Shuffle(len(list.Items), func(i, j int) { list.Items[i], list.Items[j] = list.Items[j], list.Items[i] })
		got := &krm.Report{}
		_, shuffled := render(list, nil, got)
		assert.Equal(t, want.Findings(), got.Findings())
		assert.Equal(t, objects, shuffled)
	}
}

// itemsOf is the text of a list without its results.
func itemsOf(t *testing.T, list string) string {
	t.Helper()
	parsed, err := krm.Read([]byte(list))
	require.NoError(t, err)
	return rendered(parsed, parsed.Items, nil, nil)
}

func rendered(l *krm.List, items []*krm.Item, objects []*krm.Object, findings []krm.Finding) string {
	var b bytes.Buffer
	_ = l.Render(&b, items, objects, findings) // a buffer takes everything
	return b.String()
}
