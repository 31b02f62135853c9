package krm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/stretchr/testify/require"
)

// kptList is a list of ConfigMaps as `kpt fn source` sends them, of about 590
// bytes each.
func kptList(items int) []byte {
	var b strings.Builder
	b.WriteString(header1 + "items:\n")
	for i := range items {
		fmt.Fprintf(&b, `- apiVersion: v1
  kind: ConfigMap
  metadata: # kpt-merge: team-%[1]d/settings
    name: settings-%[1]d
    namespace: team-%[1]d
    annotations:
      internal.config.kubernetes.io/index: '0'
      internal.config.kubernetes.io/path: 'teams/team-%[1]d/settings.yaml'
      config.kubernetes.io/index: '0'
      config.kubernetes.io/path: 'teams/team-%[1]d/settings.yaml'
      internal.config.kubernetes.io/seqindent: 'compact'
  data:
    LOG_LEVEL: info
    url: "https://team-%[1]d.example.org:8443/settings"
    config.yaml: |
      replicas: 3

      # a comment that is text
      labels: {team: "%[1]d"}
`, i)
	}
	return []byte(b.String())
}

// BenchmarkReadRender reads a list of 10,000 foreign items and writes it again,
// and does the same once by the SDK, whose time it prints as a multiple.
func BenchmarkReadRender(b *testing.B) {
	data := kptList(10_000)
	b.ResetTimer()
	sdk, err := fn.ParseResourceList(data)
	require.NoError(b, err)
	_, err = sdk.ToYAML()
	require.NoError(b, err)
	once := b.Elapsed()
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		list, err := Read(data)
		require.NoError(b, err)
		rendered(list, list.Items, nil, nil)
	}
	b.ReportMetric(once.Seconds()/(b.Elapsed().Seconds()/float64(b.N)), "x-faster-than-SDK")
}

// BenchmarkAppendYAML writes one of our objects.
func BenchmarkAppendYAML(b *testing.B) {
	object := sampleObject()
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = object.AppendYAML(buf[:0], 2)
	}
}
