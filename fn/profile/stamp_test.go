package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// The hash is that of what Go's encoding/json makes of the object, without an
// older hash, in the namespace that it ends up in.
func TestHashIsThatOfSveltos(t *testing.T) {
	const text = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations: {projectsveltos.io/hash: old, note: "a < b & c"}
spec: {replicas: 2, ratio: 1.50, big: 9007199254740993, list: [true, null, "x"]}
`
	var object map[string]any
	data, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &object))
	object["spec"].(map[string]any)["big"] = json.Number("9007199254740993")
	meta := object["metadata"].(map[string]any)
	meta["namespace"] = "default"
	delete(meta["annotations"].(map[string]any), "projectsveltos.io/hash")
	encoded, err := json.Marshal(object)
	require.NoError(t, err)
	sum := sha256.Sum256(encoded)
	assert.Equal(t, "sha256:"+hex.EncodeToString(sum[:]), hash(node(t, text), "default"))
}

func TestStampsOfWhatTiersDecided(t *testing.T) {
	w := newWorld(t, `
a 50: x@100[ns/m]
c 200: x[ns/m]
b 100: y[ns/m]
p 100: z[ns/n]
`)
	claims, _ := w.run()
	assert.Equal(t, map[string]string{
		krm.WinnerKey: "ClusterProfile/a@50 (ConfigMap default/x@100)",
		krm.LosersKey: "ClusterProfile/b@100;ClusterProfile/c@200",
	}, claims[0].Verdict())
	assert.Nil(t, claims[len(claims)-1].Verdict(), "where nobody else wanted it, no tier decided")

	claims[0].Stamp(&Profile{ExtraLabels: map[string]krm.Str{"team": {Text: "web"}}})
	o := claims[0].Object
	assert.Equal(t, map[string]string{"projectsveltos.io/reason": "Resources", "team": "web"}, o.Labels)
	delete(o.Annotations, hashKey)
	assert.Equal(t, map[string]string{
		"projectsveltos.io/owner-kind": "ClusterProfile", "projectsveltos.io/owner-name": "a", "projectsveltos.io/owner-tier": "50",
		"projectsveltos.io/reference-kind": "ConfigMap", "projectsveltos.io/reference-namespace": "default",
		"projectsveltos.io/reference-name": "x", "projectsveltos.io/reference-tier": "100",
		"projectsveltos.io/clustersummary": "sveltos-default-c1", "projectsveltos.io/deploymenttype": "Remote",
	}, o.Annotations)

	was, found := NewIncumbent(o.Identity(), o.Annotations, there)
	require.True(t, found)
	assert.Equal(t, Incumbent{Owner: "ClusterProfile/a", To: there, Identity: o.Identity(), Ref: Reference{Kind: "ConfigMap", Namespace: "default", Name: "x"}}, was)
}

// The table is that of the pull request that brought tiers, with a constant in the
// place of the time and with the version that was asked for.
func TestTable(t *testing.T) {
	claims, _ := newWorld(t, "vm 100 continue: kyverno prometheus grafana\nkyverno 50: kyverno\n").run()
	versions := map[string]string{"kyverno": "v3.1.4", "prometheus": "23.4.0", "grafana": "6.58.9"}
	for _, c := range claims {
		c.Version = versions[c.Identity.Name]
		c.Cluster.Name = "clusterapi-workload"
	}
	assert.Equal(t, ""+
		"+-----------------------------+---------------+------------+------------+---------+------+------------------------+\n"+
		"|           CLUSTER           | RESOURCE TYPE | NAMESPACE  |    NAME    | VERSION | TIME |        PROFILES        |\n"+
		"+-----------------------------+---------------+------------+------------+---------+------+------------------------+\n"+
		"| default/clusterapi-workload | helm chart    | grafana    | grafana    | 6.58.9  | -    | ClusterProfile/vm      |\n"+
		"| default/clusterapi-workload | helm chart    | kyverno    | kyverno    | v3.1.4  | -    | ClusterProfile/kyverno |\n"+
		"| default/clusterapi-workload | helm chart    | prometheus | prometheus | 23.4.0  | -    | ClusterProfile/vm      |\n"+
		"+-----------------------------+---------------+------------+------------+---------+------+------------------------+\n", Table(claims))
}
