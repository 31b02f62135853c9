package fn

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// newFleetOf makes a tree of n namespaces with 3 modules of 5 manifests each, and
// returns the list that renders it.
func newFleetOf(tb testing.TB, n int) []byte {
	tb.Helper()
	dir := tb.TempDir()
	for i := range n {
		tenant := filepath.Join(dir, "tenants", fmt.Sprintf("tenant-%05d", i))
		put(tb, filepath.Join(tenant, "namespace-metadata.yaml"), "apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: NamespaceMetadata\nmetadata:\n  annotations:\n    platform.example.org/observability: Enabled\n  labels:\n    platform.example.org/cost-centre: \"0042\"\n")
		for _, module := range []string{"api", "database", "web"} {
			put(tb, filepath.Join(tenant, "modules", module, "applier-inputs.yaml"), "wait: true\ntimeout: 10m\n")
			for j := range 5 {
				put(tb, filepath.Join(tenant, "modules", module, "manifests", fmt.Sprintf("cm-%d.yaml", j)),
					fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s-%d\n  namespace: tenant-%05d\ndata:\n  key: value\n  other: %d\n", module, j, i, i*j))
			}
		}
	}
	config, err := os.ReadFile("../function-config.yaml")
	require.NoError(tb, err)
	tb.Chdir(dir)
	return wrap(config)
}

func put(tb testing.TB, path, text string) {
	tb.Helper()
	require.NoError(tb, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(tb, os.WriteFile(path, []byte(text), 0o644))
}

// floor walks, reads and hashes what a run has to read.
func floor(tb testing.TB) {
	tb.Helper()
	sum := sha256.New()
	require.NoError(tb, filepath.WalkDir("tenants", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		sum.Write(data)
		return err
	}))
}

// cpu is the processor time that this process has used, or its children.
func cpu(tb testing.TB, who int) time.Duration {
	tb.Helper()
	var usage syscall.Rusage
	require.NoError(tb, syscall.Getrusage(who, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkFleet renders fleets of four sizes. x/floor is the processor time of
// a run, in times that walking, reading and hashing the same files takes.
func BenchmarkFleet(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 1500} {
		b.Run(fmt.Sprintf("namespaces=%d", n), func(b *testing.B) {
			stdin := newFleetOf(b, n)
			floor(b) // the files are in the cache, both times
			var took, lowest time.Duration
			b.ReportAllocs()
			for b.Loop() {
				start := cpu(b, syscall.RUSAGE_SELF)
				list, err := krm.Read(stdin)
				require.NoError(b, err)
				rep := &krm.Report{}
				require.NoError(b, Run(list, io.Discard, rep))
				took += cpu(b, syscall.RUSAGE_SELF) - start
				require.False(b, rep.Failed(), "%v", rep.Findings())
				b.StopTimer()
				start = cpu(b, syscall.RUSAGE_SELF)
				floor(b)
				lowest += cpu(b, syscall.RUSAGE_SELF) - start
				b.StartTimer()
			}
			b.ReportMetric(float64(took)/float64(lowest), "x/floor")
			b.ReportMetric(float64(took.Microseconds())/float64(b.N*n), "cpu-µs/namespace")
		})
	}
}

// BenchmarkStartUp runs the binary on one generator without rules. x/floor is the
// time of that, in times of a program that is linked with the same libraries and
// does nothing.
func BenchmarkStartUp(b *testing.B) {
	dir, err := build()
	require.NoError(b, err, dir)
	binary := filepath.Join(dir, "provision-tenants")
	b.Chdir(b.TempDir())
	put(b, "apps/web/cm.yaml", "a: b\n")
	stdin := wrap([]byte("apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: ArtifactGenerator\nmetadata:\n  name: apps\nspec:\n  pathPattern: \"@repo/apps/{app}\"\n" +
		"  sources: [{alias: repo, kind: GitRepository, name: repo}]\n  artifacts: [{name: \"{app}\", copy: [{from: \"@repo/apps/{app}/**\", to: \"@artifact/\"}]}]\n"))
	var took, lowest time.Duration
	for b.Loop() {
		start := cpu(b, syscall.RUSAGE_CHILDREN)
		run := exec.Command(binary)
		run.Stdin = bytes.NewReader(stdin)
		require.NoError(b, run.Run())
		took += cpu(b, syscall.RUSAGE_CHILDREN) - start
		b.StopTimer()
		start = cpu(b, syscall.RUSAGE_CHILDREN)
		require.NoError(b, exec.Command(binary, "version").Run())
		lowest += cpu(b, syscall.RUSAGE_CHILDREN) - start
		b.StartTimer()
	}
	b.ReportMetric(float64(took)/float64(lowest), "x/floor")
}
