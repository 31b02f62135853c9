// Package e2e applies what the function emits to a real API server, with the real
// appliers, and looks at what happens to the namespaces.
package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fluxcd/pkg/ssa/utils"
	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

var update = flag.Bool("update", false, "rewrite the table of the README")

// cluster is what the tests talk to; TestMain starts it.
var cluster struct {
	kubeconfig string
	config     *rest.Config
	client.Client
}

func TestMain(m *testing.M) {
	flag.Parse()
	log.SetLogger(logr.Discard())
	status, err := withCluster(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// withCluster runs the tests while the server of server/main.go runs. Whatever
// ends this process ends the server, because the pipe between them closes, and
// with the server goes its directory.
func withCluster(tests func() int) (status int, err error) {
	program, err := buildServer()
	if err != nil {
		return 0, err
	}
	server := exec.Command(program)
	var says bytes.Buffer
	server.Stderr = &says
	hold, err := server.StdinPipe()
	if err != nil {
		return 0, err
	}
	address, err := server.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := server.Start(); err != nil {
		return 0, err
	}
	defer func() {
		_ = hold.Close()
		err = errors.Join(err, server.Wait())
	}()
	if err := connect(address); err != nil {
		return 0, fmt.Errorf("the API server does not start: %w\n%s", err, says.String())
	}
	if err := prepare(filepath.Dir(cluster.kubeconfig)); err != nil {
		return 0, err
	}
	return tests(), nil
}

const repository = "../.."

// buildServer leaves the server in bin/ of the repository, where it stays. It says
// that it is the version it is made of, which clients ask for.
func buildServer() (string, error) {
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes").Output()
	if err != nil {
		return "", err
	}
	out := filepath.Join(repository, "bin", "e2e-server")
	return out, build(".", "./server", out, "-ldflags", "-X k8s.io/component-base/version.gitVersion="+strings.TrimSpace(string(version)))
}

func build(dir, pkg, out string, flags ...string) error {
	out, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	command := exec.Command("go", slices.Concat([]string{"build", "-o", out}, flags, []string{pkg})...)
	command.Dir = dir
	if text, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", command, err, text)
	}
	return nil
}

// prepare builds the function and shows the cluster to all commands. It keeps what
// it makes in dir.
func prepare(dir string) error {
	for _, variable := range []struct{ key, value string }{
		{"KUBECONFIG", cluster.kubeconfig},
		{"KUBECACHEDIR", filepath.Join(dir, "discovery")}, // ports come back with another server behind them
		{"PATH", filepath.Join(dir, "bin") + string(os.PathListSeparator) + os.Getenv("PATH")},
	} {
		if err := os.Setenv(variable.key, variable.value); err != nil {
			return err
		}
	}
	if err := build(repository, ".", filepath.Join(dir, "bin", "provision-tenants")); err != nil {
		return err
	}
	return installDefinitions()
}

// connect waits for the server's one line.
func connect(server io.Reader) error {
	line, err := bufio.NewReader(server).ReadString('\n')
	if err != nil {
		return err
	}
	cluster.kubeconfig = strings.TrimSpace(line)
	if cluster.config, err = clientcmd.BuildConfigFromFlags("", cluster.kubeconfig); err != nil {
		return err
	}
	cluster.config.QPS = -1
	cluster.Client, err = client.New(cluster.config, client.Options{})
	return err
}

// definitions are the modules that have the CustomResourceDefinitions of Flux, at
// the newest version that this Go accepts. Of ExternalArtifacts there is a newer
// one beside this file: the first with `status.exportedInputs`.
var definitions = map[string][]string{
	"github.com/fluxcd/source-controller@v1.9.6":    {"source.toolkit.fluxcd.io_helmrepositories.yaml", "source.toolkit.fluxcd.io_ocirepositories.yaml"},
	"github.com/fluxcd/kustomize-controller@v1.9.6": {"kustomize.toolkit.fluxcd.io_kustomizations.yaml"},
	"github.com/fluxcd/helm-controller@v1.6.0":      {"helm.toolkit.fluxcd.io_helmreleases.yaml"},
}

const externalArtifacts = "source.toolkit.fluxcd.io_externalartifacts.yaml"

func installDefinitions() error {
	files := []string{externalArtifacts, "stand-ins.yaml"}
	for module, names := range definitions {
		dir, err := download(module)
		if err != nil {
			return err
		}
		for _, name := range names {
			files = append(files, filepath.Join(dir, "config/crd/bases", name))
		}
	}
	for _, file := range files {
		if err := install(file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

// download returns the directory of a module in the module cache.
func download(module string) (string, error) {
	command := exec.Command("go", "mod", "download", "-json", module)
	command.Dir = os.TempDir() // the graph of this module stays as it is
	out, err := command.Output()
	var answer struct{ Dir, Error string }
	if err == nil {
		err = json.Unmarshal(out, &answer)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", module, err, out)
	}
	return answer.Dir, nil
}

// install applies a file and waits until the CustomResourceDefinitions in it are
// served.
func install(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	objects, err := utils.ReadObjects(bytes.NewReader(data))
	if err != nil {
		return err
	}
	ctx := context.Background()
	for _, o := range objects {
		if err := cluster.Apply(ctx, client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("e2e"), client.ForceOwnership); err != nil {
			return err
		}
		if o.GetKind() != "CustomResourceDefinition" {
			continue
		}
		if err := poll(func() (bool, error) { return established(o.GetName()) }); err != nil {
			return err
		}
	}
	return nil
}

func established(name string) (bool, error) {
	definition, err := get(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}, "", name)
	if err != nil {
		return false, err
	}
	status, _ := definition.Object["status"].(map[string]any)
	conditions, _ := status["conditions"].([]any)
	return slices.ContainsFunc(conditions, func(condition any) bool {
		c, _ := condition.(map[string]any)
		return c["type"] == "Established" && c["status"] == "True"
	}), nil
}

// patience is how long to wait for what must come about.
const patience = 3 * time.Minute

// poll waits until something holds.
func poll(holds func() (bool, error)) error {
	for late := time.After(patience); ; {
		if ok, err := holds(); ok || err != nil {
			return err
		}
		select {
		case <-late:
			return fmt.Errorf("it does not come about within %s", patience)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func get(kind schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(kind)
	return o, cluster.Get(context.Background(), client.ObjectKey{Namespace: namespace, Name: name}, o)
}

func list(t *testing.T, kind schema.GroupVersionKind) []unstructured.Unstructured {
	t.Helper()
	all := &unstructured.UnstructuredList{}
	all.SetGroupVersionKind(kind)
	require.NoError(t, cluster.List(context.Background(), all))
	return all.Items
}

var (
	namespaces = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}
	configMaps = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	artifacts  = schema.GroupVersionKind{Group: "source.toolkit.fluxcd.io", Version: "v1", Kind: "ExternalArtifact"}
	sets       = schema.GroupVersionKind{Group: "fluxcd.controlplane.io", Version: "v1", Kind: "ResourceSet"}
)

// live returns a Namespace that is there and not on its way out.
func live(t *testing.T, name string) (*unstructured.Unstructured, bool) {
	t.Helper()
	namespace, err := get(namespaces, "", name)
	if apierrors.IsNotFound(err) {
		return nil, false
	}
	require.NoError(t, err)
	return namespace, namespace.GetDeletionTimestamp() == nil
}

// needs makes sure that a host is there: without one the test fails in CI and is
// skipped elsewhere.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("%s is not installed, and in CI every host must be there", program)
			}
			t.Skipf("%s is not installed", program)
		}
	}
}

type result struct {
	stdout, stderr string
	status         int
}

// run runs a shell command in dir.
func run(t *testing.T, dir, command string) result {
	t.Helper()
	shell := exec.Command("bash", "-o", "pipefail", "-c", command)
	shell.Dir = dir
	var stdout, stderr bytes.Buffer
	shell.Stdout, shell.Stderr = &stdout, &stderr
	err := shell.Run()
	if shell.ProcessState == nil {
		require.NoError(t, err)
	}
	t.Logf("%s$ %s\n%s%s", filepath.Base(dir), command, &stdout, &stderr)
	return result{stdout.String(), stderr.String(), shell.ProcessState.ExitCode()}
}

// must is run for a command that has to succeed.
func must(t *testing.T, dir, command string) string {
	t.Helper()
	r := run(t, dir, command)
	require.Zero(t, r.status, "%s\n%s%s", command, r.stdout, r.stderr)
	return r.stdout
}
