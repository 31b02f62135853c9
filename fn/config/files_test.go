package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func write(t *testing.T, root, name, text string) {
	t.Helper()
	file := filepath.Join(root, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
}

// Files of configs are looked up in the package that kpt names, not in the
// working directory, and never outside of it.
func TestConfigFilesOfAPackage(t *testing.T) {
	root := t.TempDir()
	write(t, root, "pkg/profiles/a.yaml", named(t, "a", "@repo/tenants/{x}"))
	write(t, root, "outside.yaml", named(t, "b", "@repo/other/{x}"))
	require.NoError(t, os.Symlink("../../outside.yaml", filepath.Join(root, "pkg/profiles/link.yaml")))
	require.NoError(t, os.Symlink("../..", filepath.Join(root, "pkg/profiles/up")))
	in := func(patterns ...string) string {
		return withPackage(t, withConfigs("", patterns...), filepath.Join(root, "pkg"), "fn.yaml")
	}

	plan, findings := parse(t, listOf(in("profiles/a.yaml")))
	require.Empty(t, findings)
	assert.Equal(t, "a", plan.Generators[0].Name)
	assert.Equal(t, "profiles/a.yaml", plan.Generators[0].Pos.File)
	assert.Equal(t, filepath.Join(root, "pkg"), plan.Sources[0].Directory)
	assert.Equal(t, ".", plan.Sources[0].Place)

	plan, findings = parse(t, listOf(in("profiles/*.yaml")))
	assert.Equal(t, []string{"warning config-link spec.configs[0]"}, codes(findings))
	assert.Contains(t, findings[0].Message, "profiles/link.yaml")
	assert.Len(t, plan.Generators, 1)

	_, findings = parse(t, listOf(in("profiles/link.yaml")))
	assert.Contains(t, codes(findings), "error config-not-found spec.configs[0]")
	_, findings = parse(t, listOf(in("profiles/up/outside.yaml")))
	assert.Contains(t, codes(findings), "error config-unreadable spec.configs[0]")
	assert.Equal(t, `"profiles/up/outside.yaml" cannot be read: "profiles/up": it is a link, and links are never followed`, findings[0].Message)
}

func TestConfigFileInTenantDirectoryOfAPackage(t *testing.T) {
	root := t.TempDir()
	write(t, root, "repo/deploy/x/a.yaml", named(t, "a", "@repo/deploy/x/{x}"))
	text := withPackage(t, withConfigs("  sources: [{directory: ..}]\n", "x/a.yaml"), filepath.Join(root, "repo/deploy"), "fn.yaml")
	_, findings := parse(t, listOf(text))
	assert.Equal(t, []string{"error config-in-tenant-directory spec.configs[0]"}, codes(findings))
}

func TestUnreadableConfigFiles(t *testing.T) {
	root := t.TempDir()
	write(t, root, "large.yaml", strings.Repeat("#", 1<<20)+"\n")
	_, findings := parse(t, listOf(withPackage(t, withConfigs("", "large.yaml"), root, "fn.yaml")))
	assert.Contains(t, codes(findings), "error config-unreadable spec.configs[0]")
	assert.Equal(t, `"large.yaml" cannot be read: it has 1048577 bytes, 1048576 are allowed`, findings[0].Message)

	_, findings = parse(t, listOf(withPackage(t, withConfigs("", "a.yaml"), root, "fn.yaml")))
	assert.Equal(t, "paths start from the base directory, which is that of the package", findings[0].Hint)

	_, findings = parse(t, listOf(withPackage(t, withConfigs("", "a.yaml"), filepath.Join(root, "gone"), "fn.yaml")))
	assert.Equal(t, []string{"error config-unreadable spec.configs[0]"}, codes(findings))
	assert.Equal(t, "the base directory of `configs` cannot be read: no such file or directory", findings[0].Message)
}

// A wildcard may match the functionConfig's own file.
func TestConfigFilesMatchTheFunctionConfig(t *testing.T) {
	root := t.TempDir()
	text := withConfigs("", "*.yaml")
	write(t, root, "fn.yaml", text)
	write(t, root, "a.yaml", named(t, "a", "@repo/tenants/{x}"))
	plan, findings := parse(t, listOf(withPackage(t, text, root, "fn.yaml")))
	require.Empty(t, findings)
	assert.Len(t, plan.Generators, 1)
}
