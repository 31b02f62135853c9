package artifact

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// BenchmarkBuild builds the artifacts of a fleet: 3 modules with 5 manifests for
// each namespace. x-floor is the ratio to the floor in the same run: walk, read
// and SHA-256 of the same files in plain Go.
func BenchmarkBuild(b *testing.B) {
	for _, namespaces := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("namespaces=%d", namespaces), func(b *testing.B) { benchmarkBuild(b, namespaces) })
	}
}

func benchmarkBuild(b *testing.B, namespaces int) {
	dir := b.TempDir()
	for ns := range namespaces {
		for file := range 15 {
			manifests := filepath.Join(dir, fmt.Sprintf("tenants/tenant-%04d/modules/m%d/manifests", ns, file/5))
			require.NoError(b, os.MkdirAll(manifests, 0o750))
			text := fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m%d\ndata:\n  text: %s\n", file, strings.Repeat("x", 40*file))
			require.NoError(b, os.WriteFile(filepath.Join(manifests, fmt.Sprintf("%d.yaml", file%5)), []byte(text), 0o600))
		}
	}
	op, ok := ParseOperation(opFields{From: "@repo/tenants/{ns}/modules/{m}/manifests/**", To: "@artifact/"}.fields(), &krm.Report{})
	require.True(b, ok)
	require.NoError(b, readPlainly(dir)) // the caches of the disk are warm for both
	var floor time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := b.Elapsed()
		require.NoError(b, readPlainly(dir))
		floor += b.Elapsed() - start
		buildFleet(b, dir, namespaces, op)
	}
	b.ReportMetric((float64(b.Elapsed())-float64(floor))/float64(floor), "x-floor")
}

func buildFleet(b *testing.B, dir string, namespaces int, op Operation) {
	tree, err := source.Open(dir, ".")
	require.NoError(b, err)
	defer tree.Close()
	for ns := range namespaces {
		for m := range 3 {
			values := map[string]string{"ns": fmt.Sprintf("tenant-%04d", ns), "m": fmt.Sprintf("m%d", m)}
			a, ok := Build(values["ns"]+"/"+values["m"], []Operation{op}, values, map[string]*source.Tree{"repo": tree}, &krm.Report{})
			require.True(b, ok)
			a.Release()
		}
	}
}

func readPlainly(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		_ = sha256.Sum256(data)
		return err
	})
}
