package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/storage/driver"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// helm installs and upgrades a chart that holds what was rendered.
var helm = applier{
	name:     "`helm upgrade`",
	destroys: "`helm uninstall`",
	open: func(t *testing.T, f *fleet) session {
		t.Helper()
		flags := genericclioptions.NewConfigFlags(true)
		flags.KubeConfig = &cluster.kubeconfig
		config := &action.Configuration{}
		require.NoError(t, config.Init(flags, "default", "secret", t.Logf))
		return session{
			apply: func() {
				t.Helper()
				rendered, err := os.ReadFile(filepath.Join(f.dir, "rendered/rendered.yaml"))
				require.NoError(t, err)
				packed := chartOf(f.name, rendered)
				_, err = config.Releases.Last(f.name)
				if errors.Is(err, driver.ErrReleaseNotFound) {
					install := action.NewInstall(config)
					install.ReleaseName, install.Namespace = f.name, "default"
					_, err = install.Run(packed, nil)
				} else if err == nil {
					upgrade := action.NewUpgrade(config)
					upgrade.Namespace = "default"
					_, err = upgrade.Run(f.name, packed, nil)
				}
				require.NoError(t, err)
			},
			destroy: func() {
				t.Helper()
				_, err := action.NewUninstall(config).Run(f.name)
				require.NoError(t, err)
			},
		}
	},
}

// chartOf is a chart whose one template prints a file, so that nothing in the
// file is taken for a template.
func chartOf(name string, rendered []byte) *chart.Chart {
	return &chart.Chart{
		Metadata:  &chart.Metadata{APIVersion: chart.APIVersionV2, Name: name, Version: "0.1.0"},
		Templates: []*chart.File{{Name: "templates/rendered.yaml", Data: []byte(`{{ .Files.Get "rendered.yaml" }}`)}},
		Files:     []*chart.File{{Name: "rendered.yaml", Data: rendered}},
	}
}
