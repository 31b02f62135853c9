// Package flux runs Flux's own libraries on what the function writes. It is a
// module of its own, so that the function does not depend on them.
package flux

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

const repository = "../.."

// binary is the function, built by TestMain.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "flux")
	if err == nil {
		binary = filepath.Join(dir, "provision-tenants")
		build := exec.Command("go", "build", "-o", binary, ".")
		build.Dir, build.Stderr = repository, os.Stderr
		err = build.Run()
	}
	status := 1
	if err == nil {
		status = m.Run()
	} else {
		_, _ = fmt.Fprintln(os.Stderr, err)
	}
	_ = os.RemoveAll(dir)
	os.Exit(status)
}

// example is a configuration, a tree, and what the function is called with.
type example struct {
	name, dir string
	stdin     []byte
	args      []string
}

// run calls the function, with a verb or without.
func (e example) run(t *testing.T, verb ...string) (stdout, stderr string, status int) {
	t.Helper()
	command := exec.Command(binary, append(verb, e.args...)...)
	command.Dir, command.Stdin = e.dir, bytes.NewReader(e.stdin)
	var out, messages strings.Builder
	command.Stdout, command.Stderr = &out, &messages
	if err := command.Run(); err != nil {
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
	}
	return out.String(), messages.String(), command.ProcessState.ExitCode()
}

// examples are the golden cases and fixtures that emit something, and what hostile
// tenants write.
func examples(t *testing.T) []example {
	t.Helper()
	all := append(goldens(t), fixtures(t)...)
	require.Greater(t, len(all), 40)
	return append(all, hostile(t))
}

func fixtures(t *testing.T) []example {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(repository, "testdata", "fixtures", "*", "function-config.yaml"))
	require.NoError(t, err)
	var found []example
	for _, file := range files {
		e := example{dir: filepath.Dir(file), args: []string{filepath.Base(file)}}
		e.name = filepath.Base(e.dir)
		if _, _, status := e.run(t); status == 0 {
			found = append(found, e)
		}
	}
	return found
}

func goldens(t *testing.T) []example {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(repository, "testdata", "golden", "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var found []example
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		e := example{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), dir: t.TempDir()}
		succeeds, setup := false, ""
		for _, f := range archive.Files {
			switch f.Name {
			case "want/status":
				succeeds = string(f.Data) == "0\n"
			case "setup":
				setup = string(f.Data)
			case "in.yaml":
				e.stdin = bytes.ReplaceAll(f.Data, []byte("/PACKAGE"), []byte(e.dir))
			case "fn.yaml":
				e.stdin = wrap(f.Data)
			}
			if !strings.HasPrefix(f.Name, "want/") {
				write(t, e.dir, f.Name, string(f.Data))
			}
		}
		if succeeds {
			setUp(t, e.dir, setup)
			found = append(found, e)
		}
	}
	return found
}

// wrap makes the list that a host without items sends.
func wrap(config []byte) []byte {
	text := "  " + strings.ReplaceAll(strings.TrimSuffix(string(config), "\n"), "\n", "\n  ") + "\n"
	return []byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nfunctionConfig:\n" + text)
}

// setUp runs the setup of a golden case.
func setUp(t *testing.T, dir, script string) {
	t.Helper()
	for line := range strings.Lines(script) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		at := func(i int) string {
			name := filepath.Join(dir, words[i])
			require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
			return name
		}
		var err error
		switch words[0] {
		case "link":
			err = os.Symlink(words[1], at(2))
		case "chmod":
			mode, parsed := strconv.ParseUint(words[1], 8, 32)
			err = errors.Join(parsed, os.Chmod(at(2), os.FileMode(mode)))
		case "fifo":
			err = exec.Command("mkfifo", at(1)).Run()
		case "pack":
			err = exec.Command("tar", "-czf", at(1), "-C", at(2), ".").Run()
		case "fill", "sparse":
			size, parsed := strconv.ParseInt(words[2], 10, 64)
			err = errors.Join(parsed, os.WriteFile(at(1), []byte("#"), 0o644), os.Truncate(at(1), size))
		default:
			t.Fatalf("unknown command %q", words[0])
		}
		require.NoError(t, err, line)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
}

const hostileConfig = `apiVersion: fn.kpt.dev/v1alpha1
kind: ProvisionTenants
metadata:
  name: monorepo
spec:
  publish: {baseURL: https://artifacts.example.org}
  generators:
    - metadata:
        name: tenants
        namespace: flux-system
      spec:
        serviceAccountName: flux-operator
        pathPattern: "@repo/tenants/{namespace}/modules/{module}"
        sources:
          - {alias: repo, kind: GitRepository, name: monorepo}
        artifacts:
          - name: "{module}"
            namespace: "{namespace}"
            inputsFrom: "@repo/tenants/{namespace}/modules/{module}/inputs.yaml"
            copy:
              - {from: "@repo/tenants/{namespace}/modules/{module}/manifests/**", to: "@artifact/"}
        managedNamespaces:
          allowedNames: [ns.startsWith("tenant-")]
          prune: true
          metadata:
            fromSource:
              path: "@repo/tenants/{namespace}/namespace-metadata.yaml"
              allowedAnnotations:
                a.tenant/x: size(value) < 1000
                z.tenant/y: size(value) < 1000
                tenant/quotes: size(value) < 1000
                tenant/braces: size(value) < 1000
                tenant/dollars: size(value) < 1000
                tenant/secret: size(value) < 1000
            from:
              - strategy: Merge
                namespace: "*"
                annotations: {admin.io/quota: strict}
`

// annotations are what the hostile tenant asks for: the first and the last one
// would take what stands between them along.
var annotations = map[string]string{
	"a.tenant/x":     "${cluster_env:-",
	"z.tenant/y":     "end}",
	"tenant/quotes":  "${q}5${q}: \"'\n---\nkind: Secret\n",
	"tenant/braces":  "${ ${} ${x ${a.b} {{ .x }} << inputs.y >>",
	"tenant/dollars": "$$ $${x} $$$${x} $(x) cost $5 $",
	"tenant/secret":  "${secret}",
}

const hostileInputs = `"${secret}": a key
dashboard: '{"datasource": "${DS_X}", "expr": "rate(x{y=\"$y\"}[$__interval])", "legend": "{{pod}}"}'
open: "${"
escaped: "$${x} $$"
default: "${undefined:-${secret}}"
number: "${number}"
nested: [{script: "#!/bin/sh\necho ${secret} $1 $$\n"}, "${number}", 12345678901234567890, 9007199254740993, 1.5, true, null]
`

// hostile is a tree in which a tenant tries everything with variables.
func hostile(t *testing.T) example {
	t.Helper()
	e := example{name: "hostile", dir: t.TempDir(), args: []string{"fn.yaml"}}
	write(t, e.dir, "fn.yaml", hostileConfig)
	var metadata strings.Builder
	metadata.WriteString("apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: NamespaceMetadata\nmetadata:\n  annotations:\n")
	for key, value := range annotations {
		fmt.Fprintf(&metadata, "    %s: %s\n", key, strconv.Quote(value))
	}
	write(t, e.dir, "tenants/tenant-x/namespace-metadata.yaml", metadata.String())
	module := "tenants/tenant-x/modules/web/"
	write(t, e.dir, module+"inputs.yaml", hostileInputs)
	for name, text := range map[string]string{
		"dashboard.json": `{"datasource": "${DS_X}", "y": "$${z}"}`, "${secret}": "a name", "run.sh": "#!/bin/sh\necho ${1:-$$}\n",
		"deep/" + strings.Repeat("long/", 40) + "name.yaml": "a: b\n", "señor.yaml": "", "empty": "", "a b'\"`{}*": "odd", "binary": "\x00\xff\x1b",
		".hidden/x": "dot", "-rf": "option",
	} {
		write(t, e.dir, module+"manifests/"+name, text)
	}
	require.NoError(t, os.Chmod(filepath.Join(e.dir, module, "manifests/run.sh"), 0o755))
	write(t, e.dir, "tenants/tenant-y/modules/web/inputs.yaml", "wait: true\n")
	write(t, e.dir, "tenants/tenant-y/modules/web/manifests/cm.yaml", "kind: ConfigMap\n")
	return e
}
