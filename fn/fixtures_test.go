package fn

import (
	"archive/tar"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// The fixtures are trees that platform teams have, with the configuration that
// such a team would write. Each is rendered, or refused, end to end.

// outcome is what a host sees of one run.
type outcome struct {
	status         int
	stdout, stderr string
	objects        []object
	results        []finding
}

// object is an emitted or passed-through item.
type object struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct {
		Name, Namespace     string
		Labels, Annotations map[string]string
	}
	Spec, Status, Data any
}

// finding is one entry of `results`.
type finding struct {
	Severity, Message string
	Field             struct{ Path string }
	File              struct{ Path string }
	Tags              map[string]string
}

// String is `severity code place`, where the place is as exact as it is known.
func (f finding) String() string {
	place := f.File.Path
	switch {
	case f.Tags["column"] != "":
		place += ":" + f.Tags["line"] + ":" + f.Tags["column"]
	case place == "":
		place = f.Field.Path
	}
	return strings.TrimSpace(f.Severity + " " + f.Tags["code"] + " " + place)
}

// observe runs a list and checks what holds for every run: the result is
// complete or the input, every error and warning is on stderr on a line of its
// own, nothing can steer a terminal, and a second run changes nothing.
func observe(t *testing.T, stdin []byte) outcome {
	t.Helper()
	got := runMain(stdin)
	o := outcome{stdout: got["stdout.yaml"], stderr: got["stderr"]}
	_, err := fmt.Sscan(got["status"], &o.status)
	require.NoError(t, err)
	if o.stdout == "" {
		assert.Equal(t, exitUnusable, o.status, "without output nothing but the input can be at fault: %s", o.stderr)
		return o
	}
	o.decode(t)
	o.checkText(t)
	if o.status == exitOK {
		assertStable(t, stdin, o.stdout)
	} else {
		assert.Equal(t, itemsOf(t, string(stdin)), itemsOf(t, o.stdout), "a run that fails keeps its input")
	}
	return o
}

func (o *outcome) decode(t *testing.T) {
	t.Helper()
	var list struct {
		Items   []object
		Results []finding
	}
	require.NoError(t, yaml.Unmarshal([]byte(o.stdout), &list), o.stdout)
	o.objects, o.results = list.Items, list.Results
}

func (o *outcome) checkText(t *testing.T) {
	t.Helper()
	loud := 0
	for _, f := range o.results {
		assert.NotEmpty(t, f.Tags["code"], f.Message)
		assert.False(t, strings.ContainsFunc(f.Message, unicode.IsControl), "%q", f.Message)
		if f.Severity != "info" {
			loud++
		}
	}
	lines := 0
	for line := range strings.Lines(o.stderr) {
		lines++
		assert.Regexp(t, `^(error|warning): .*\n$`, line)
		assert.False(t, strings.ContainsFunc(strings.TrimSuffix(line, "\n"), unicode.IsControl), "%q", line)
	}
	assert.Equal(t, loud, lines, "stderr has the errors and warnings, and no infos")
}

// found lists the findings of these severities, sorted; of all when none is named.
func (o outcome) found(severities ...string) []string {
	var list []string
	for _, f := range o.results {
		if len(severities) == 0 || slices.Contains(severities, f.Severity) {
			list = append(list, f.String())
		}
	}
	slices.Sort(list)
	return list
}

// the returns the only finding with this code.
func (o outcome) the(t *testing.T, code string) finding {
	t.Helper()
	var list []finding
	for _, f := range o.results {
		if f.Tags["code"] == code {
			list = append(list, f)
		}
	}
	require.Len(t, list, 1, "%s in %s", code, o.stderr)
	return list[0]
}

// ours lists what was emitted, the inventory left out: `namespace` or
// `namespace/artifact`, in the order of the list.
func (o outcome) ours() []string {
	var list []string
	for _, e := range o.objects {
		switch {
		case e.Metadata.Annotations["provision-tenants.fn.kpt.dev/owner"] == "":
		case e.Kind == "Namespace":
			list = append(list, e.Metadata.Name)
		case e.Kind == "ExternalArtifact":
			list = append(list, e.Metadata.Namespace+"/"+e.Metadata.Name)
		}
	}
	return list
}

// get returns an emitted object by its name in ours.
func (o outcome) get(t *testing.T, name string) object {
	t.Helper()
	namespace, artifact, found := strings.Cut(name, "/")
	for _, e := range o.objects {
		if e.Kind == "Namespace" && !found && e.Metadata.Name == name ||
			e.Kind == "ExternalArtifact" && found && e.Metadata.Namespace == namespace && e.Metadata.Name == artifact {
			return e
		}
	}
	require.Failf(t, "not emitted", "%s is not in %v", name, o.ours())
	return object{}
}

func (e object) annotation(name string) string {
	return e.Metadata.Annotations["provision-tenants.fn.kpt.dev/"+name]
}

// asked are the labels or annotations that are not ours.
func asked(entries map[string]string) map[string]string {
	rest := maps.Clone(entries)
	maps.DeleteFunc(rest, func(key, _ string) bool {
		return key == "app.kubernetes.io/managed-by" || key == "kustomize.toolkit.fluxcd.io/substitute" ||
			strings.HasPrefix(key, "provision-tenants.fn.kpt.dev/") || strings.HasPrefix(key, "config.kubernetes.io/")
	})
	return rest
}

// fixture copies a fixture and goes there.
func fixture(t *testing.T, name string) string {
	t.Helper()
	dirs, err := filepath.Glob("../testdata/fixtures/" + name + "-*")
	require.NoError(t, err)
	require.Len(t, dirs, 1)
	dir := filepath.Join(t.TempDir(), "repo")
	require.NoError(t, os.CopyFS(dir, os.DirFS(dirs[0])))
	t.Chdir(dir)
	return dir
}

// renderHere runs the configuration in the working directory.
func renderHere(t *testing.T) outcome {
	t.Helper()
	for _, name := range []string{"function-config.yaml", "generator.yaml"} {
		if _, err := os.Stat(name); err == nil {
			return observe(t, wrap([]byte(read(t, ".", name))))
		}
	}
	require.Fail(t, "there is no configuration")
	return outcome{}
}

// edit replaces text in a file of the working directory.
func edit(t *testing.T, name, from, to string) {
	t.Helper()
	text := read(t, ".", name)
	require.Contains(t, text, from)
	write(t, ".", name, strings.ReplaceAll(text, from, to))
}

func remove(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		require.NoError(t, os.RemoveAll(name))
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, os.Rename(from, to))
}

func link(t *testing.T, target, name string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.Symlink(target, name))
}

// archiveDigest computes the digest of an artifact a second time, from the
// description of the archive alone: a tar of the root and everything below it in
// walk order, in gzip blocks that are not compressed. A name that ends in `/` is
// an empty directory.
func archiveDigest(t *testing.T, files map[string]string) string {
	t.Helper()
	names := map[string]bool{".": true}
	for name := range files {
		for name = strings.TrimSuffix(name, "/"); name != "."; name = path.Dir(name) {
			names[name] = true
		}
	}
	order := slices.SortedFunc(maps.Keys(names), func(a, b string) int {
		return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
	})
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(fmt.Sprint(a != "."), fmt.Sprint(b != ".")) })
	var plain bytes.Buffer
	w := tar.NewWriter(&plain)
	for _, name := range order {
		header := &tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: 0o750}
		text, isFile := files[name]
		if isFile {
			header = &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: int64(len(text))}
		}
		require.NoError(t, w.WriteHeader(header))
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return fmt.Sprintf("sha256:%x", sha256.Sum256(stored(plain.Bytes())))
}

// stored is gzip (RFC 1952) with stored blocks (RFC 1951): no name, no time, XFL
// 0, OS 255, blocks of 65,535 bytes.
func stored(data []byte) []byte {
	out := []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}
	for rest := data; ; {
		n := min(len(rest), 65535)
		final := byte(0)
		if n == len(rest) {
			final = 1
		}
		out = append(out, final)
		out = binary.LittleEndian.AppendUint16(out, uint16(n))
		out = binary.LittleEndian.AppendUint16(out, ^uint16(n))
		out = append(out, rest[:n]...)
		if rest = rest[n:]; final == 1 {
			break
		}
	}
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(data))
	return binary.LittleEndian.AppendUint32(out, uint32(len(data)))
}

// metadataDigest computes the digest of a Namespace a second time.
func metadataDigest(t *testing.T, labels, annotations map[string]string) string {
	t.Helper()
	some := func(m map[string]string) map[string]string {
		if m == nil {
			return map[string]string{}
		}
		return m
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	require.NoError(t, encoder.Encode(map[string]any{"labels": some(labels), "annotations": some(annotations)}))
	return fmt.Sprintf("sha256:%x", sha256.Sum256(bytes.TrimSuffix(b.Bytes(), []byte("\n"))))
}

// below reads the files of a directory, by their paths from it.
func below(t *testing.T, dir string, without ...string) map[string]string {
	t.Helper()
	files := snapshot(t, dir)
	maps.DeleteFunc(files, func(name, _ string) bool {
		return slices.ContainsFunc(without, func(w string) bool { return name == w || strings.HasPrefix(name, w+"/") })
	})
	return files
}

type m = map[string]string

func TestFixture01DirectoryPerNamespace(t *testing.T) {
	fixture(t, "01")
	o := renderHere(t)
	assert.Equal(t, []string{"info no-baseline"}, o.found())
	long := "grants-office-review-panel-scheduling-assistant-service-prepro"
	names := []string{long, "harbour-permits-dev", "harbour-permits-prod", "library-loans-uat"}
	var want []string
	want = append(want, names...)
	for _, name := range names {
		want = append(want, name+"/cluster-a")
	}
	assert.Equal(t, want, o.ours(), "the file beside the directories asks for nothing")
	for _, name := range names {
		dir := "namespaces/cluster-a/" + name
		ns, ea := o.get(t, name), o.get(t, name+"/cluster-a")
		labels := m{"pod-security.kubernetes.io/enforce": "restricted"}
		assert.Equal(t, labels, asked(ns.Metadata.Labels))
		assert.Equal(t, metadataDigest(t, labels, nil), ns.annotation("digest"), "keep metadata is not the namespace's own")
		assert.Equal(t, dir, ns.annotation("origin"))
		assert.Equal(t, m{"cluster": "cluster-a", "namespace": name}, asked(ea.Metadata.Labels))
		assert.Equal(t, archiveDigest(t, below(t, dir, "00-namespace.yaml", "resources")), ea.annotation("digest"))
	}
	// `prune: false`: every applier is told to keep the namespace.
	assert.Equal(t, m{
		"argocd.argoproj.io/sync-options":         "Prune=false,Delete=false",
		"client.lifecycle.config.k8s.io/deletion": "detach",
		"fluxcd.controlplane.io/prune":            "disabled",
		"helm.sh/resource-policy":                 "keep",
		"kustomize.toolkit.fluxcd.io/prune":       "disabled",
	}, asked(o.get(t, long).Metadata.Annotations))
	assert.Empty(t, asked(o.get(t, long+"/cluster-a").Metadata.Annotations))
}

// Names that are derived from others have their own budgets.
func TestFixture01DerivedNames(t *testing.T) {
	fixture(t, "01")
	long := "grants-office-review-panel-scheduling-assistant-service-prepro"
	edit(t, "function-config.yaml", `name: "{cluster}"`, `name: "{namespace}-{cluster}"`)
	o := renderHere(t)
	assert.Contains(t, o.ours(), long+"/"+long+"-cluster-a", "an artifact's name may have 253 characters")

	edit(t, "function-config.yaml", `namespace: "{namespace}"`, `namespace: "{namespace}-x"`)
	o = renderHere(t)
	assert.Equal(t, exitErrors, o.status)
	assert.Equal(t, []string{"error namespace-name namespaces/cluster-a/" + long}, o.found("error"))
	assert.Contains(t, o.the(t, "namespace-name").Message, "at most 63 characters, this one has 64")
}

func TestFixture02SpellingDrift(t *testing.T) {
	fixture(t, "02")
	var expect struct {
		Accepted []string
		Rejected map[string]string
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(t, ".", "expect.yaml")), &expect))
	require.Len(t, expect.Rejected, 6)
	o := renderHere(t)
	assert.Equal(t, exitErrors, o.status)
	assert.Empty(t, o.objects)
	var want []string
	for tenant, value := range expect.Rejected {
		file := "tenants/" + tenant + "/namespace-metadata.yaml"
		want = append(want, "error metadata-value-refused "+file+":5:44")
		assert.Regexp(t, `(?m)^error: `+file+`:5:44: .*cannot be "`+value+`".*use one of "dev", "preprod", "prod", "test", "uat"`, o.stderr)
	}
	slices.Sort(want)
	assert.Equal(t, want, o.found(), "exactly these, in one run")
	assert.Regexp(t, `"Test": .*did you mean "test"\?`, o.stderr)
	assert.Regexp(t, `"UAT": .*did you mean "uat"\?`, o.stderr)

	for tenant := range expect.Rejected {
		remove(t, "tenants/"+tenant)
	}
	o = renderHere(t)
	assert.Equal(t, []string{"tenant-a", "tenant-e", "tenant-f", "tenant-a/app", "tenant-e/app", "tenant-f/app"}, o.ours())
	for tenant, value := range (m{"tenant-a": "dev", "tenant-e": "uat", "tenant-f": "prod"}) {
		labels := m{"platform.example.org/environment-name": value}
		assert.Equal(t, labels, asked(o.get(t, tenant).Metadata.Labels))
		assert.Equal(t, metadataDigest(t, labels, nil), o.get(t, tenant).annotation("digest"))
		assert.Equal(t, archiveDigest(t, below(t, "tenants/"+tenant+"/modules/app/manifests")), o.get(t, tenant+"/app").annotation("digest"))
	}
}

func TestFixture04BaseAndComponents(t *testing.T) {
	fixture(t, "04")
	namespaces := "cluster-scope/base/core/namespaces/"
	o := renderHere(t)
	assert.Equal(t, []string{
		"astro-lab", "curation", "notebooks", "project-lab-2",
		"astro-lab/base", "curation/base", "notebooks/base", "project-lab-2/base",
	}, o.ours(), "the directory is the authority, in lower case")
	assert.Equal(t, namespaces+"Project-Lab-2", o.get(t, "project-lab-2").annotation("origin"))
	var warnings []string
	for _, name := range []string{"Project-Lab-2", "astro-lab", "curation", "notebooks"} {
		warnings = append(warnings, "warning artifact-namespace "+namespaces+name+"/namespace.yaml")
	}
	assert.Equal(t, warnings, o.found("error", "warning"), "the manifests declare the namespaces a second time")

	files := m{}
	for name, text := range below(t, namespaces+"Project-Lab-2") {
		files["base/core/namespaces/Project-Lab-2/"+name] = text
	}
	for name, text := range below(t, "cluster-scope/components") {
		files["components/"+name] = text
	}
	assert.Equal(t, archiveDigest(t, files), o.get(t, "project-lab-2/base").annotation("digest"), "paths keep their case")

	write(t, ".", namespaces+"project-lab-2/namespace.yaml", "")
	o = renderHere(t)
	assert.Equal(t, []string{"error namespace-collision " + namespaces + "project-lab-2"}, o.found("error"))
	assert.Contains(t, o.the(t, "namespace-collision").Message, "Project-Lab-2")
}

// A team that moves from manifests points fromSource at them: a Namespace is no
// NamespaceMetadata, a null is no value, and the directory says the name.
func TestFixture04NamespaceManifestsAsMetadata(t *testing.T) {
	fixture(t, "04")
	edit(t, "function-config.yaml", "          prune: false\n", `          prune: false
          metadata:
            fromSource:
              path: "@repo/cluster-scope/base/core/namespaces/{namespace}/namespace.yaml"
              allowedAnnotations: {onboarding/issue: value.startsWith('https://')}
`)
	dir := "cluster-scope/base/core/namespaces/"
	o := renderHere(t)
	assert.Equal(t, []string{
		"error metadata-file-name " + dir + "Project-Lab-2/namespace.yaml:4:9",
		"error metadata-file-name " + dir + "curation/namespace.yaml:4:9",
		"error metadata-file-type " + dir + "Project-Lab-2/namespace.yaml:1:13",
		"error metadata-file-type " + dir + "Project-Lab-2/namespace.yaml:2:7",
		"error metadata-file-type " + dir + "astro-lab/namespace.yaml:1:13",
		"error metadata-file-type " + dir + "astro-lab/namespace.yaml:2:7",
		"error metadata-file-type " + dir + "curation/namespace.yaml:1:13",
		"error metadata-file-type " + dir + "curation/namespace.yaml:2:7",
		"error metadata-file-type " + dir + "notebooks/namespace.yaml:1:13",
		"error metadata-file-type " + dir + "notebooks/namespace.yaml:2:7",
		"error metadata-not-string " + dir + "notebooks/namespace.yaml:8:22",
	}, o.found("error"))
}

func TestFixture05CommittedOutput(t *testing.T) {
	fixture(t, "05")
	o := renderHere(t)
	assert.Equal(t, []string{"info no-baseline"}, o.found())
	assert.Equal(t, []string{"blue-team", "release-blue", "blue-team/prod-01-tenants", "release-blue/prod-01-managed"}, o.ours(),
		"the committed output has the same shape one level deeper")
	ea := o.get(t, "release-blue/prod-01-managed")
	assert.Equal(t, m{"cluster": "prod-01", "type": "managed", "namespace": "release-blue"}, asked(ea.Metadata.Labels))
	files := below(t, "cluster/prod-01/managed/release-blue")
	assert.Len(t, files, 4, "with what is nested")
	assert.Equal(t, archiveDigest(t, files), ea.annotation("digest"))
	assert.Equal(t, metadataDigest(t, nil, nil), o.get(t, "blue-team").annotation("digest"))

	want := o.stdout
	remove(t, "auto-generated")
	assert.Equal(t, want, renderHere(t).stdout, "committed output changes nothing")
}

// A pattern that is too wide takes the committed output for tenants: no name of
// it is admitted twice.
func TestFixture05PatternMatchesCommittedOutput(t *testing.T) {
	fixture(t, "05")
	edit(t, "function-config.yaml", "@repo/cluster/{cluster}/{type}/{namespace}", "@repo/{root}/{cluster}/{type}/{namespace}")
	o := renderHere(t)
	assert.Equal(t, exitErrors, o.status)
	assert.Equal(t, []string{
		"error namespace-not-allowed auto-generated/cluster/prod-01/managed",
		"error namespace-not-allowed auto-generated/cluster/prod-01/tenants",
	}, o.found("error")[len(o.found("error"))-2:])
}

func TestFixture06TenantsOverlays(t *testing.T) {
	fixture(t, "06")
	o := renderHere(t)
	assert.Equal(t, []string{"orange", "orange/production", "orange/staging"}, o.ours())
	assert.Equal(t, []string{"warning artifact-namespace tenants/base/orange/rbac.yaml"}, slices.Compact(o.found("error", "warning")))
	for _, overlay := range []string{"production", "staging"} {
		files := m{}
		for name, text := range below(t, "tenants/base/orange") {
			files["base/orange/"+name] = text
		}
		for name, text := range below(t, "tenants/"+overlay) {
			files[overlay+"/"+name] = text
		}
		assert.Equal(t, archiveDigest(t, files), o.get(t, "orange/"+overlay).annotation("digest"))
	}
	// The service account that prunes lives in the namespace: no applier of ours
	// may delete it.
	assert.Equal(t, "disabled", o.get(t, "orange").Metadata.Annotations["kustomize.toolkit.fluxcd.io/prune"])
}

func TestFixture08DirectoryGenerator(t *testing.T) {
	fixture(t, "08")
	o := renderHere(t)
	assert.Equal(t, exitErrors, o.status)
	assert.Equal(t, []string{
		"error artifact-collision deploy/ai/common",
		"error artifact-name deploy/ai/office_back",
		"info directory-hidden",
	}, o.found())
	assert.Contains(t, o.the(t, "artifact-collision").Message, `"deploy/ai/Common" and "deploy/ai/common"`)
	assert.Contains(t, o.the(t, "artifact-name").Message, `"office-back"`)

	remove(t, "deploy/ai/Common")
	rename(t, "deploy/ai/office_back", "deploy/ai/office-back")
	o = renderHere(t)
	assert.Equal(t, []string{
		"ai", "ingress", "shop",
		"ai/common", "ai/nginx", "ai/office-back", "ingress/nginx", "shop/cart", "shop/web.v2",
	}, o.ours(), "a dot is legal in the name of an artifact, and one name in two namespaces is two artifacts")
	assert.Equal(t, archiveDigest(t, below(t, "deploy/shop/cart")), o.get(t, "shop/cart").annotation("digest"))
	assert.Equal(t, "deploy/ingress/nginx", o.get(t, "ingress/nginx").annotation("origin"))

	edit(t, "function-config.yaml", `namespace: "{category}"`, `namespace: ai`)
	o = renderHere(t)
	assert.Equal(t, []string{"error artifact-collision deploy/ingress/nginx"}, o.found("error"))
	assert.Contains(t, o.the(t, "artifact-collision").Message, "`{category}` is in neither", "the template is at fault")
}

func TestFixture11Monorepo(t *testing.T) {
	fixture(t, "11")
	o := renderHere(t)
	assert.Equal(t, exitErrors, o.status)
	assert.Empty(t, o.objects)
	assert.Equal(t, []string{
		"error inputs-ambiguous-scalar tenants/tenant-tide/modules/api/applier-inputs.yaml:6:7",
		"error inputs-ambiguous-scalar tenants/tenant-tide/modules/api/applier-inputs.yaml:8:10",
		"error metadata-not-string tenants/tenant-reef/namespace-metadata.yaml:8:39",
		"error metadata-value-refused tenants/tenant-reef/namespace-metadata.yaml:5:41",
		"error namespace-reserved tenants/kube-system",
	}, o.found("error"), "the errors of two tenants, and of a third that must not be one")
	// A module whose inputs are wrong is there all the same: `api` is not missing.
	assert.Equal(t, []string{
		"warning depends-on-cycle tenants/tenant-reef/modules/worker/applier-inputs.yaml:2:11",
		"warning depends-on-unknown tenants/tenant-tide/modules/web/applier-inputs.yaml:3:11",
		"warning metadata-key-ignored tenants/tenant-reef/namespace-metadata.yaml:7:5",
	}, o.found("warning"))
	assert.Contains(t, o.found("info"), "info directory-unused tenants/tenant-empty")
	assert.Contains(t, o.found("info"), "info origin-revision-unknown spec.artifacts[0].originRevision")
}

// repaired11 mends what fixture 11 has wrong by design.
func repaired11(t *testing.T) string {
	t.Helper()
	dir := fixture(t, "11")
	remove(t, "tenants/kube-system")
	edit(t, "tenants/tenant-reef/namespace-metadata.yaml", ": enabled ", ": Enabled ")
	edit(t, "tenants/tenant-reef/namespace-metadata.yaml", ": 0042", `: "0042"`)
	edit(t, "tenants/tenant-reef/namespace-metadata.yaml", "    pod-security.kubernetes.io/enforce: privileged      # never grantable by a tenant\n", "")
	write(t, ".", "tenants/tenant-reef/modules/web/applier-inputs.yaml", "# nothing to wait for\n")
	edit(t, "tenants/tenant-tide/modules/api/applier-inputs.yaml", "mode: 0744", `mode: "0744"`)
	edit(t, "tenants/tenant-tide/modules/api/applier-inputs.yaml", "enabled: yes", "enabled: true\nnothing: null\nlist: [[1, a], {b: []}]")
	edit(t, "tenants/tenant-tide/modules/web/applier-inputs.yaml", "  - name: cache   # does not exist\n", "")
	return dir
}

func TestFixture11Repaired(t *testing.T) {
	repaired11(t)
	o := renderHere(t)
	assert.Equal(t, []string{"warning inputs-null tenants/tenant-tide/modules/api/applier-inputs.yaml:9:10"}, o.found("error", "warning"))
	assert.Equal(t, []string{
		"info directory-unused tenants/tenant-empty", "info no-baseline", "info origin-revision-unknown spec.artifacts[0].originRevision", "info status-needs-subresource",
	}, o.found("info"))
	assert.Equal(t, []string{
		"tenant-reef", "tenant-tide",
		"tenant-reef/web", "tenant-reef/worker", "tenant-tide/api", "tenant-tide/database", "tenant-tide/web",
	}, o.ours())
	labels := m{"platform.example.org/provisioner": "monorepo", "platform.example.org/cost-centre": "0042"}
	annotations := m{"platform.example.org/observability": "Enabled"}
	reef := o.get(t, "tenant-reef")
	assert.Equal(t, labels, asked(reef.Metadata.Labels))
	assert.Equal(t, annotations, asked(reef.Metadata.Annotations), "nothing keeps an applier from pruning")
	assert.Equal(t, metadataDigest(t, labels, annotations), reef.annotation("digest"))
	labels["platform.example.org/tier"] = "gold"
	assert.Equal(t, labels, asked(o.get(t, "tenant-tide").Metadata.Labels))

	api := o.get(t, "tenant-tide/api")
	assert.Equal(t, m{"platform.example.org/provisioner": "monorepo", "namespace": "tenant-tide", "module": "api"}, asked(api.Metadata.Labels))
	assert.Equal(t, archiveDigest(t, below(t, "tenants/tenant-tide/modules/api/manifests")), api.annotation("digest"))
	assert.Equal(t, archiveDigest(t, below(t, "tenants/tenant-tide/modules/web/manifests")), o.get(t, "tenant-tide/web").annotation("digest"), "dotfiles match")
	assert.Equal(t, map[string]any{"exportedInputs": map[string]any{
		"dependsOn": []any{map[string]any{"name": "database"}},
		"wait":      true, "retentionMs": 21600000, "bigId": 9007199254740993, "mode": "0744", "version": 1.1, "enabled": true,
		"nothing": nil, "list": []any{[]any{1, "a"}, map[string]any{"b": []any{}}},
	}}, api.Status)
	assert.Regexp(t, `(?m)^ +bigId: 9007199254740993$`, o.stdout)
	assert.Regexp(t, `(?m)^ +retentionMs: 21600000$`, o.stdout)
	assert.Equal(t, map[string]any{"exportedInputs": map[string]any{}}, o.get(t, "tenant-reef/web").Status)
	assert.Nil(t, reef.Status)
	assert.Equal(t, map[string]any{"sourceRef": map[string]any{
		"apiVersion": "source.extensions.fluxcd.io/v1beta1", "kind": "ArtifactGenerator", "name": "monorepo-tenants", "namespace": "flux-system",
	}}, api.Spec)
	assert.Equal(t, "ArtifactGenerator/flux-system/monorepo-tenants", api.annotation("owner"))
	assert.Equal(t, "source.toolkit.fluxcd.io/ExternalArtifact/tenant-tide/api", api.annotation("name"))
}

// hosted11 adds what kustomize and kpt need to fixture 11.
func hosted11(t *testing.T) string {
	t.Helper()
	demo := filepath.Join(repository(t), "testdata", "demo")
	dir := repaired11(t)
	edit(t, "generator.yaml", "metadata: {name: monorepo-tenants, namespace: flux-system}", `metadata:
  name: monorepo-tenants
  namespace: flux-system
  annotations:
    config.kubernetes.io/local-config: "true"
    config.kubernetes.io/function: |
      exec:
        path: provision-tenants`)
	write(t, dir, ".krmignore", read(t, demo, ".krmignore"))
	write(t, dir, "Kptfile", strings.ReplaceAll(read(t, demo, "Kptfile"), "function-config.yaml", "generator.yaml"))
	write(t, dir, "kustomization.yaml", "generators: [generator.yaml]\n")
	return dir
}

func TestFixture11Kustomize(t *testing.T) {
	needs(t, "kustomize")
	dir := hosted11(t)
	out := must(t, dir, kustomizeBuild+".")
	var kinds []string
	for doc := range strings.SplitSeq(out, "\n---\n") {
		var e object
		require.NoError(t, yaml.Unmarshal([]byte(doc), &e))
		kinds = append(kinds, e.Kind+" "+e.Metadata.Namespace+"/"+e.Metadata.Name)
		assert.NotContains(t, doc, "internal.config.kubernetes.io")
	}
	assert.Equal(t, []string{
		"Namespace /tenant-reef", "Namespace /tenant-tide",
		"ExternalArtifact tenant-reef/web", "ExternalArtifact tenant-reef/worker",
		"ExternalArtifact tenant-tide/api", "ExternalArtifact tenant-tide/database", "ExternalArtifact tenant-tide/web",
	}, kinds)
	assert.Contains(t, out, "    bigId: 9007199254740993\n")
	assert.Contains(t, out, `platform.example.org/cost-centre: "0042"`)
	assert.Contains(t, out, `mode: "0744"`)
	assert.Contains(t, out, "nothing: null")

	write(t, dir, "tenants/kube-system/modules/m/manifests/a.yaml", "a: b\n")
	write(t, dir, "tenants/tenant-tide/modules/api/applier-inputs.yaml", "mode: 0744\n")
	r := run(t, dir, kustomizeBuild+".")
	assert.Empty(t, r.stdout)
	assert.Equal(t, 1, r.status)
	assert.Contains(t, r.stderr, "error: tenants/kube-system: ")
	assert.Contains(t, r.stderr, "error: tenants/tenant-tide/modules/api/applier-inputs.yaml:1:7: ")
}

func TestFixture11Kpt(t *testing.T) {
	needs(t, "kpt")
	dir := hosted11(t)
	before := snapshot(t, dir)
	must(t, dir, kptRender+".")
	first := snapshot(t, dir)
	for name := range before {
		assert.Contains(t, first, name)
		if strings.HasPrefix(name, "tenants/") {
			assert.Equal(t, before[name], first[name], "a tenant's file stays as it is")
		}
	}
	var written []string
	for name := range first {
		if _, old := before[name]; !old {
			written = append(written, name)
		}
	}
	slices.Sort(written)
	assert.Equal(t, []string{
		"generated/flux-system/configmap-monorepo-tenants-inventory.yaml",
		"generated/tenant-reef/externalartifact-web.yaml",
		"generated/tenant-reef/externalartifact-worker.yaml",
		"generated/tenant-reef/namespace-tenant-reef.yaml",
		"generated/tenant-tide/externalartifact-api.yaml",
		"generated/tenant-tide/externalartifact-database.yaml",
		"generated/tenant-tide/externalartifact-web.yaml",
		"generated/tenant-tide/namespace-tenant-tide.yaml",
	}, written)
	assert.Contains(t, first["generated/tenant-tide/externalartifact-api.yaml"], "bigId: 9007199254740993\n")
	for range 2 {
		must(t, dir, kptRender+".")
		assert.Equal(t, first, snapshot(t, dir))
	}

	write(t, dir, "tenants/tenant-tide/modules/api/applier-inputs.yaml", "mode: 0744\n")
	changed := snapshot(t, dir)
	r := run(t, dir, kptRender+".")
	assert.NotZero(t, r.status)
	assert.Contains(t, r.stdout+r.stderr, "tenants/tenant-tide/modules/api/applier-inputs.yaml:1:7")
	assert.Equal(t, changed, snapshot(t, dir), "a render that fails writes nothing")
}

func TestFixture13DenyList(t *testing.T) {
	fixture(t, "13")
	// The third key only looks like the denied one, and is ignored like it, whatever
	// its value is.
	o := renderHere(t)
	assert.Equal(t, []string{
		"warning metadata-key-ignored tenants/solar-1/namespace-metadata.yaml:5:5",
		"warning metadata-key-ignored tenants/solar-2/namespace-metadata.yaml:5:5",
		"warning metadata-key-ignored tenants/solar-3/namespace-metadata.yaml:5:5",
	}, o.found("error", "warning"))
	enforced := m{"pod-security.kubernetes.io/enforce": "baseline"}
	for _, name := range []string{"solar-1", "solar-2", "solar-3"} {
		assert.Equal(t, enforced, asked(o.get(t, name).Metadata.Labels), "the platform team is not bound by the tenants' rules")
		assert.Equal(t, metadataDigest(t, enforced, nil), o.get(t, name).annotation("digest"))
	}
	assert.Equal(t, m{"pod-security.kubernetes.io/enforce": "baseline", "team": "solar"}, asked(o.get(t, "solar-0").Metadata.Labels))
}

func TestFixture14TenantTextIsData(t *testing.T) {
	fixture(t, "14")
	o := renderHere(t)
	assert.Equal(t, []string{"info no-baseline"}, o.found())
	want := m{
		"alerts.example.org/expr":    `sum(rate(http_requests_total{namespace="$namespace"}[5m])) > ${THRESHOLD}`,
		"alerts.example.org/summary": "{{ $labels.pod }} is down",
		"set.example.org/comment":    "kpt-set: ${team}",
		"shell":                      "$(date) `id` $$",
		"go":                         "<< inputs.tenant >>",
	}
	ns := o.get(t, "tenant-x")
	assert.Equal(t, want, asked(ns.Metadata.Annotations), "nothing is expanded, nothing is escaped")
	assert.Equal(t, metadataDigest(t, nil, want), ns.annotation("digest"))
	for _, name := range o.ours() {
		assert.Equal(t, "disabled", o.get(t, name).Metadata.Annotations["kustomize.toolkit.fluxcd.io/substitute"], name)
	}
	assert.Equal(t, archiveDigest(t, below(t, "tenants/tenant-x/modules/m/manifests")), o.get(t, "tenant-x/m").annotation("digest"))
}

// links16 is the fixture's setup.sh.
func links16(t *testing.T) {
	t.Helper()
	fixture(t, "16")
	link(t, "tenant-real", "tenants/tenant-alias")
	link(t, "../../../../outside", "tenants/tenant-out/modules/m/manifests")
	link(t, "../../../../../outside/secret.txt", "tenants/tenant-file/modules/m/manifests/cm.yaml")
	link(t, "..", "tenants/tenant-loop/modules/loop")
	link(t, "nowhere.yaml", "tenants/tenant-dangling/modules/m/applier-inputs.yaml")
	require.NoError(t, os.CopyFS("mounted/..2031_01_01/tenant-real", os.DirFS("tenants/tenant-real")))
	link(t, "..2031_01_01", "mounted/..data")
	link(t, "..data/tenant-real", "mounted/tenant-real")
}

func TestFixture16Links(t *testing.T) {
	links16(t)
	o := renderHere(t)
	assert.Equal(t, exitErrors, o.status)
	assert.Equal(t, []string{
		"warning copy-link-left-out tenants/tenant-file/modules/m/manifests/cm.yaml",
		"warning link-skipped tenants/tenant-alias",
		"warning link-skipped tenants/tenant-loop/modules/loop",
	}, o.found("warning"))
	assert.Equal(t, []string{"info directory-unused tenants/tenant-loop"}, o.found("info"))
	assert.Contains(t, o.the(t, "copy-link").Message, `"tenants/tenant-out/modules/m/manifests" is a link`)
	codes := m{}
	for _, f := range o.results {
		for _, tenant := range []string{"tenant-dangling", "tenant-file", "tenant-out"} {
			if f.Severity == "error" && strings.Contains(f.Message, "artifact "+tenant+"/m") {
				codes[tenant] = f.Tags["code"]
			}
		}
	}
	assert.Equal(t, m{"tenant-dangling": "copy-no-match", "tenant-file": "copy-no-match", "tenant-out": "copy-link"}, codes)
	assert.NotContains(t, o.stdout+o.stderr, "must never be read")
	assert.NotContains(t, o.stderr, "tenant-real")

	for _, tenant := range []string{"tenant-dangling", "tenant-file", "tenant-out"} {
		remove(t, "tenants/"+tenant)
	}
	o = renderHere(t)
	assert.Equal(t, []string{"tenant-real", "tenant-real/m"}, o.ours(), "neither the alias nor the cycle makes a tenant")
	assert.Equal(t, archiveDigest(t, below(t, "tenants/tenant-real/modules/m/manifests")), o.get(t, "tenant-real/m").annotation("digest"))
}

// The inputs are looked at even where the copy failed: all mistakes in one run.
func TestFixture16DanglingInputs(t *testing.T) {
	links16(t)
	edit(t, "function-config.yaml", `            copy:`, `            inputsFrom: "@repo/tenants/{namespace}/modules/{module}/applier-inputs.yaml"
            copy:`)
	for _, tenant := range []string{"tenant-real", "tenant-file", "tenant-out"} {
		write(t, "tenants/"+tenant, "modules/m/applier-inputs.yaml", "wait: true\n")
	}
	o := renderHere(t)
	assert.Contains(t, o.the(t, "inputs-link").Message, "tenants/tenant-dangling/modules/m/applier-inputs.yaml")
	assert.Len(t, o.found("error"), 4)
}

// A mounted ConfigMap or git-sync tree is reached through its links by naming
// them as the directory, which is the platform team's decision.
func TestFixture16Projection(t *testing.T) {
	links16(t)
	edit(t, "function-config.yaml", "@repo/tenants/", "@repo/")
	edit(t, "function-config.yaml", "directory: .", "directory: mounted")
	o := renderHere(t)
	assert.Equal(t, exitSafeguard, o.status)
	assert.Equal(t, []string{"error no-match spec.generators[0].spec.pathPattern", "warning link-skipped mounted/tenant-real"}, o.found("error", "warning"))

	edit(t, "function-config.yaml", "directory: mounted", "directory: mounted/..data")
	o = renderHere(t)
	assert.Equal(t, []string{"tenant-real", "tenant-real/m"}, o.ours())
	assert.Equal(t, archiveDigest(t, below(t, "tenants/tenant-real/modules/m/manifests")), o.get(t, "tenant-real/m").annotation("digest"))
}

// limits18 is the fixture's gen.py.
func limits18(t *testing.T) {
	t.Helper()
	fixture(t, "18")
	add := func(tenant, what, key, value string) {
		t.Helper()
		write(t, "tenants/"+tenant, "modules/m/manifests/cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n")
		write(t, "tenants/"+tenant, "namespace-metadata.yaml", fmt.Sprintf(
			"apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: NamespaceMetadata\nmetadata:\n  %s:\n    %s: \"%s\"\n", what, key, value))
	}
	for _, n := range []int{63, 64} {
		add(fmt.Sprintf("tenant-val-%d", n), "labels", "k", strings.Repeat("v", n))
		add(fmt.Sprintf("tenant-key-%d", n), "labels", strings.Repeat("k", n), "v")
	}
	for _, n := range []int{253, 254} {
		add(fmt.Sprintf("tenant-prefix-%d", n), "labels", strings.Repeat("a.", 126)+strings.Repeat("a", n-252)+"/k", "v")
	}
	for _, n := range []int{262143, 262144, 262145} {
		add(fmt.Sprintf("tenant-ann-%d", n), "annotations", "k", strings.Repeat("x", n-1))
	}
	for _, value := range []string{"-a", "a-", "a_", "_a", ".a", "a b", "a/b", "é", ""} {
		add("tenant-v-"+cmp.Or(fmt.Sprintf("%x", value), "empty"), "labels", "k", value)
	}
}

func TestFixture18Limits(t *testing.T) {
	limits18(t)
	o := renderHere(t)
	assert.Equal(t, exitErrors, o.status)
	var want []string
	for _, tenant := range []string{"v-2d61", "v-2e61", "v-5f61", "v-612062", "v-612d", "v-612f62", "v-615f", "v-c3a9", "val-64"} {
		want = append(want, "error metadata-value-syntax tenants/tenant-"+tenant+"/namespace-metadata.yaml:5:8")
	}
	// With ours, all three are over the limit.
	for _, size := range []string{"262143", "262144", "262145"} {
		want = append(want, "error annotations-too-large tenants/tenant-ann-"+size+"/namespace-metadata.yaml:5:8")
	}
	// No allow-list can name these keys.
	want = append(want,
		"warning metadata-key-ignored tenants/tenant-key-64/namespace-metadata.yaml:5:5",
		"warning metadata-key-ignored tenants/tenant-prefix-254/namespace-metadata.yaml:5:5")
	slices.Sort(want)
	assert.Equal(t, want, o.found())
	assert.Contains(t, o.stderr, `the largest are "k" with 262145`)
	assert.Contains(t, o.stderr, "this one has 64")
	assert.Less(t, len(o.stderr), 20_000, "a message does not repeat a value of 256 KiB")
}

// What reaches the API server has exactly 256 KiB, our annotations included.
func TestFixture18Headroom(t *testing.T) {
	limits18(t)
	for _, dir := range directories(t, "tenants") {
		if !slices.Contains([]string{"tenant-val-63", "tenant-key-63", "tenant-prefix-253", "tenant-v-empty", "tenant-ann-262143"}, filepath.Base(dir)) {
			remove(t, dir)
		}
	}
	rename(t, "tenants/tenant-ann-262143", "tenants/tenant-ann")
	value := func(n int) {
		write(t, "tenants/tenant-ann", "namespace-metadata.yaml",
			"apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: NamespaceMetadata\nmetadata:\n  annotations:\n    k: \""+strings.Repeat("x", n)+"\"\n")
	}
	size := func(o outcome) int {
		total := 0
		for key, value := range o.get(t, "tenant-ann").Metadata.Annotations {
			if key != "config.kubernetes.io/path" && key != "config.kubernetes.io/index" { // hosts strip these
				total += len(key) + len(value)
			}
		}
		return total
	}
	value(1000)
	ours := size(renderHere(t)) - 1000 - len("k")
	value(262144 - ours - 1)
	o := renderHere(t)
	assert.Equal(t, 262144, size(o))
	assert.Equal(t, m{"k": strings.Repeat("v", 63)}, asked(o.get(t, "tenant-val-63").Metadata.Labels))
	assert.Equal(t, m{strings.Repeat("k", 63): "v"}, asked(o.get(t, "tenant-key-63").Metadata.Labels))
	assert.Equal(t, m{strings.Repeat("a.", 126) + "a/k": "v"}, asked(o.get(t, "tenant-prefix-253").Metadata.Labels))
	assert.Equal(t, m{"k": ""}, asked(o.get(t, "tenant-v-empty").Metadata.Labels))

	value(262144 - ours)
	assert.Equal(t, []string{"error annotations-too-large tenants/tenant-ann/namespace-metadata.yaml:5:8"}, renderHere(t).found("error"))
}

// directories are the directories in dir.
func directories(t *testing.T, dir string) []string {
	t.Helper()
	dirs, err := filepath.Glob(dir + "/*")
	require.NoError(t, err)
	return dirs
}

// lifecycle20 goes to `before` and returns what it renders to.
func lifecycle20(t *testing.T) outcome {
	t.Helper()
	dir := fixture(t, "20")
	require.NoError(t, os.Mkdir("rendered", 0o755))
	require.NoError(t, os.CopyFS("tenants", os.DirFS("before/tenants")))
	o := renderHere(t)
	require.Equal(t, exitOK, o.status, o.stderr)
	assert.Empty(t, o.found(), "an empty baseline is the first run")
	assert.Equal(t, []string{"tenant-a", "tenant-b", "tenant-c", "tenant-a/m", "tenant-b/m", "tenant-c/m"}, o.ours())
	assert.DirExists(t, dir)
	return o
}

// documents are the items of a list as a stream of YAML documents.
func documents(t *testing.T, list string) string {
	t.Helper()
	var parsed struct{ Items []yaml.Node }
	require.NoError(t, yaml.Unmarshal([]byte(list), &parsed))
	var b strings.Builder
	for i := range parsed.Items {
		text, err := yaml.Marshal(&parsed.Items[i])
		require.NoError(t, err)
		b.WriteString("---\n" + string(text))
	}
	return b.String()
}

func TestFixture20Lifecycle(t *testing.T) {
	const max0, max3 = "  deletion:\n    maxNamespaces: 0\n", "  deletion:\n    allowEmpty: true\n    maxNamespaces: 100%\n"
	for name, test := range map[string]struct {
		tree, deletion string
		status         int
		found, ours    []string
	}{
		"same":        {"before", "", exitOK, nil, []string{"tenant-a", "tenant-b", "tenant-c", "tenant-a/m", "tenant-b/m", "tenant-c/m"}},
		"rename":      {"after-rename", "", exitOK, []string{"info gc-applier", "warning namespace-renamed"}, []string{"tenant-a", "tenant-bee", "tenant-c", "tenant-a/m", "tenant-bee/m", "tenant-c/m"}},
		"rename, max": {"after-rename", max0, exitSafeguard, []string{"error deletion-limit", "info gc-applier", "warning namespace-renamed"}, nil},
		"delete one":  {"after-delete-one", "", exitOK, []string{"info gc-applier"}, []string{"tenant-a", "tenant-c", "tenant-a/m", "tenant-c/m"}},
		"one, max":    {"after-delete-one", max0, exitSafeguard, []string{"error deletion-limit", "info gc-applier"}, nil},
		"modules gone": {
			"after-modules-gone", "", exitOK,
			[]string{"info directory-unused tenants/tenant-c", "info gc-applier"},
			[]string{"tenant-a", "tenant-b", "tenant-a/m", "tenant-b/m"},
		},
		"delete all": {
			"after-delete-all", "", exitSafeguard,
			[]string{"error deletion-all", "error deletion-limit", "error no-match", "info gc-applier", "info gc-applier", "info gc-applier"},
			nil,
		},
		"delete all, allowed": {"after-delete-all", max3, exitOK, []string{"info gc-applier", "info gc-applier", "info gc-applier"}, nil},
	} {
		for _, baseline := range []string{"directory", "file", "items"} {
			t.Run(name+"/"+baseline, func(t *testing.T) {
				before := lifecycle20(t)
				remove(t, "tenants")
				rename(t, test.tree+"/tenants", "tenants")
				if test.deletion != "" {
					edit(t, "function-config.yaml", "  deletion:\n", test.deletion)
				}
				stdin := []byte(nil)
				switch baseline {
				case "directory":
					write(t, "rendered/prod", "all.yaml", documents(t, before.stdout))
				case "file":
					edit(t, "function-config.yaml", "baseline: rendered", "baseline: rendered/all.yaml")
					write(t, "rendered", "all.yaml", documents(t, before.stdout))
				case "items":
					edit(t, "function-config.yaml", "    baseline: rendered\n", "")
					if test.deletion == "" {
						edit(t, "function-config.yaml", "  deletion:\n", "")
					}
					stdin = append([]byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"+itemsText(before.stdout)),
						wrap([]byte(read(t, ".", "function-config.yaml")))[len("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"):]...)
				}
				if stdin == nil {
					stdin = wrap([]byte(read(t, ".", "function-config.yaml")))
				}
				o := observe(t, stdin)
				assert.Equal(t, test.status, o.status, o.stderr)
				if test.status == exitOK {
					assert.Equal(t, test.ours, o.ours())
				}
				assert.Equal(t, test.found, codesOf(o))
			})
		}
	}
}

// codesOf is found without the fields of the configuration.
func codesOf(o outcome) []string {
	list := o.found()
	for i, f := range list {
		if words := strings.Fields(f); len(words) == 3 && strings.HasPrefix(words[2], "spec.") {
			list[i] = words[0] + " " + words[1]
		}
	}
	return list
}

// itemsText is the `items` section of a rendered list.
func itemsText(list string) string {
	_, rest, _ := strings.Cut(list, "\nitems:\n")
	items, _, _ := strings.Cut(rest, "\nfunctionConfig:\n")
	return "items:\n" + items + "\n"
}

func TestFixture20Rename(t *testing.T) {
	before := lifecycle20(t)
	write(t, "rendered", "all.yaml", documents(t, before.stdout))
	remove(t, "tenants")
	rename(t, "after-rename/tenants", "tenants")
	o := renderHere(t)
	message := o.the(t, "namespace-renamed").Message
	assert.Contains(t, message, `"tenant-b"`)
	assert.Contains(t, message, `"tenant-bee"`)
	assert.Equal(t, before.get(t, "tenant-b/m").annotation("digest"), o.get(t, "tenant-bee/m").annotation("digest"))
}

func TestFixture20RootIsNotThere(t *testing.T) {
	before := lifecycle20(t)
	write(t, "rendered", "all.yaml", documents(t, before.stdout))
	edit(t, "function-config.yaml", "directory: .", "directory: not-cloned")
	edit(t, "function-config.yaml", "  deletion:\n", "  deletion:\n    allowEmpty: true\n")
	o := renderHere(t)
	assert.Equal(t, exitErrors, o.status)
	assert.Equal(t, []string{"error source-unreadable spec.sources[0].directory"}, o.found(), "not even with allowEmpty")
	assert.Contains(t, o.stderr, "not-cloned")
}

func TestFixture20BaselineIsNotThere(t *testing.T) {
	lifecycle20(t)
	remove(t, "rendered")
	o := renderHere(t)
	assert.Equal(t, exitErrors, o.status)
	assert.Equal(t, []string{"error baseline-unreadable spec.deletion.baseline"}, o.found())
}
