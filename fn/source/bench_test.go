package source_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/source"
)

// BenchmarkRead reads a fleet through a Tree. x-floor is the ratio to the floor
// in the same run: walk, read and SHA-256 in plain Go.
func BenchmarkRead(b *testing.B) {
	fleet := map[string]source.Content{}
	for ns := range 300 {
		for file := range 15 {
			path := fmt.Sprintf("tenants/tenant-%03d/modules/m%d/manifests/%d.yaml", ns, file/5, file%5)
			fleet[path] = source.Content{Data: []byte(fmt.Sprintf("kind: ConfigMap\nmetadata: {name: m%d}\n", file))}
		}
	}
	dir := writeFiles(b, fleet)
	require.NoError(b, readPlainly(dir)) // the caches of the disk are warm for both
	var floor time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := b.Elapsed()
		require.NoError(b, readPlainly(dir))
		floor += b.Elapsed() - start

		tree, err := source.Open(dir, ".")
		require.NoError(b, err)
		require.NoError(b, readTree(tree, ""))
		tree.Close()
	}
	b.ReportMetric((float64(b.Elapsed())-float64(floor))/float64(floor), "x-floor")
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

func readTree(tree *source.Tree, dir string) error {
	entries, err := tree.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := e.Name
		if dir != "" {
			path = dir + "/" + e.Name
		}
		if e.Type == source.Directory {
			err = readTree(tree, path)
		} else {
			var content source.Content
			content, err = tree.ReadFile(path, 1<<20)
			_ = sha256.Sum256(content.Data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
