package chart

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// origin says where a HelmRelease has its chart from: `chart` or `chartRef`, once
// sources have names.
type origin func() (field string, source *krm.Node)

const sourceVersion = "source.toolkit.fluxcd.io/v1"

// origin reads the repository of a chart. A source that releases share is made
// once for the same address, credentials and certificate authority.
func (a *adder) origin() (origin, bool) {
	url := a.chart.RepositoryURL
	scheme, rest, found := strings.Cut(url.Text, "://")
	switch scheme = strings.ToLower(scheme); {
	case !found:
	case scheme == "http", scheme == "https":
		return a.httpOrigin(scheme + "://" + rest)
	case scheme == "oci":
		return a.ociOrigin(rest)
	case scheme == "gitrepository":
		return a.fluxOrigin("GitRepository", rest)
	case scheme == "bucket":
		return a.fluxOrigin("Bucket", rest)
	case scheme == "ocirepository":
		return a.fluxOrigin("OCIRepository", rest)
	}
	return nil, a.must(false, url, "begin with `http://`, `https://`, `oci://`, `gitrepository://`, `bucket://` or `ocirepository://`")
}

// httpOrigin is a HelmRepository.
func (a *adder) httpOrigin(url string) (origin, bool) {
	name, ok := a.checkRepository()
	ok = a.must(httpURL().MatchString(url), a.chart.RepositoryURL, "be a URL such as `https://charts.example.org`") && ok
	if _, known := a.version(); !known || !ok {
		return nil, false
	}
	const why = "it is for charts in an OCI registry"
	a.unsupportedFlag(a.chart.PlainHTTP, "registryCredentialsConfig.plainHTTP", why)
	if s := a.chart.Signature; s != nil {
		a.unsupported(s.Pos, "signatureVerification", why+", and the chart is not verified")
	}
	spec := fields{"url": text(url)}
	spec.on("passCredentials", a.chart.Options.PassCredentialsAll.On)
	repository := a.source("HelmRepository", objectName(a.chart.RepositoryName.Text), spec, secrets{
		"secretRef": a.basicAuth(hostOf(url)), "certSecretRef": a.authority(),
	})
	return a.repositoryOrigin(repository, name, nil), true
}

// repositoryOrigin is a chart in a HelmRepository.
func (a *adder) repositoryOrigin(repository *shared, name string, keys *shared) origin {
	return func() (string, *krm.Node) {
		spec := fields{
			"chart":     text(name),
			"version":   text(a.chart.Version.Text),
			"sourceRef": fields{"kind": text("HelmRepository"), "name": text(repository.name)}.node(),
		}
		if keys != nil {
			spec["verify"] = verifiedWith(keys)
		}
		return "chart", fields{"spec": spec.node()}.node()
	}
}

// ociOrigin is an OCIRepository, which holds one chart. Credentials that nobody
// has seen may be a user name and password: only a HelmRepository takes both.
func (a *adder) ociOrigin(address string) (origin, bool) {
	address = strings.TrimRight(address, "/")
	name, ok := a.checkOCI(address)
	exact, known := a.version()
	if !known || !ok {
		return nil, false
	}
	a.unsupportedFlag(a.chart.Options.PassCredentialsAll, "options.passCredentialsAll", "it is for charts in an HTTP repository")
	credentials, seen := a.ociAuth(hostOf("oci://" + address))
	refs := secrets{"secretRef": credentials, "certSecretRef": a.authority()}
	keys, base := a.signatureKeys(), a.chart.RepositoryName.Text
	spec := fields{}
	spec.on("insecure", a.chart.PlainHTTP.On)
	if !seen && !a.isKeyless() {
		spec["type"], spec["url"] = text("oci"), text("oci://"+address)
		return a.repositoryOrigin(a.source("HelmRepository", objectName(base), spec, refs), name, keys), true
	}
	spec["url"] = text("oci://" + address + "/" + name)
	spec["ref"] = ociRef(a.chart.Version.Text, exact)
	if a.isKeyless() {
		spec["verify"] = verifiedBy(a.chart.Signature.Identities)
	}
	refs["verify"] = keys
	repository := a.source("OCIRepository", objectName(base+"-"+name), spec, refs)
	return func() (string, *krm.Node) {
		return "chartRef", fields{"kind": text("OCIRepository"), "name": text(repository.name)}.node()
	}, true
}

// verifiedBy is a `verify` without keys, by who may have signed.
func verifiedBy(identities []SignatureIdentity) *krm.Node {
	return fields{"provider": text("cosign"), "matchOIDCIdentity": list(identities, SignatureIdentity.node)}.node()
}

func (id SignatureIdentity) node() *krm.Node {
	return fields{"issuer": text(id.Issuer.Text), "subject": text(id.Subject.Text)}.node()
}

// verifiedWith is a `verify` by the public keys in a Secret.
func verifiedWith(keys *shared) *krm.Node {
	f := fields{"provider": text("cosign")}
	f.named("secretRef", keys)
	return f.node()
}

// chartLayer is the layer of an OCI artifact that holds a chart.
func chartLayer() *krm.Node {
	return fields{
		"mediaType": text("application/vnd.cncf.helm.chart.content.v1.tar+gzip"), "operation": text("copy"),
	}.node()
}

// ociRef selects a version: tags cannot hold the `+` of build metadata.
func ociRef(version string, exact bool) *krm.Node {
	if exact {
		return fields{"tag": text(strings.ReplaceAll(version, "+", "_"))}.node()
	}
	return fields{"semver": text(version)}.node()
}

// secrets are what a source refers to, by field; nil for none.
type secrets map[string]*shared

// source shares a source. Its key is what tells it apart from others of its kind:
// all that spec and refs say.
func (a *adder) source(kind, base string, spec fields, refs secrets) *shared {
	key := []string{string(spec.node().Encode())}
	for _, field := range slices.Sorted(maps.Keys(refs)) {
		key = append(key, field+" "+keyOf(refs[field]))
	}
	return a.pool.share(shared{kind: kind, key: strings.Join(key, "\n"), base: base, object: func() *krm.Object {
		spec["interval"] = text(a.place.SourceInterval)
		if kind == "OCIRepository" {
			spec["layerSelector"] = chartLayer()
		}
		spec.named("secretRef", refs["secretRef"])
		spec.named("certSecretRef", refs["certSecretRef"])
		if keys := refs["verify"]; keys != nil {
			spec["verify"] = verifiedWith(keys)
		}
		return &krm.Object{APIVersion: sourceVersion, Spec: spec.node().Encode()}
	}}, a.release)
}

// fluxOrigin is a chart in a source that is there already, `namespace/name/path`.
func (a *adder) fluxOrigin(kind, rest string) (origin, bool) {
	segments := strings.SplitN(rest, "/", 3)
	for len(segments) < 3 {
		segments = append(segments, "")
	}
	namespace, name, dir := segments[0], segments[1], strings.Trim(segments[2], "/")
	url, ok := a.chart.RepositoryURL, false
	switch {
	case !isLabel(namespace) || !isSubdomain(name):
		a.must(false, url, "name a Flux source and a path in it: `gitrepository://namespace/name/path`")
	case kind == "OCIRepository":
		ok = a.must(dir == "" || dir == ".", url, "have no path: Flux takes the whole artifact for a chart")
	default:
		inside := dir != "" && !slices.Contains(strings.Split(dir, "/"), "..")
		ok = a.must(inside, url, "have the path of a chart in the source: `gitrepository://namespace/name/path`")
	}
	a.warnOfSource(kind + " " + namespace + "/" + name)
	ref := fields{"kind": text(kind), "name": text(name), "namespace": text(namespace)}.node()
	return func() (string, *krm.Node) {
		if kind == "OCIRepository" {
			return "chartRef", ref
		}
		spec := fields{"chart": text("./" + path.Clean(dir)), "sourceRef": ref, "reconcileStrategy": text("Revision")}
		return "chart", fields{"spec": spec.node()}.node()
	}, ok
}

// warnOfSource warns of what a Flux source says itself.
func (a *adder) warnOfSource(source string) {
	why := source + " has its own"
	for field, ref := range map[string]*Reference{"registryCredentialsConfig.credentials": a.chart.Credentials, "registryCredentialsConfig.ca": a.chart.CA} {
		if ref != nil {
			a.unsupported(ref.Pos, field, why)
		}
	}
	a.unsupportedFlag(a.chart.PlainHTTP, "registryCredentialsConfig.plainHTTP", why)
	a.unsupportedFlag(a.chart.Options.PassCredentialsAll, "options.passCredentialsAll", why)
	if s := a.chart.Signature; s != nil {
		a.unsupported(s.Pos, "signatureVerification", why)
	}
}

func (s *Set) unsupportedFlag(f Flag, field, why string) {
	if f.On {
		s.unsupported(f.Pos, field, why)
	}
}
