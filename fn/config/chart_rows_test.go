package config

import (
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/chart"
	"github.com/provision-tenants/provision-tenants/fn/krm"
)

func str(text string) krm.Str { return krm.Str{Text: text} }

// Secrets and ConfigMaps of the rows.
const (
	plainSettings = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: clusters}
data:
  b.yaml: |
    image: {tag: "2", pull: null}
    list: [3]
  a.yaml: |
    image: {tag: "1", name: web}
    list: [1, 2]
    keep: {}
`
	templated = `
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: templated
  namespace: clusters
  annotations: {projectsveltos.io/template: "ok"}
data:
  values.yaml: "cluster: {{ .Cluster.metadata.name }}\nimage: {tag: t}"
`
	inPlace = `
---
apiVersion: v1
kind: Secret
type: addons.projectsveltos.io/cluster-profile
metadata: {name: db, namespace: flux-system}
stringData: {password.yaml: "password: hunter2", user.yaml: "user: me"}
`
	elsewhere = `
---
apiVersion: v1
kind: Secret
type: addons.projectsveltos.io/cluster-profile
metadata: {name: db, namespace: clusters}
data: {values: cGFzc3dvcmQ6IGh1bnRlcjI=}
`
	login = `
---
apiVersion: v1
kind: Secret
metadata: {name: login, namespace: clusters}
stringData: {username: me, password: hunter2, other: x}
`
	// The auth is `me:hunter2`.
	docker = `
---
apiVersion: v1
kind: Secret
type: kubernetes.io/dockerconfigjson
metadata: {name: login, namespace: clusters}
stringData: {.dockerconfigjson: '{"auths":{"other.example.org":{"auth":"eDp5"},"https://charts.example.org/v1/":{"auth":"bWU6aHVudGVyMg=="}}}'}
`
)

const useLogin = "registryCredentialsConfig: {credentials: {name: login}}\n"

// oci is where a chart in an OCI registry is.
const oci = "repositoryURL: oci://charts.example.org/acme\n"

// ociObjects is what becomes of oci in place of plain.
const ociObjects = `- chart.spec.chart = "web"
- chart.spec.sourceRef.kind = "HelmRepository"
- chart.spec.sourceRef.name = "acme"
- chart.spec.version = "1.2.3"
- HelmRepository acme: spec.interval = "1h"
- HelmRepository acme: spec.url = "https://charts.example.org"
+ chartRef.kind = "OCIRepository"
+ chartRef.name = "acme-web"
+ OCIRepository acme-web: spec.interval = "1h"
+ OCIRepository acme-web: spec.layerSelector.mediaType = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
+ OCIRepository acme-web: spec.layerSelector.operation = "copy"
+ OCIRepository acme-web: spec.ref.tag = "1.2.3"
`

const ociURL = "\n+ OCIRepository acme-web: spec.url = \"oci://charts.example.org/acme/web\"\n"

// noChart is what a chart of a repository does not have in common with others.
const noChart = `- chart.spec.chart = "web"
- chart.spec.sourceRef.kind = "HelmRepository"
- chart.spec.sourceRef.name = "acme"
- chart.spec.version = "1.2.3"
- HelmRepository acme: spec.interval = "1h"
- HelmRepository acme: spec.url = "https://charts.example.org"
`

// second is another chart of the profile.
const second = "releaseName: api\nchartName: acme/api\n"

// rows are those of the mapping, in its order.
var rows = []row{
	{name: "releaseName", chart: "releaseName: web2", object: "shop-web2", want: `
		- releaseName = "web"
		+ releaseName = "web2"`},
	{name: "releaseNamespace is the target's and the storage's", chart: "releaseNamespace: mall", object: "mall-web", want: `
		- storageNamespace = "shop"
		- targetNamespace = "shop"
		+ storageNamespace = "mall"
		+ targetNamespace = "mall"`},
	{name: "repositoryURL http", chart: "repositoryURL: HTTP://charts.example.org/x/", want: `
		- HelmRepository acme: spec.url = "https://charts.example.org"
		+ HelmRepository acme: spec.url = "http://charts.example.org/x/"`},
	{name: "repositoryURL oci", chart: oci, want: ociObjects + ociURL},
	{name: "repositoryURL oci with a slash at its end", chart: "repositoryURL: oci://charts.example.org/acme/", want: ociObjects + ociURL},
	{name: "repositoryURL gitrepository", chart: "repositoryURL: GitRepository://apps/mono/charts//web/", want: noChart + `
		+ chart.spec.chart = "./charts/web"
		+ chart.spec.reconcileStrategy = "Revision"
		+ chart.spec.sourceRef.kind = "GitRepository"
		+ chart.spec.sourceRef.name = "mono"
		+ chart.spec.sourceRef.namespace = "apps"`},
	{name: "repositoryURL bucket", chart: "repositoryURL: bucket://apps/mono/web", want: noChart + `
		+ chart.spec.chart = "./web"
		+ chart.spec.reconcileStrategy = "Revision"
		+ chart.spec.sourceRef.kind = "Bucket"
		+ chart.spec.sourceRef.name = "mono"
		+ chart.spec.sourceRef.namespace = "apps"`},
	{name: "repositoryURL ocirepository", chart: "repositoryURL: ocirepository://apps/mono/", want: noChart + `
		+ chartRef.kind = "OCIRepository"
		+ chartRef.name = "mono"
		+ chartRef.namespace = "apps"`},
	{name: "chartName without the prefix", chart: "chartName: web", want: ""},
	{name: "chartName loses one prefix only", chart: "chartName: acme/acme/web", want: `
		- chart.spec.chart = "web"
		+ chart.spec.chart = "acme/web"`},
	{name: "chartName for oci keeps the rest", chart: oci + "chartName: acme/sub/web", want: strings.ReplaceAll(ociObjects, "acme-web", "acme-sub-web") +
		"+ OCIRepository acme-sub-web: spec.url = \"oci://charts.example.org/acme/sub/web\""},
	{name: "chartVersion http is verbatim", chart: "chartVersion: v1.2.3+b1", want: `
		- chart.spec.version = "1.2.3"
		+ chart.spec.version = "v1.2.3+b1"`},
	{name: "chartVersion http as a range", chart: "chartVersion: \">=1.2.0 <2\"", want: `
		- chart.spec.version = "1.2.3"
		+ chart.spec.version = ">=1.2.0 <2"`},
	{name: "chartVersion oci as a tag", chart: oci + "chartVersion: v1.2.3-rc.1+b.1", want: ociObjects + ociURL, fix: [2]string{`ref.tag = "1.2.3"`, `ref.tag = "v1.2.3-rc.1_b.1"`}},
	{name: "chartVersion oci as a range", chart: oci + "chartVersion: 1.x", want: ociObjects + ociURL, fix: [2]string{`ref.tag = "1.2.3"`, `ref.semver = "1.x"`}},
	{name: "chartVersion oci of two parts is a range", chart: oci + "chartVersion: \"1.2\"", want: ociObjects + ociURL, fix: [2]string{`ref.tag = "1.2.3"`, `ref.semver = "1.2"`}},

	{name: "values", chart: "values: |\n  a: {b: null, c: [1, \"2\", {d: true}]}\n  e: {}\n  f: 1.5", want: `
		+ values.a.b = null
		+ values.a.c[0] = 1
		+ values.a.c[1] = "2"
		+ values.a.c[2].d = true
		+ values.e = {}
		+ values.f = 1.5`},
	{name: "values that are empty", chart: "values: |\n  # nothing\n", want: ""},
	{
		name: "valuesFrom win over values, keys are sorted, lists are replaced", input: plainSettings,
		chart: "values: |\n  image: {tag: \"0\", pull: Always}\n  keep: {x: 1}\n  list: [9]\nvaluesFrom: [{kind: ConfigMap, name: settings}]", want: `
		+ values.image.name = "web"
		+ values.image.pull = null
		+ values.image.tag = "2"
		+ values.keep.x = 1
		+ values.list[0] = 3`,
	},
	{
		name: "templated valuesFrom come last, whatever the order", input: plainSettings + templated,
		chart: "valuesFrom: [{kind: ConfigMap, name: templated}, {kind: ConfigMap, namespace: clusters, name: settings}]", want: `
		+ values.cluster = "prod"
		+ values.image.name = "web"
		+ values.image.pull = null
		+ values.image.tag = "t"
		+ values.keep = {}
		+ values.list[0] = 3`,
	},
	{
		name: "valuesFrom a Secret that Flux reads in place: inline values come first", input: inPlace,
		chart: "values: |\n  a: 1 # one\nvaluesFrom: [{kind: Secret, namespace: flux-system, name: db}]", want: `
		+ ConfigMap shop-web-values: data.values.yaml = "a: 1 # one\n"
		+ valuesFrom[0].kind = "ConfigMap"
		+ valuesFrom[0].name = "shop-web-values"
		+ valuesFrom[0].valuesKey = "values.yaml"
		+ valuesFrom[1].kind = "Secret"
		+ valuesFrom[1].name = "db"
		+ valuesFrom[1].valuesKey = "password.yaml"
		+ valuesFrom[2].kind = "Secret"
		+ valuesFrom[2].name = "db"
		+ valuesFrom[2].valuesKey = "user.yaml"`,
	},
	{
		name: "valuesFrom with a Secret: others are copied, rendered, plain ones first", input: plainSettings + templated + elsewhere,
		chart: "valuesFrom: [{kind: ConfigMap, name: templated}, {kind: ConfigMap, name: settings, optional: true}, {kind: Secret, name: db}]", want: `
		+ ConfigMap clusters-settings: data.a.yaml = "image: {tag: \"1\", name: web}\nlist: [1, 2]\nkeep: {}\n"
		+ ConfigMap clusters-settings: data.b.yaml = "image: {tag: \"2\", pull: null}\nlist: [3]\n"
		+ ConfigMap clusters-templated: data.values.yaml = "cluster: prod\nimage: {tag: t}"
		+ valuesFrom[0].kind = "ConfigMap"
		+ valuesFrom[0].name = "clusters-settings"
		+ valuesFrom[0].optional = true
		+ valuesFrom[0].valuesKey = "a.yaml"
		+ valuesFrom[1].kind = "ConfigMap"
		+ valuesFrom[1].name = "clusters-settings"
		+ valuesFrom[1].optional = true
		+ valuesFrom[1].valuesKey = "b.yaml"
		+ valuesFrom[2].kind = "Secret"
		+ valuesFrom[2].name = "clusters-db"
		+ valuesFrom[2].valuesKey = "values"
		+ valuesFrom[3].kind = "ConfigMap"
		+ valuesFrom[3].name = "clusters-templated"
		+ valuesFrom[3].valuesKey = "values.yaml"
		+ Secret clusters-db: data.values = "cGFzc3dvcmQ6IGh1bnRlcjI="`,
	},
	{name: "valuesFrom that are not there", chart: "valuesFrom: [{kind: ConfigMap, name: gone}, {kind: Secret, namespace: flux-system, name: db}, {kind: ConfigMap, name: maybe, optional: true}]", want: `
		+ valuesFrom[0].kind = "ConfigMap"
		+ valuesFrom[0].name = "gone"
		+ valuesFrom[0].valuesKey = "values.yaml"
		+ valuesFrom[1].kind = "Secret"
		+ valuesFrom[1].name = "db"
		+ valuesFrom[1].valuesKey = "values.yaml"
		+ valuesFrom[2].kind = "ConfigMap"
		+ valuesFrom[2].name = "maybe"
		+ valuesFrom[2].optional = true
		+ valuesFrom[2].valuesKey = "values.yaml"
		warning chart-reference-unknown at valuesFrom[0]: ConfigMap clusters/gone is not in the input: Flux looks for it in the namespace "flux-system"
		info chart-reference-unknown at valuesFrom[1]: Secret flux-system/db is not in the input: Flux looks for it in the namespace "flux-system"
		info chart-reference-unknown at valuesFrom[2]: ConfigMap clusters/maybe is not in the input: Flux looks for it in the namespace "flux-system"`},

	{name: "options.timeout", chart: "options: {timeout: 1h30m}", want: `
		- timeout = "5m"
		+ timeout = "1h30m"`},
	{name: "wait", chart: "options: {wait: true}", want: `
		- install.disableWait = true
		- uninstall.disableWait = true
		- upgrade.disableWait = true
		+ install.disableWait = false
		+ uninstall.disableWait = false
		+ upgrade.disableWait = false
		+ waitStrategy.name = "legacy"`},
	{name: "waitForJobs", chart: "options: {waitForJobs: true}", want: `
		- install.disableWaitForJobs = true
		- upgrade.disableWaitForJobs = true
		+ install.disableWaitForJobs = false
		+ upgrade.disableWaitForJobs = false`},
	{name: "disableHooks for all", chart: "options: {disableHooks: true}", want: `
		+ install.disableHooks = true
		+ uninstall.disableHooks = true
		+ upgrade.disableHooks = true`},
	{name: "disableHooks of installing", chart: "options: {installOptions: {disableHooks: true}}", want: "+ install.disableHooks = true"},
	{name: "disableHooks of upgrading", chart: "options: {upgradeOptions: {disableHooks: true}}", want: "+ upgrade.disableHooks = true"},
	{name: "disableHooks of uninstalling", chart: "options: {uninstallOptions: {disableHooks: true}}", want: "+ uninstall.disableHooks = true"},
	{name: "disableOpenAPIValidation, skipSchemaValidation", chart: "options: {disableOpenAPIValidation: true, skipSchemaValidation: true}", want: `
		+ install.disableOpenAPIValidation = true
		+ install.disableSchemaValidation = true
		+ upgrade.disableOpenAPIValidation = true
		+ upgrade.disableSchemaValidation = true`},
	{name: "skipCRDs", chart: "options: {skipCRDs: true, upgradeOptions: {upgradeCRDs: true}}", want: `
		+ install.crds = "Skip"
		+ upgrade.crds = "Skip"`},
	{name: "upgradeOptions.upgradeCRDs", chart: "options: {upgradeOptions: {upgradeCRDs: true}}", want: `+ upgrade.crds = "CreateReplace"`},
	{name: "installOptions.createNamespace", chart: "options: {installOptions: {createNamespace: false}}", want: `
		- install.createNamespace = true
		+ install.createNamespace = false`},
	{name: "installOptions.replace", chart: "options: {installOptions: {replace: false}}", want: `
		- install.replace = true
		+ install.replace = false`},
	{name: "takeOwnership", chart: "options: {installOptions: {takeOwnership: true}, upgradeOptions: {takeOwnership: true}}", want: `
		- install.disableTakeOwnership = true
		- upgrade.disableTakeOwnership = true
		+ install.disableTakeOwnership = false
		+ upgrade.disableTakeOwnership = false`},
	{name: "upgradeOptions.force", chart: "options: {upgradeOptions: {force: true}}", want: `
		- upgrade.serverSideApply = "enabled"
		+ upgrade.force = true
		+ upgrade.serverSideApply = "disabled"`},
	{name: "reuseValues", chart: "options: {upgradeOptions: {reuseValues: true}}", want: "+ upgrade.preserveValues = true"},
	{name: "resetThenReuseValues", chart: "options: {upgradeOptions: {resetThenReuseValues: true}}", want: ("+ upgrade.preserveValues = true\n" +
		"warning chart-unsupported at options.upgradeOptions.resetThenReuseValues: Flux has nothing like `options.upgradeOptions.resetThenReuseValues` here: `reuseValues` comes closest and is used: it keeps the defaults of the last chart, too")},
	{name: "resetValues", chart: "options: {upgradeOptions: {resetValues: true, reuseValues: true}}", want: ""},
	{name: "maxHistory", chart: "options: {upgradeOptions: {maxHistory: 7}}", want: `
		- maxHistory = 2
		+ maxHistory = 7`},
	{name: "maxHistory without a limit", chart: "options: {upgradeOptions: {maxHistory: 0}}", want: `
		- maxHistory = 2
		+ maxHistory = 1`},
	{name: "cleanupOnFail", chart: "options: {upgradeOptions: {cleanupOnFail: true}}", want: "+ upgrade.cleanupOnFail = true"},
	{name: "atomic", chart: "options: {atomic: true}", want: `
		- install.disableWait = true
		- install.strategy.name = "RetryOnFailure"
		- upgrade.disableWait = true
		- upgrade.strategy.name = "RetryOnFailure"
		+ install.disableWait = false
		+ install.remediation.remediateLastFailure = true
		+ upgrade.disableWait = false
		+ upgrade.remediation.remediateLastFailure = true
		+ upgrade.remediation.strategy = "rollback"
		+ waitStrategy.name = "legacy"`},
	{name: "maxConsecutiveFailures", profile: func(p *chart.Profile) { p.MaxConsecutiveFailures = 3 }, want: `
		- install.strategy.name = "RetryOnFailure"
		- upgrade.strategy.name = "RetryOnFailure"
		+ install.remediation.retries = 3
		+ upgrade.remediation.retries = 3`},
	{name: "runTests", chart: "options: {runTests: true}", want: "+ test.enable = true"},
	{name: "postRenderStrategy", chart: "options: {postRenderStrategy: nohooks}", want: `+ postRenderStrategy = "nohooks"`},
	{name: "uninstallOptions", chart: "options: {uninstallOptions: {keepHistory: true, deletionPropagation: orphan}}", want: `
		+ uninstall.deletionPropagation = "orphan"
		+ uninstall.keepHistory = true`},

	{name: "passCredentialsAll", chart: "options: {passCredentialsAll: true}", want: "+ HelmRepository acme: spec.passCredentials = true"},
	{name: "passCredentialsAll for oci", chart: oci + "options: {passCredentialsAll: true}", want: ociObjects + ociURL +
		"warning chart-unsupported at options.passCredentialsAll: Flux has nothing like `options.passCredentialsAll` here: it is for charts in an HTTP repository"},
	{name: "credentials http, basic", chart: useLogin, input: login, want: `
		+ HelmRepository acme: spec.secretRef.name = "clusters-login"
		+ Secret clusters-login: data.password = "aHVudGVyMg=="
		+ Secret clusters-login: data.username = "bWU="`},
	{name: "credentials http, from a Docker configuration", chart: useLogin, input: docker, want: `
		+ HelmRepository acme: spec.secretRef.name = "clusters-login"
		+ Secret clusters-login: data.password = "aHVudGVyMg=="
		+ Secret clusters-login: data.username = "bWU="`},
	{
		name: "credentials http, in place", chart: "registryCredentialsConfig: {credentials: {name: login, namespace: flux-system}}",
		input: strings.ReplaceAll(login, "clusters", "flux-system"), want: `+ HelmRepository acme: spec.secretRef.name = "login"`,
	},
	{
		name: "credentials http, in place but not applied", chart: "registryCredentialsConfig: {credentials: {name: login, namespace: flux-system}}",
		input: strings.ReplaceAll(login, "clusters", "flux-system") + "local: true\n", want: `
		+ HelmRepository acme: spec.secretRef.name = "flux-system-login"
		+ Secret flux-system-login: data.password = "aHVudGVyMg=="
		+ Secret flux-system-login: data.username = "bWU="`,
	},
	{name: "credentials http, unknown", chart: useLogin, want: `
		+ HelmRepository acme: spec.secretRef.name = "login"
		warning chart-reference-unknown at registryCredentialsConfig.credentials: Secret clusters/login is not in the input: Flux looks for it in the namespace "flux-system"`},
	{name: "credentials oci, from a user name and password", chart: oci + useLogin, input: login, want: ociObjects + `
		+ OCIRepository acme-web: spec.secretRef.name = "clusters-login"` + ociURL + `
		+ Secret clusters-login: data..dockerconfigjson = "eyJhdXRocyI6eyJjaGFydHMuZXhhbXBsZS5vcmciOnsidXNlcm5hbWUiOiJtZSIsInBhc3N3b3JkIjoiaHVudGVyMiIsImF1dGgiOiJiV1U2YUhWdWRHVnlNZz09In19fQ=="
		+ Secret clusters-login: type = "kubernetes.io/dockerconfigjson"`},
	{
		name: "credentials oci, another key of a Docker configuration", chart: oci + "registryCredentialsConfig: {credentials: {name: login}, key: mine}",
		input: "apiVersion: v1\nkind: Secret\nmetadata: {name: login, namespace: clusters}\nstringData: {mine: '{\"auths\":{\"x\":{}}}'}\n", want: ociObjects + `
		+ OCIRepository acme-web: spec.secretRef.name = "clusters-login"` + ociURL + `
		+ Secret clusters-login: data..dockerconfigjson = "eyJhdXRocyI6eyJ4Ijp7fX19"
		+ Secret clusters-login: type = "kubernetes.io/dockerconfigjson"`,
	},
	{
		name: "credentials oci, in place", chart: oci + "registryCredentialsConfig: {credentials: {name: login, namespace: flux-system}}",
		input: strings.ReplaceAll(docker, "clusters", "flux-system"), want: ociObjects + `
		+ OCIRepository acme-web: spec.secretRef.name = "login"` + ociURL,
	},
	{name: "credentials oci, unknown", chart: oci + useLogin, want: `
		- HelmRepository acme: spec.url = "https://charts.example.org"
		+ HelmRepository acme: spec.secretRef.name = "login"
		+ HelmRepository acme: spec.type = "oci"
		+ HelmRepository acme: spec.url = "oci://charts.example.org/acme"
		warning chart-reference-unknown at registryCredentialsConfig.credentials: Secret clusters/login is not in the input: Flux looks for it in the namespace "flux-system"`},
	{
		name: "ca", chart: "registryCredentialsConfig: {ca: {name: ca}}",
		input: "apiVersion: v1\nkind: Secret\ntype: kubernetes.io/tls\nmetadata: {name: ca, namespace: clusters}\nstringData: {ca.crt: C, tls.crt: T, tls.key: K}\n", want: `
		+ HelmRepository acme: spec.certSecretRef.name = "clusters-ca"
		+ Secret clusters-ca: data.ca.crt = "Qw=="`,
	},
	{
		name: "ca for oci, in place", chart: oci + "registryCredentialsConfig: {ca: {name: ca, namespace: flux-system}}",
		input: "apiVersion: v1\nkind: Secret\nmetadata: {name: ca, namespace: flux-system}\nstringData: {ca.crt: C}\n",
		want:  ociObjects + ociURL + `+ OCIRepository acme-web: spec.certSecretRef.name = "ca"`,
	},
	{
		name: "plainHTTP", chart: oci + "registryCredentialsConfig: {plainHTTP: true}",
		want: ociObjects + ociURL + "+ OCIRepository acme-web: spec.insecure = true",
	},
	{name: "plainHTTP with unknown credentials", chart: oci + "registryCredentialsConfig: {plainHTTP: true, credentials: {namespace: flux-system, name: login}}", want: `
		- HelmRepository acme: spec.url = "https://charts.example.org"
		+ HelmRepository acme: spec.insecure = true
		+ HelmRepository acme: spec.secretRef.name = "login"
		+ HelmRepository acme: spec.type = "oci"
		+ HelmRepository acme: spec.url = "oci://charts.example.org/acme"
		info chart-reference-unknown at registryCredentialsConfig.credentials: Secret flux-system/login is not in the input: Flux looks for it in the namespace "flux-system"`},
	{
		name: "plainHTTP for http", chart: "registryCredentialsConfig: {plainHTTP: true}",
		want: "warning chart-unsupported at registryCredentialsConfig.plainHTTP: Flux has nothing like `registryCredentialsConfig.plainHTTP` here: it is for charts in an OCI registry",
	},
	{
		name: "signatureVerification by keys", chart: oci + "signatureVerification: {provider: PublicKey, secretRef: {name: keys}}",
		input: "apiVersion: v1\nkind: Secret\nmetadata: {name: keys, namespace: clusters}\nstringData: {cosign.pub: P, cosign.key: K}\n", want: ociObjects + ociURL + `
		+ OCIRepository acme-web: spec.verify.provider = "cosign"
		+ OCIRepository acme-web: spec.verify.secretRef.name = "clusters-keys"
		+ Secret clusters-keys: data.cosign.pub = "UA=="`,
	},
	{name: "signatureVerification without keys", chart: oci + "signatureVerification: {provider: Keyless, matchOIDCIdentity: [{issuer: ^i$, subject: ^s$}]}", want: ociObjects + ociURL + `
		+ OCIRepository acme-web: spec.verify.matchOIDCIdentity[0].issuer = "^i$"
		+ OCIRepository acme-web: spec.verify.matchOIDCIdentity[0].subject = "^s$"
		+ OCIRepository acme-web: spec.verify.provider = "cosign"`},
	{name: "signatureVerification by keys, with unknown credentials", chart: oci + "registryCredentialsConfig: {credentials: {namespace: flux-system, name: login}}\nsignatureVerification: {provider: PublicKey, secretRef: {namespace: flux-system, name: keys}}", want: `
		- HelmRepository acme: spec.url = "https://charts.example.org"
		+ chart.spec.verify.provider = "cosign"
		+ chart.spec.verify.secretRef.name = "keys"
		+ HelmRepository acme: spec.secretRef.name = "login"
		+ HelmRepository acme: spec.type = "oci"
		+ HelmRepository acme: spec.url = "oci://charts.example.org/acme"
		info chart-reference-unknown at registryCredentialsConfig.credentials: Secret flux-system/login is not in the input: Flux looks for it in the namespace "flux-system"
		info chart-reference-unknown at signatureVerification.secretRef: Secret flux-system/keys is not in the input: Flux looks for it in the namespace "flux-system"`},
	{name: "signatureVerification without keys, with unknown credentials", chart: oci + "registryCredentialsConfig: {credentials: {namespace: flux-system, name: login}}\nsignatureVerification: {provider: Keyless, matchOIDCIdentity: [{issuer: i, subject: s}]}", want: ociObjects + `
		+ OCIRepository acme-web: spec.secretRef.name = "login"` + ociURL + `
		+ OCIRepository acme-web: spec.verify.matchOIDCIdentity[0].issuer = "i"
		+ OCIRepository acme-web: spec.verify.matchOIDCIdentity[0].subject = "s"
		+ OCIRepository acme-web: spec.verify.provider = "cosign"
		info chart-reference-unknown at registryCredentialsConfig.credentials: Secret flux-system/login is not in the input: Flux looks for it in the namespace "flux-system"`},
	{
		name: "signatureVerification for http", chart: "signatureVerification: {provider: Keyless, matchOIDCIdentity: [{issuer: i, subject: s}]}",
		want: "warning chart-unsupported at signatureVerification: Flux has nothing like `signatureVerification` here: it is for charts in an OCI registry, and the chart is not verified",
	},

	{name: "helmChartAction Uninstall", chart: "helmChartAction: Uninstall", want: "- " + strings.ReplaceAll(strings.TrimSpace(plainObjects), "\n", "\n- ")},
	{name: "patches", profile: func(p *chart.Profile) {
		p.Patches = []chart.Patch{
			{Patch: str("- op: remove\n  path: /spec/x\n"), Target: &chart.Target{Group: str("apps"), Version: str("v1"), Kind: str("Deployment"), Namespace: str("n"), Name: str("w.*"), LabelSelector: str("a=b"), AnnotationSelector: str("c=d")}},
			{Patch: str("kind: A\n")},
		}
	}, want: `
		+ postRenderers[0].kustomize.patches[0].patch = "- op: remove\n  path: /spec/x\n"
		+ postRenderers[0].kustomize.patches[0].target.annotationSelector = "c=d"
		+ postRenderers[0].kustomize.patches[0].target.group = "apps"
		+ postRenderers[0].kustomize.patches[0].target.kind = "Deployment"
		+ postRenderers[0].kustomize.patches[0].target.labelSelector = "a=b"
		+ postRenderers[0].kustomize.patches[0].target.name = "w.*"
		+ postRenderers[0].kustomize.patches[0].target.namespace = "n"
		+ postRenderers[0].kustomize.patches[0].target.version = "v1"
		+ postRenderers[0].kustomize.patches[1].patch = "kind: A\n"`},
	{name: "driftExclusions with drift detection", profile: func(p *chart.Profile) {
		p.SyncMode = str("ContinuousWithDriftDetection")
		p.DriftExclusions = []chart.DriftExclusion{{Paths: []krm.Str{str("/spec/replicas")}, Target: &chart.Target{Kind: str("Deployment")}}, {Paths: []krm.Str{str("/data")}}}
	}, want: `
		+ driftDetection.ignore[0].paths[0] = "/spec/replicas"
		+ driftDetection.ignore[0].target.kind = "Deployment"
		+ driftDetection.ignore[1].paths[0] = "/data"
		+ driftDetection.mode = "enabled"`},
	{name: "drift detection alone", profile: func(p *chart.Profile) { p.SyncMode = str("ContinuousWithDriftDetection") }, want: `+ driftDetection.mode = "enabled"`},
	{name: "driftExclusions without drift detection", profile: func(p *chart.Profile) {
		p.SyncMode = str("Continuous")
		p.DriftExclusions = []chart.DriftExclusion{{Paths: []krm.Str{str("/data")}}}
	}, want: ""},
	{name: "extraLabels, extraAnnotations", profile: func(p *chart.Profile) {
		p.ExtraLabels, p.ExtraAnnotations = map[string]krm.Str{"team": str("a")}, map[string]krm.Str{"note": str("true")}
	}, want: `
		+ commonMetadata.annotations.note = "true"
		+ commonMetadata.labels.team = "a"`},
	{name: "list order", more: []string{second, "releaseName: gone\nhelmChartAction: Uninstall", "releaseName: last"}, want: secondObjects + `
		+ HelmRelease shop-last: spec.dependsOn[0].name = "shop-api"`, only: "dependsOn"},
	{name: "list order with continueOnError", more: []string{second}, profile: func(p *chart.Profile) { p.ContinueOnError = true }, want: "", only: "dependsOn"},
	{name: "dependsOn of the profile, of those that are there", more: []string{second}, profile: func(p *chart.Profile) {
		p.DependsOn = []chart.Release{{Namespace: "x", Name: "gone"}, {Namespace: "shop", Name: "web"}}
	}, want: secondObjects, only: "dependsOn"},
	{name: "syncMode DryRun", profile: func(p *chart.Profile) { p.SyncMode = str("DryRun") }, want: "- " + strings.ReplaceAll(strings.TrimSpace(plainObjects), "\n", "\n- ")},
	// Of OneTime, the profile is warned once, not each chart.
	{name: "syncMode OneTime", profile: func(p *chart.Profile) { p.SyncMode = str("OneTime") }, want: ""},
}

// secondObjects is the order of two charts.
const secondObjects = `+ HelmRelease shop-api: spec.dependsOn[0].name = "shop-web"
`
