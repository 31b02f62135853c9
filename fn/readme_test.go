package fn

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/handoff"
)

// A block of the README is what stands between two fences. The comment in front
// of it says where it comes from: `<!-- file: PATH -->` a file that it equals,
// `<!-- in: DIR -->` the directory, in a copy of the repository, where its
// commands are run.
type block struct {
	language, about, text string
}

var blocks = regexp.MustCompile("(?m)^(?:<!-- (.*) -->\n)?```([a-z]+)\n((?s:.*?))^```$")

func readmeBlocks(t *testing.T) []block {
	t.Helper()
	var found []block
	for _, m := range blocks.FindAllStringSubmatch(read(t, repository(t), "README.md"), -1) {
		found = append(found, block{about: m[1], language: m[2], text: m[3]})
	}
	require.NotEmpty(t, found)
	return found
}

func TestReadmeFilesAreWhatItSays(t *testing.T) {
	for _, b := range readmeBlocks(t) {
		if b.language == "console" {
			continue
		}
		name, ok := strings.CutPrefix(b.about, "file: ")
		require.True(t, ok, "a block of %s must name its file:\n%s", b.language, b.text)
		assert.Equal(t, read(t, repository(t), name), b.text, name)
	}
}

// Every console block is run, in order, and prints what it shows. `...` stands
// for any lines.
func TestReadmeCommands(t *testing.T) {
	needs(t, "kustomize", "kubectl", "kpt", "kubeconform")
	root := t.TempDir()
	for _, name := range []string{"testdata/demo", "testdata/hosts", "testdata/resourceset", "testdata/publish", "testdata/schema", "testdata/tiers"} {
		require.NoError(t, os.CopyFS(filepath.Join(root, name), os.DirFS(filepath.Join(repository(t), name))))
	}
	write(t, root, "function-config.yaml", read(t, repository(t), "function-config.yaml"))
	for _, b := range readmeBlocks(t) {
		if b.language == "console" {
			t.Run(strings.TrimPrefix(b.about, "in: "), func(t *testing.T) { runBlock(t, root, b) })
		}
	}
}

func runBlock(t *testing.T, root string, b block) {
	t.Helper()
	dir, ok := strings.CutPrefix(b.about, "in: ")
	if !ok {
		require.Regexp(t, `^\$ make (demo|test)\n$`, b.text, "a console block must say in which directory it runs")
		return
	}
	if strings.HasSuffix(dir, "-container") {
		needsImage(t)
	}
	for part := range strings.SplitSeq("\n"+strings.TrimSuffix(b.text, "\n"), "\n$ ") {
		if part == "" {
			continue
		}
		command, want, _ := strings.Cut(part, "\n")
		r := run(t, filepath.Join(root, dir), command)
		got := strings.TrimSuffix(r.stdout+r.stderr, "\n")
		pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(want), `\.\.\.`, `(?s:.*?)`) + "$"
		assert.Regexp(t, pattern, got, command)
	}
}

var hostRow = regexp.MustCompile("(?m)^\\| [^|]+ \\| \\[testdata/hosts/([a-z-]+)\\]\\([^)]+\\) \\| (?:`(.+)`|see .*) \\|$")

// The table of hosts names every example, and each command makes the objects.
func TestReadmeHosts(t *testing.T) {
	needsPlugins(t, "kustomize", "kubectl", "kpt")
	artifact := regexp.MustCompile(`(?m)^(  )?kind: ExternalArtifact$`)
	var named, there []string
	for _, m := range hostRow.FindAllStringSubmatch(read(t, repository(t), "README.md"), -1) {
		host, command := m[1], strings.ReplaceAll(m[2], `\|`, "|")
		named = append(named, host)
		if command != "" {
			t.Run(host, func(t *testing.T) {
				assert.Len(t, artifact.FindAllString(runHost(t, host, command), -1), 3)
			})
		}
	}
	examples, err := os.ReadDir("../testdata/hosts")
	require.NoError(t, err)
	for _, e := range examples {
		if e.IsDir() {
			there = append(there, e.Name())
		}
	}
	assert.ElementsMatch(t, there, named)
}

// runHost runs a command in a copy of an example, beside the tree of the demo.
func runHost(t *testing.T, host, command string) string {
	t.Helper()
	if strings.HasSuffix(host, "-container") {
		needsImage(t)
	}
	root := t.TempDir()
	for _, name := range []string{"demo", "hosts/" + host} {
		require.NoError(t, os.CopyFS(filepath.Join(root, name), os.DirFS(filepath.Join("../testdata", name))))
	}
	return must(t, filepath.Join(root, "hosts", host), command)
}

var (
	codeInSource = regexp.MustCompile(`\b(?:Errorf|Stopf|Warnf|Infof|errorf|fail|mistake|notYAML|unknown)\(\s*"([a-z0-9-]+)"`)
	codeInReadme = regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)` \\| (error|safeguard|warning|info)")
)

// codes are the finding codes in the source.
func codes(t *testing.T) []string {
	t.Helper()
	var found []string
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	rooms, err := filepath.Glob("*/*.go")
	require.NoError(t, err)
	for _, file := range append(files, rooms...) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, m := range codeInSource.FindAllStringSubmatch(read(t, ".", file), -1) {
			found = append(found, m[1])
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func TestEveryCodeHasARowAndAGolden(t *testing.T) {
	var rows []string
	for _, m := range codeInReadme.FindAllStringSubmatch(read(t, repository(t), "README.md"), -1) {
		rows = append(rows, m[1])
	}
	assert.Equal(t, codes(t), rows, "the rows of the README, sorted, are the codes of the source")
	var shown strings.Builder
	files, err := filepath.Glob("../testdata/golden/*.txtar")
	require.NoError(t, err)
	for _, file := range files {
		shown.WriteString(read(t, ".", file))
	}
	for _, code := range codes(t) {
		assert.True(t, strings.Contains(shown.String(), "["+code+"]"), "a golden case must show %s", code)
	}
}

var fieldTable = regexp.MustCompile(`(?m)^<!-- fields: (\w+) -->\n(?:\n?\|.*\n)*`)

// The tables of fields are made from the code, by -update.
func TestReadmeFieldsAreThoseOfTheCode(t *testing.T) {
	path := filepath.Join(repository(t), "README.md")
	text := read(t, repository(t), "README.md")
	tables := 0
	current := fieldTable.ReplaceAllStringFunc(text, func(table string) string {
		tables++
		return fieldsOf(fieldTable.FindStringSubmatch(table)[1])
	})
	require.Equal(t, 6, tables)
	require.Regexp(t, applierTable, current)
	current = applierTable.ReplaceAllLiteralString(current, appliersTable())
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(current), 0o644))
		return
	}
	assert.Equal(t, current, text, "run make golden")
}

var applierTable = regexp.MustCompile(`(?m)^<!-- appliers -->\n(?:\n?\|.*\n)*`)

// appliersTable has a row for each applier and a column for what it can be asked.
func appliersTable() string {
	var b strings.Builder
	b.WriteString("<!-- appliers -->\n\n| applier | `prune: Disabled` | `ssa: Merge` | `ssa: IfNotPresent` | `ssa: Ignore`, `reconcile: Disabled` | a reconciler goes first |\n|---|---|---|---|---|---|\n")
	orders := map[handoff.Order]string{
		handoff.NoOrder: "no", handoff.OwnOrder: "always",
		handoff.DependsOn: "`config.kubernetes.io/depends-on`", handoff.SyncWave: "`argocd.argoproj.io/sync-wave`",
	}
	for _, d := range handoff.Named(handoff.Names()) {
		aside := answerOf(d, handoff.Ignore)
		if pause := answerOf(d, handoff.Pause); pause != aside {
			aside += ", " + pause
		}
		cells := []string{d.Name, answerOf(d, handoff.Keep), answerOf(d, handoff.Merge), answerOf(d, handoff.CreateOnly), aside, orders[d.Order]}
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	return b.String()
}

func answerOf(d handoff.Dialect, ask handoff.Ask) string {
	answer, known := d.Answers[ask]
	switch {
	case !known:
		return "no"
	case len(answer.Keys) == 0:
		return "always"
	}
	var keys []string
	for key, value := range answer.Keys {
		keys = append(keys, "`"+key+": "+value+"`")
	}
	cell := strings.Join(keys, ", ")
	if answer.But != "" {
		cell += "; " + answer.But
	}
	return cell
}

func fieldsOf(kind string) string {
	var b strings.Builder
	b.WriteString("<!-- fields: " + kind + " -->\n\n| field of " + kind + " | meaning |\n|---|---|\n")
	for _, f := range config.Fields(kind) {
		if !strings.HasPrefix(f.Path, "spec.") && kind != "NamespaceMetadata" && kind != "Inputs" {
			continue
		}
		required := ""
		if f.Required {
			required = " (required)"
		}
		b.WriteString("| `" + f.Path + "`" + required + " | " + f.About + " |\n")
	}
	return b.String()
}
