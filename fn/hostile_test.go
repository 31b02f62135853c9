package fn

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// What a tenant can write must never crash a run, show another tenant's files, or
// change what another tenant gets. It may stop the run, in its own name.

const (
	hostile   = "tenant-x"
	ofX       = "tenants/tenant-x"
	fileX     = ofX + "/namespace-metadata.yaml"
	inputsX   = ofX + "/modules/m/applier-inputs.yaml"
	contentX  = ofX + "/modules/m/manifests"
	canary    = "the text of a neighbour or of the host"
	outsideOf = "../outside"
)

// attack is what the hostile tenant does to its own directory; code is the
// expected finding, "" for none. The run goes on when severity is not `error`.
type attack struct {
	severity, code string
	do             func(t *testing.T)
}

func writes(name, text string) func(*testing.T) {
	return func(t *testing.T) { t.Helper(); replace(t, name); write(t, ".", name, text) }
}

func links(name, target string) func(*testing.T) {
	return func(t *testing.T) { t.Helper(); replace(t, name); link(t, target, name) }
}

func pipes(name string) func(*testing.T) {
	return func(t *testing.T) {
		t.Helper()
		replace(t, name)
		require.NoError(t, syscall.Mkfifo(name, 0o644))
	}
}

// sparse makes a file that is large and takes no space.
func sparse(name string, size int64) func(*testing.T) {
	return func(t *testing.T) {
		t.Helper()
		writes(name, "")(t)
		require.NoError(t, os.Truncate(name, size))
	}
}

func makes(names ...string) func(*testing.T) {
	return func(t *testing.T) {
		t.Helper()
		for _, name := range names {
			require.NoError(t, os.MkdirAll(name, 0o755))
		}
	}
}

func replace(t *testing.T, name string) {
	t.Helper()
	remove(t, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
}

func metadata(text string) func(*testing.T) { return writes(fileX, metadataHead+text) }

// module is a module with an awkward name.
func module(name string) func(*testing.T) {
	return func(t *testing.T) {
		t.Helper()
		write(t, ofX+"/modules/"+name, "manifests/x.yaml", "a: b\n")
		write(t, ofX+"/modules/"+name, "applier-inputs.yaml", "")
	}
}

var attacks = map[string]attack{
	// The run goes on.
	"module like the alias":       {"", "", module("repo")},
	"module like another alias":   {"", "", module("artifact")},
	"module like a neighbour's":   {"", "", module("web")},
	"module called generated":     {"", "", module("generated")},
	"metadata is comments":        {"info", "metadata-file-empty", writes(fileX, strings.Repeat("# c\n", 1<<18))},
	"metadata with variables":     {"", "", metadata("  annotations: {my.org/note: '${secret} ${ $(x) {{ .y }}'}\n")},
	"link to a neighbour's dir":   {"warning", "link-skipped", links(ofX+"/modules/stolen", "../../tenant-a/modules/web")},
	"link to /etc":                {"warning", "link-skipped", links(ofX+"/modules/etc", "/etc")},
	"link to itself":              {"warning", "link-skipped", links(ofX+"/modules/self", "self")},
	"content is a link":           {"warning", "copy-link-left-out", links(contentX+"/stolen.yaml", "../../../../tenant-a/namespace-metadata.yaml")},
	"content is a link out":       {"warning", "copy-link-left-out", links(contentX+"/stolen.txt", "../../../../../"+outsideOf+"/secret")},
	"content is a link to a dir":  {"warning", "copy-link-left-out", links(contentX+"/stolen", "../../../../tenant-a")},
	"content is a loop":           {"warning", "copy-link-left-out", links(contentX+"/loop", ".")},
	"content is a pipe":           {"warning", "copy-special-left-out", pipes(contentX + "/pipe")},
	"content declares Namespace":  {"warning", "artifact-namespace", writes(contentX+"/ns.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: tenant-a}\n")},
	"content is a generator":      {"", "", writes(contentX+"/g.yaml", strings.ReplaceAll(platform, "ProvisionTenants", "ArtifactGenerator"))},
	"content forges an owner":     {"", "", writes(contentX+"/o.yaml", "metadata: {annotations: {provision-tenants.fn.kpt.dev/owner: ArtifactGenerator/flux-system/tenants}}\n")},
	"content is binary":           {"", "", writes(contentX+"/b.yaml", "\x00\xff\xfe")},
	"content is no YAML":          {"", "", writes(contentX+"/b.yaml", "{{ kind: Namespace\n\t- x: [")},
	"content is an alias bomb":    {"warning", "artifact-namespace", writes(contentX+"/b.yaml", aliasBomb()+"kind: Namespace\n")},
	"content has odd names":       {"", "", oddContent},
	"control keys":                {"warning", "metadata-control-key", metadata("  annotations: {provision-tenants.fn.kpt.dev/owner: ArtifactGenerator/flux-system/tenants, helm.sh/hook: x}\n  labels: {applyset.kubernetes.io/part-of: x}\n")},
	"a generator beside":          {"", "", writes(ofX+"/generator.yaml", "apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: ArtifactGenerator\nmetadata: {name: tenants, namespace: flux-system}\n")},
	"hidden directories":          {"info", "directory-hidden", makes(ofX+"/modules/..data", ofX+"/modules/.git")},
	"no module":                   {"info", "directory-unused", func(t *testing.T) { t.Helper(); remove(t, ofX+"/modules"); makes(ofX + "/modules")(t) }},
	"modules is a link":           {"warning", "link-skipped", links(ofX+"/modules", "../tenant-a/modules")},
	"the directory is a link":     {"warning", "link-skipped", links(ofX, "tenant-a")},
	"a file is called like a dir": {"", "", writes(ofX+"/modules/file", "x")},
	"null inputs":                 {"warning", "inputs-null", writes(inputsX, "a: null\nb: [null]\n")},

	// The run stops.
	"metadata is a link":             {"error", "metadata-file-unreadable", links(fileX, "../tenant-a/namespace-metadata.yaml")},
	"metadata is a link to the host": {"error", "metadata-file-unreadable", links(fileX, "/etc/passwd")},
	"metadata is a pipe":             {"error", "metadata-file-unreadable", pipes(fileX)},
	"metadata is a directory":        {"error", "metadata-file-unreadable", func(t *testing.T) { t.Helper(); replace(t, fileX); makes(fileX + "/x")(t) }},
	"metadata has 10 GB":             {"error", "metadata-file-unreadable", sparse(fileX, 10<<30)},
	"metadata has 1 MiB and a byte":  {"error", "metadata-file-unreadable", writes(fileX, strings.Repeat("#", 1<<20)+"\n")},
	"metadata is an alias bomb":      {"error", "yaml-alias-limit", metadata("  annotations:\n" + indented(aliasBomb(), "    "))},
	"metadata aliases itself":        {"error", "yaml-alias-limit", writes(fileX, "a: &a [*a]\n")},
	"metadata nests":                 {"error", "yaml-syntax", writes(fileX, strings.Repeat("[", 1<<20))},
	"metadata nests less":            {"error", "yaml-depth", writes(fileX, strings.Repeat("[", 500)+strings.Repeat("]", 500))},
	"metadata repeats a key":         {"error", "yaml-duplicate-key", metadata("  labels: {}\n  labels: {}\n")},
	"metadata has tags":              {"error", "yaml-tag", metadata("  labels: {my.org/env: !!binary ZGV2}\n")},
	"metadata has own tags":          {"error", "yaml-tag", metadata("  labels: !<tag:x> {my.org/env: dev}\n")},
	"metadata has two documents":     {"error", "yaml-multiple-documents", metadata("  labels: {}\n---\n" + metadataHead)},
	"metadata is no UTF-8":           {"error", "yaml-encoding", metadata("  labels: {my.org/env: \"\xff\"}\n")},
	"metadata has ESC":               {"error", "yaml-encoding", metadata("  labels: {my.org/env: \"\x1b[31m\"}\n")},
	"metadata has an escaped ESC":    {"error", "yaml-character", metadata(`  labels: {my.org/env: "\e[31m\nerror: tenant-y"}` + "\n")},
	"metadata is UTF-16":             {"error", "yaml-encoding", writes(fileX, "\xff\xfea\x00")},
	"metadata has a merge key":       {"error", "yaml-merge-key", metadata("  labels: {<<: {my.org/env: dev}}\n")},
	"metadata has odd keys":          {"error", "yaml-key-not-string", metadata("  labels: {? [a] : b}\n")},
	"metadata is a list":             {"error", "metadata-file-type", writes(fileX, "- a\n")},
	"metadata is another kind":       {"error", "metadata-file-type", writes(fileX, "apiVersion: v1\nkind: Namespace\nmetadata: {}\n")},
	"metadata names a neighbour":     {"error", "metadata-file-name", metadata("  name: tenant-y\n")},
	"metadata with numbers":          {"error", "metadata-not-string", metadata("  labels: {my.org/env: 1}\n")},
	"metadata with a long value":     {"error", "metadata-value-syntax", metadata("  annotations: {my.org/note: " + strings.Repeat("x", 300<<10) + "}\n")},
	"metadata with many keys":        {"error", "metadata-file-type", metadata("  labels:\n" + manyKeys(5000))},
	"inputs are a link":              {"error", "inputs-link", links(inputsX, "../../../tenant-a/modules/web/applier-inputs.yaml")},
	"inputs are a link to the host":  {"error", "inputs-link", links(inputsX, "/etc/passwd")},
	"inputs are a pipe":              {"error", "inputs-unreadable", pipes(inputsX)},
	"inputs are missing":             {"error", "inputs-missing", func(t *testing.T) { t.Helper(); remove(t, inputsX) }},
	"inputs have 10 GB":              {"error", "inputs-too-large", sparse(inputsX, 10<<30)},
	"inputs are a list":              {"error", "inputs-not-map", writes(inputsX, "- a\n")},
	"inputs are text":                {"error", "inputs-not-map", writes(inputsX, "hello\n")},
	"inputs are an alias bomb":       {"error", "yaml-alias-limit", writes(inputsX, aliasBomb())},
	"inputs are ambiguous":           {"error", "inputs-ambiguous-scalar", writes(inputsX, "a: 0744\n")},
	"inputs are not finite":          {"error", "inputs-number-range", writes(inputsX, "a: .nan\n")},
	"inputs nest":                    {"error", "yaml-depth", writes(inputsX, nested(150))},
	"content directory is a link":    {"error", "copy-link", links(contentX, "../../../tenant-a/modules/web/manifests")},
	"module's content is /etc":       {"error", "copy-link", links(contentX, "/etc")},
	"content has 10 GB":              {"error", "artifact-file-too-large", sparse(contentX+"/big", 10<<30)},
	"content nests":                  {"error", "copy-unreadable", deep},
	"content is only links":          {"error", "copy-no-match", func(t *testing.T) { t.Helper(); remove(t, contentX); link(t, "/etc/passwd", contentX+"/x") }},
	"content has a line end":         {"error", "artifact-file-name", writes(contentX+"/a\nerror: tenant-y", "x")},
	"content has a backslash":        {"error", "artifact-file-name", writes(contentX+`/a\b`, "x")},
	"module with a line end":         {"error", "directory-name", module("a\nerror: tenant-y: x")},
	"module with ESC":                {"error", "directory-name", module("a\x1b[31mred\x1b[0m")},
	"module with 255 bytes":          {"error", "directory-name", module(strings.Repeat("a", 255))},
	"module is no UTF-8":             {"error", "directory-name", module("a\xff\xfe")},
	"module is a pattern":            {"error", "directory-name", module("[a-z]*")},
	"module is a capture":            {"error", "directory-name", module("{module}")},
	"module is an option":            {"error", "directory-name", module("-rf")},
	"module is a variable":           {"error", "directory-name", module("${x}")},
	"module turns the text around":   {"error", "directory-name", module("\u202egnp.exe")},
	"module with a kelvin sign":      {"error", "directory-name", module("\u212a8s")},
	"module with a dot at the end":   {"error", "directory-name", module("a.")},
	"module twins":                   {"error", "artifact-collision", func(t *testing.T) { t.Helper(); module("Dup")(t); module("dup")(t) }},
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "    k%d: v\n", i)
	}
	return b.String()
}

func nested(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func oddContent(t *testing.T) {
	t.Helper()
	for _, name := range []string{"[a-z]*", "{x}", "..data", "-rf", "a b", "a'b", `a"b`, "\x1b[31m", "\u202eevil", "\xff\xfe", "${x}", strings.Repeat("n", 255)} {
		write(t, ".", contentX+"/"+name, "x")
	}
}

// deep makes directories one by one: the whole path is longer than a system call
// takes.
func deep(t *testing.T) {
	t.Helper()
	root, err := os.OpenRoot(contentX)
	require.NoError(t, err)
	for range 300 {
		require.NoError(t, root.Mkdir("d", 0o755))
		next, err := root.OpenRoot("d")
		require.NoError(t, err)
		require.NoError(t, root.Close())
		root = next
	}
	require.NoError(t, root.Close())
}

// neighbours are valid tenants; which ones differs with the worked example.
func neighbours(random *rand.Rand) m {
	files := m{}
	for _, name := range []string{"tenant-a", "tenant-b", "tenant-w", "tenant-z", "tenant-0"} {
		if name != "tenant-a" && random.IntN(2) == 0 {
			continue
		}
		dir := "tenants/" + name
		for _, module := range []string{"web", "api", "m", "repo"} {
			if module != "web" && random.IntN(2) == 0 {
				continue
			}
			for i := range 1 + random.IntN(3) {
				files[fmt.Sprintf("%s/modules/%s/manifests/%d.yaml", dir, module, i)] = fmt.Sprintf("a: %d\n", random.IntN(100))
			}
			files[dir+"/modules/"+module+"/applier-inputs.yaml"] = []string{"", "wait: true\n", "timeout: 10m\n"}[random.IntN(3)]
		}
		if name == "tenant-a" || random.IntN(2) == 0 {
			files[dir+"/namespace-metadata.yaml"] = metadataHead + "  annotations: {my.org/note: \"" + canary + "\"}\n  labels: {my.org/env: prod}\n"
		}
	}
	return files
}

// emitted is the text of everything emitted for others than the hostile tenant.
func emitted(t *testing.T, list string) m {
	t.Helper()
	parsed, err := krm.Read([]byte(list))
	require.NoError(t, err)
	texts := m{}
	for _, item := range parsed.Items {
		if item.Namespace != hostile && item.Name != hostile && item.Kind != "ConfigMap" {
			texts[item.Identity().String()] = rendered(parsed, []*krm.Item{item}, nil, nil)
		}
	}
	return texts
}

// assertOnlyItself checks the one thing that counts: the others get what they
// would get without the hostile tenant, or nobody gets anything, in its name.
func assertOnlyItself(t *testing.T, want m, o outcome) {
	t.Helper()
	assert.NotContains(t, o.stderr, canary)
	if o.status == exitOK {
		assert.Equal(t, want, emitted(t, o.stdout))
		assert.LessOrEqual(t, strings.Count(o.stdout, canary), strings.Count(fmt.Sprint(want), canary), "nothing of a neighbour in the hostile tenant's objects")
		return
	}
	assert.Equal(t, exitErrors, o.status)
	assert.Empty(t, o.objects)
	for _, f := range o.results {
		if f.Severity == "error" {
			assert.Contains(t, f.Message, hostile)
			assert.NotRegexp(t, `tenants/tenant-[^x]`, strings.ReplaceAll(f.Message, "error: tenant-y", ""))
		}
	}
}

// hostileConfig has inputs, so that there are more ways in.
func hostileConfig(t *testing.T) []byte {
	t.Helper()
	return wrap([]byte(withInputs(t)))
}

// arrive adds the hostile tenant, as yet harmless.
func arrive(t *testing.T) {
	t.Helper()
	write(t, ".", contentX+"/x.yaml", "x: y\n")
	write(t, ".", inputsX, "wait: true\n")
}

func TestAttacks(t *testing.T) {
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			repo(t, neighbours(rand.New(rand.NewPCG(1, 2))))
			write(t, outsideOf, "secret", canary)
			want := emitted(t, observe(t, hostileConfig(t)).stdout)
			require.NotEmpty(t, want)
			arrive(t)
			attack.do(t)
			o := observe(t, hostileConfig(t))
			assertOnlyItself(t, want, o)
			codes := map[string]bool{}
			for _, f := range o.results {
				if code := f.Tags["code"]; code != "no-baseline" && code != "status-needs-subresource" {
					codes[f.Severity+" "+code] = true
				}
			}
			if attack.code == "" {
				assert.Empty(t, codes, o.stderr)
			} else {
				assert.Contains(t, codes, attack.severity+" "+attack.code, o.stderr)
			}
			for code := range codes {
				assert.True(t, !strings.HasPrefix(code, "error") || code == "error "+attack.code, "%s: one mistake is one error", code)
			}
			assert.Equal(t, attack.severity == "error", o.status != exitOK)
			assert.Less(t, len(o.stderr), 20_000, "one tenant must not bury the others' findings")
		})
	}
}

// Several attacks at once, next to other neighbours each time.
func TestTenantsAreIndependent(t *testing.T) {
	names := slices.Sorted(maps.Keys(attacks))
	names = slices.DeleteFunc(names, func(name string) bool {
		// These replace what others write to.
		return slices.Contains([]string{"modules is a link", "the directory is a link", "no module"}, name)
	})
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 7))
		repo(t, neighbours(random))
		want := emitted(t, runMain(hostileConfig(t))["stdout.yaml"])
		arrive(t)
		assertOnlyItself(t, want, observe(t, hostileConfig(t)))
		var done []string
		for range 1 + random.IntN(3) {
			name := names[random.IntN(len(names))]
			if strings.HasPrefix(name, "content") || strings.HasPrefix(name, "module's") {
				remove(t, contentX)
				write(t, ".", contentX+"/x.yaml", "x: y\n")
			}
			attacks[name].do(t)
			done = append(done, name)
		}
		assertOnlyItself(t, want, observe(t, hostileConfig(t)))
		remove(t, ofX)
		assert.Equal(t, want, emitted(t, runMain(hostileConfig(t))["stdout.yaml"]))
		if t.Failed() {
			t.Fatalf("seed %d: %q", seed, done)
		}
	}
}

// A directory beside the tenants' can ask for their names; both are named then,
// and nobody gets anything.
func TestHostileDirectoryNames(t *testing.T) {
	for name, code := range (m{
		"Tenant-A": "namespace-collision", "TENANT-A": "namespace-collision", "kube-system": "namespace-reserved", "flux-system": "namespace-reserved",
		"default": "namespace-reserved", "other": "namespace-not-allowed", "repo": "namespace-not-allowed", "tenant.a": "namespace-name",
		"tenant-a\n": "directory-name", "tenant-\u0430": "directory-name", "tenant-" + strings.Repeat("a", 57): "directory-name", "tenant-\xff": "directory-name",
		"tenant-a ": "directory-name", "{namespace}": "directory-name", "*": "directory-name",
	}) {
		t.Run(fmt.Sprintf("%q", name), func(t *testing.T) {
			repo(t, m{tenantA: manifest, "tenants/" + name + "/modules/n/manifests/x": "y"})
			o := renderAgain(t, platform)
			assert.Equal(t, exitErrors, o.status)
			assert.Empty(t, o.objects)
			assert.Equal(t, code, o.the(t, code).Tags["code"])
			assert.Len(t, o.found("error"), 1)
		})
	}
}

// What upstream leaks by where it builds: an artifact called like a source, and
// artifacts of one name.
func TestEachArtifactHasItsOwnContent(t *testing.T) {
	files := m{
		"tenants/tenant-a/modules/repo/manifests/a": "a's", "tenants/tenant-b/modules/repo/manifests/b": "b's",
		"tenants/tenant-a/modules/tenant-a/manifests/c": "c's", "secret": canary,
	}
	for _, alias := range []string{"repo", "tenant-a", "artifact-0"} {
		o := provision(t, with(t, "@repo/", "@"+alias+"/", "alias: repo", "alias: "+alias), files)
		require.Zero(t, o.status, o.stderr)
		assert.Equal(t, archiveDigest(t, m{"a": "a's"}), o.get(t, "tenant-a/repo").annotation("digest"))
		assert.Equal(t, archiveDigest(t, m{"b": "b's"}), o.get(t, "tenant-b/repo").annotation("digest"))
		assert.Equal(t, archiveDigest(t, m{"c": "c's"}), o.get(t, "tenant-a/tenant-a").annotation("digest"))
	}
}

// Paths of the configuration cannot leave the artifact or the source, whatever
// the strategy, the spelling and the captures.
func TestPathsOfACopyAreConfined(t *testing.T) {
	for _, to := range []string{"@artifact/../x", "@artifact/../x/", "@artifact/a/../../x", "@artifact/..", "@artifact/./../x", "@artifact//etc", "@artifact/{module}/../../x", "@other/x"} {
		for _, strategy := range []string{"Overwrite", "Merge", "Extract"} {
			o := provision(t, with(t, `to: "@artifact/"`, `strategy: `+strategy+`, to: "`+to+`"`), m{tenantA: manifest})
			assert.Equal(t, exitErrors, o.status, "%s %s", to, strategy)
			assert.Equal(t, []string{"error copy-to spec.generators[0].spec.artifacts[0].copy[0].to"}, o.found("error"))
		}
	}
	for _, from := range []string{"@repo/../x", "@repo/tenants/../../x", "@repo//etc/passwd", "@repo/..", "@repo/tenants/{namespace}/../tenant-b/**"} {
		o := provision(t, with(t, "@repo/tenants/{namespace}/modules/{module}/manifests/**", from), m{tenantA: manifest})
		assert.Equal(t, exitErrors, o.status, from)
		assert.Equal(t, []string{"error copy-from spec.generators[0].spec.artifacts[0].copy[0].from"}, o.found("error"), from)
	}
	for _, inputs := range []string{"@repo/../x", "@repo//etc/passwd", "@artifact/../x"} {
		o := provision(t, withInputs(t, "@repo/tenants/{namespace}/modules/{module}/applier-inputs.yaml", inputs), m{tenantA: manifest})
		assert.Equal(t, exitErrors, o.status, inputs)
		assert.Equal(t, []string{"error inputs-from spec.generators[0].spec.artifacts[0].inputsFrom"}, o.found("error"), inputs)
	}
}

// tarball is a tarball whose entries have one byte each.
func tarball(t *testing.T, headers ...tar.Header) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, h := range headers {
		if h.Typeflag == tar.TypeReg && h.Size == 0 {
			h.Size = 1
		}
		h.Mode = 0o644
		require.NoError(t, w.WriteHeader(&h))
		if h.Typeflag == tar.TypeReg {
			_, err := w.Write(make([]byte, h.Size))
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	require.NoError(t, z.Close())
	return b.String()
}

func gzipped(t *testing.T, size int) string {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	require.NoError(t, err)
	zeros := make([]byte, 1<<20)
	for range size / len(zeros) {
		_, err := z.Write(zeros)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.String()
}

func TestHostileTarballs(t *testing.T) {
	file := func(name string) tar.Header { return tar.Header{Typeflag: tar.TypeReg, Name: name} }
	good := tarball(t, tar.Header{Typeflag: tar.TypeDir, Name: "./d/"}, file("./d/a"), file("b"))
	config := with(t, `to: "@artifact/"`, `strategy: Extract, to: "@artifact/"`)
	const a, x = "tenants/tenant-a/modules/m/manifests/a.tgz", contentX + "/x.TAR.GZ"
	repo(t, m{a: good})
	base := renderAgain(t, config)
	require.Zero(t, base.status, base.stderr)
	assert.Equal(t, archiveDigest(t, m{"d/a": "\x00", "b": "\x00"}), base.get(t, "tenant-a/m").annotation("digest"))
	want := emitted(t, base.stdout)
	for name, text := range (m{
		"a link":          tarball(t, tar.Header{Typeflag: tar.TypeSymlink, Name: "l", Linkname: "/etc/passwd"}),
		"a hard link":     tarball(t, file("a"), tar.Header{Typeflag: tar.TypeLink, Name: "l", Linkname: "a"}),
		"a device":        tarball(t, tar.Header{Typeflag: tar.TypeChar, Name: "null", Devmajor: 1, Devminor: 3}),
		"a block device":  tarball(t, tar.Header{Typeflag: tar.TypeBlock, Name: "sda", Devmajor: 8}),
		"a pipe":          tarball(t, tar.Header{Typeflag: tar.TypeFifo, Name: "pipe"}),
		"up":              tarball(t, file("../x")),
		"up and down":     tarball(t, file("a/../../x")),
		"a directory up":  tarball(t, tar.Header{Typeflag: tar.TypeDir, Name: "../x/"}),
		"absolute":        tarball(t, file("/etc/x")),
		"backslash":       tarball(t, file(`..\x`)),
		"a line end":      tarball(t, file("a\nb")),
		"long":            tarball(t, file(strings.Repeat("d/", 3000)+"x")),
		"file and dir":    tarball(t, file("a"), file("a/b")),
		"no gzip":         "hello",
		"empty":           "",
		"truncated":       good[:len(good)-20],
		"a wrong sum":     good[:len(good)-8] + "\x00\x00\x00\x00" + good[len(good)-4:],
		"garbage in gzip": gzipped(t, 1<<20)[:40],
		"a bomb":          gzipped(t, 256<<20),
		"too much":        tarball(t, tar.Header{Typeflag: tar.TypeReg, Name: "x", Size: 101 << 20}),
	}) {
		t.Run(name, func(t *testing.T) {
			repo(t, m{a: good, x: text})
			o := renderAgain(t, config)
			assert.NotEqual(t, exitOK, o.status)
			assertOnlyItself(t, want, o)
			assert.Len(t, o.found("error"), 1)
			assert.NoFileExists(t, contentX+"/l")
			assert.NoFileExists(t, "../x")
		})
	}
}

// Under kpt a tenant's files are items, and may claim to be anything.
func TestHostileItems(t *testing.T) {
	repo(t, m{tenantA: manifest, "tenants/tenant-x/modules/m/manifests/x": "y"})
	base := observe(t, listOf(platform))
	at := func(path, text string) string {
		return strings.Replace(text, "annotations: {", "annotations: {config.kubernetes.io/path: "+path+", ", 1)
	}
	const header = "apiVersion: %s\nkind: %s\nmetadata:\n  name: %s\n  namespace: %s\n  annotations: {a: b}\n"
	for name, test := range map[string]struct {
		item string
		want []string
	}{
		"a generator":         {fmt.Sprintf(header, "source.extensions.fluxcd.io/v1beta1", "ArtifactGenerator", "evil", "flux-system"), []string{"warning tenant-configuration-ignored tenants/tenant-x/f.yaml"}},
		"the generator":       {fmt.Sprintf(header, "source.extensions.fluxcd.io/v1beta1", "ArtifactGenerator", "tenants", "flux-system"), []string{"warning tenant-configuration-ignored tenants/tenant-x/f.yaml"}},
		"a configuration":     {fmt.Sprintf(header, "fn.kpt.dev/v1alpha1", "ProvisionTenants", "evil", "default"), nil},
		"a source":            {fmt.Sprintf(header, "source.toolkit.fluxcd.io/v1", "GitRepository", "monorepo", "flux-system"), nil},
		"an artifact of ours": {strings.Replace(fmt.Sprintf(header, "source.toolkit.fluxcd.io/v1", "ExternalArtifact", "q", "tenant-a"), "{a: b}", "{provision-tenants.fn.kpt.dev/owner: ArtifactGenerator/flux-system/tenants}", 1), []string{"error forged-owner tenants/tenant-x/f.yaml"}},
		"a forged inventory":  {strings.Replace(fmt.Sprintf(header, "v1", "ConfigMap", "monorepo-inventory", "default"), "{a: b}", "{provision-tenants.fn.kpt.dev/owner: ProvisionTenants/default/monorepo}", 1), []string{"error forged-owner tenants/tenant-x/f.yaml", "error identity-conflict tenants/tenant-x/f.yaml"}},
		"an owner of nobody":  {strings.Replace(fmt.Sprintf(header, "v1", "ConfigMap", "q", "default"), "{a: b}", "{provision-tenants.fn.kpt.dev/owner: x}", 1), []string{"error forged-owner tenants/tenant-x/f.yaml"}},
		"a live namespace":    {strings.Replace(fmt.Sprintf(header, "v1", "Secret", "q", "default"), "metadata:\n", "metadata:\n  uid: 1234\n", 1), nil},
		"another's namespace": {strings.Replace(fmt.Sprintf(header, "v1", "Namespace", "tenant-a", "x"), "  namespace: x\n", "", 1), []string{"error identity-conflict tenants/tenant-x/f.yaml"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := observe(t, listOf(platform, at("tenants/tenant-x/f.yaml", test.item)))
			if !slices.ContainsFunc(test.want, func(s string) bool { return strings.HasPrefix(s, "error") }) {
				require.Zero(t, o.status, o.stderr)
				assert.Equal(t, base.ours(), o.ours())
				for _, name := range base.ours() {
					assert.Equal(t, base.get(t, name), o.get(t, name))
				}
				assert.NotContains(t, o.objects[0].Metadata.Annotations, "config.kubernetes.io/local-config", "it passes as it is")
				assert.Equal(t, test.want, o.found("error", "warning"))
				return
			}
			assert.Equal(t, exitErrors, o.status)
			for _, finding := range o.found("error") {
				assert.Contains(t, test.want, finding)
			}
			assert.NotEmpty(t, o.found("error"))
		})
	}
}

// On a system with slashes a backslash is a character of a name like any other:
// a tenant's file may be called so that it seems to lie elsewhere.
func TestBackslashesInTheNamesOfItems(t *testing.T) {
	repo(t, m{tenantA: manifest, tenantB: manifest, "tenants/tenant-x/modules/m/manifests/x": "y"})
	base := observe(t, listOf(platform))
	generator := `apiVersion: source.extensions.fluxcd.io/v1beta1
kind: ArtifactGenerator
metadata:
  name: evil
  namespace: flux-system
  annotations:
    config.kubernetes.io/path: tenants/tenant-x/..\..\gen.yaml
spec:
  serviceAccountName: flux-operator
  pathPattern: "@repo/tenants/tenant-a/modules/{module}"
  sources: [{alias: repo, kind: GitRepository, name: monorepo}]
  artifacts: [{name: "{module}", namespace: cilium-system, copy: [{from: "@repo/tenants/tenant-a/**", to: "@artifact/"}]}]
  managedNamespaces: {allowedNames: ["true"], prune: true}
`
	o := observe(t, listOf(platform, generator))
	assert.Equal(t, base.ours(), o.ours(), "a tenant's generator is no configuration")

	forged := `apiVersion: v1
kind: Namespace
metadata:
  name: tenant-%s
  annotations:
    config.kubernetes.io/path: tenants/tenant-x/..\..\generated\ns.yaml
    provision-tenants.fn.kpt.dev/owner: ArtifactGenerator/flux-system/tenants
    provision-tenants.fn.kpt.dev/name: /Namespace//tenant-%s
`
	for _, name := range []string{"a", "gone"} {
		o = observe(t, listOf(platform, fmt.Sprintf(forged, name, name)))
		assert.Equal(t, exitErrors, o.status, "a tenant's file is no previous output")
		assert.NotContains(t, o.found(), "info gc-applier")
	}
}

// The root of the tenants is no link, or nobody is there.
func TestTheRootIsALink(t *testing.T) {
	repo(t, m{"elsewhere/tenant-a/modules/m/manifests/x": "y"})
	link(t, "elsewhere", "tenants")
	o := renderAgain(t, platform)
	assert.Equal(t, exitSafeguard, o.status)
	assert.Equal(t, []string{"error no-match spec.generators[0].spec.pathPattern", "warning link-skipped tenants"}, o.found("error", "warning"))
}

func TestTenThousandFiles(t *testing.T) {
	files := m{}
	for i := range 10_000 {
		files[fmt.Sprintf("%05d.yaml", i)] = ""
	}
	repo(t, m{tenantA: manifest})
	for name := range files {
		write(t, ".", contentX+"/"+name, "")
	}
	o := outcome{stdout: runMain(wrap([]byte(platform)))["stdout.yaml"]}
	o.decode(t)
	assert.Equal(t, archiveDigest(t, files), o.get(t, "tenant-x/m").annotation("digest"))
}

// What cannot be a list, and what is one and asks for nonsense.
func TestBadInput(t *testing.T) {
	const head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"
	for name, test := range map[string]struct{ stdin, says string }{
		"empty":                 {"", "empty"},
		"only space":            {" \n\n", "empty"},
		"only a comment":        {"# x\n", "empty"},
		"not YAML":              {"items: [", "YAML"},
		"text":                  {"hello\n", "ResourceList"},
		"a list":                {"- a\n", "ResourceList"},
		"another kind":          {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n", `"ConfigMap"`},
		"another version":       {"apiVersion: v1\nkind: ResourceList\nitems: []\n", "config.kubernetes.io/v1"},
		"not UTF-8":             {head + "items: []\n# \xff\n", "UTF-8"},
		"items are a map":       {head + "items: {a: b}\n", "items"},
		"an item is text":       {head + "items: [a]\n", `items\[0\]`},
		"an item has no kind":   {head + "items:\n- metadata: {name: x}\n  - x\n", "YAML"},
		"functionConfig a list": {head + "items: []\nfunctionConfig: []\n", "functionConfig"},
		"a duplicate key":       {head + "items: []\nitems: []\n", "items"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			got := runMain([]byte(test.stdin))
			assert.Equal(t, "2\n", got["status"])
			assert.Empty(t, got["stdout.yaml"], "there is nothing to hand back")
			assert.Regexp(t, `^error: [^\n]*`+test.says+`[^\n]*\n$`, got["stderr"])
		})
	}
}

func TestBadConfiguration(t *testing.T) {
	const spec = "spec.generators[0].spec."
	item := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: keep # me\n"
	for name, test := range map[string]struct {
		config string
		status int
		want   string
		says   []string
	}{
		"none":                  {"", exitErrors, "error config-missing", nil},
		"unknown kind":          {with(t, "kind: ProvisionTenants", "kind: ProvisionTenant"), exitErrors, "error config-kind kind", []string{`did you mean .?ProvisionTenants`}},
		"unknown version":       {with(t, "fn.kpt.dev/v1alpha1", "fn.kpt.dev/v1"), exitErrors, "error config-version apiVersion", []string{"v1alpha1"}},
		"unknown field":         {with(t, "commonMetadata:", "comonMetadata:"), exitErrors, "error config-unknown-field " + spec + "comonMetadata", []string{`did you mean .?commonMetadata`}},
		"wrong type":            {with(t, "prune: true", "prune: maybe"), exitErrors, "error config-type " + spec + "managedNamespaces.prune", nil},
		"required field":        {with(t, "          prune: true\n", ""), exitErrors, "error config-required " + spec + "managedNamespaces.prune", nil},
		"no generator":          {platform[:strings.Index(platform, "  generators")], exitErrors, "error config-missing", nil},
		"missing directory":     {with(t, "directory: .", "directory: nope"), exitErrors, "error source-unreadable spec.sources[0].directory", []string{"nope"}},
		"zero matches":          {with(t, "@repo/tenants/{namespace}/modules", "@repo/tenants/{namespace}/module"), exitSafeguard, "error no-match " + spec + "pathPattern", []string{`did you mean "modules"`}},
		"CEL does not compile":  {with(t, "directory: .", "directory: nope", "ns.startsWith('tenant-')", "ns.startsWith('tenant-'"), exitErrors, "error expression-syntax " + spec + "managedNamespaces.allowedNames[0]", []string{`column \d+|:\d+`}},
		"CEL knows no such var": {with(t, "directory: .", "directory: nope", "ns.startsWith('tenant-')", "true || nss == 'x'"), exitErrors, "error expression-syntax " + spec + "managedNamespaces.allowedNames[0]", []string{`column 9\b`, "nss"}},
		"CEL is no boolean":     {with(t, "directory: .", "directory: nope", "ns.startsWith('tenant-')", "ns + 'x'"), exitErrors, "error expression-not-boolean " + spec + "managedNamespaces.allowedNames[0]", []string{"string"}},
		"CEL has a bad pattern": {with(t, "directory: .", "directory: nope", "ns.startsWith('tenant-')", "ns.matches('^(a$')"), exitErrors, "error expression-syntax " + spec + "managedNamespaces.allowedNames[0]", nil},
		"CEL of a label": {
			with(t, "directory: .", "directory: nope", `"value in ['dev', 'prod']"`, `"value =="`), exitErrors,
			"error expression-syntax " + spec + `managedNamespaces.metadata.fromSource.allowedLabels["my.org/env"]`,
			[]string{`column \d+`},
		},
		"allowedNames is true": {with(t, `["ns.startsWith('tenant-')"]`, "[true]"), exitErrors, "error config-type " + spec + "managedNamespaces.allowedNames[0]", []string{"quotes"}},
	} {
		t.Run(name, func(t *testing.T) {
			repo(t, m{tenantA: manifest})
			stdin := listOf(test.config, item)
			o := observe(t, stdin)
			assert.Equal(t, test.status, o.status)
			assert.Equal(t, []string{test.want}, o.found("error"), o.stderr)
			assert.Contains(t, o.stdout, "    name: keep # me\n", "nothing is lost")
			assert.Empty(t, o.ours(), "nothing is emitted")
			for _, says := range test.says {
				assert.Regexp(t, says, o.stderr)
			}
		})
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestClosedStdout(t *testing.T) {
	repo(t, m{tenantA: manifest})
	var stderr bytes.Buffer
	assert.Equal(t, exitUnusable, Main(nil, bytes.NewReader(wrap([]byte(platform))), brokenPipe{}, &stderr))
	assert.Contains(t, stderr.String(), "error: ")
	assert.Contains(t, stderr.String(), "broken pipe")
}

// The Go runtime opens /dev/null for a standard stream that is closed, so a
// closed stdout cannot be told from one that nobody wants; a full one can.
func TestStreamsOfTheProgram(t *testing.T) {
	needs(t)
	repo(t, m{tenantA: manifest})
	write(t, ".", "in.yaml", string(wrap([]byte(platform))))
	for _, redirect := range []string{"< in.yaml > /dev/full", "<&-", "< .", "< /dev/null"} {
		r := run(t, ".", "provision-tenants "+redirect)
		assert.Equal(t, exitUnusable, r.status, redirect)
		assert.Regexp(t, `^error: [^\n]+\n$`, r.stderr, redirect)
		assert.Empty(t, r.stdout)
	}
}

// Stdin from a terminal prints help instead of hanging.
func TestTerminal(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	defer func() { _ = terminal.Close() }()
	var stdout, stderr bytes.Buffer
	assert.Equal(t, exitOK, Main(nil, terminal, &stdout, &stderr))
	assert.Contains(t, stdout.String(), "Usage:")
}
