package chart

import (
	"maps"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// spec is the part of a HelmRelease that is the release's own. Flux's defaults
// differ from Sveltos' in many places: what differs is always written.
// `storageNamespace` makes Flux adopt a release that Sveltos installed.
func (a *adder) spec() fields {
	o := &a.chart.Options
	f := fields{
		"interval":         text(a.place.ReleaseInterval),
		"releaseName":      text(a.release.Name),
		"targetNamespace":  text(a.release.Namespace),
		"storageNamespace": text(a.release.Namespace),
		"timeout":          text("5m"),
		"maxHistory":       number(max(1, o.Upgrade.MaxHistory)),
		"install":          o.install(a.profile.MaxConsecutiveFailures).node(),
		"upgrade":          o.upgrade(a.profile.MaxConsecutiveFailures).node(),
		"uninstall":        o.uninstall().node(),
	}
	f.text("timeout", o.Timeout.Text)
	f.text("postRenderStrategy", o.PostRenderStrategy.Text)
	if o.waits() {
		f["waitStrategy"] = fields{"name": text("legacy")}.node()
	}
	if o.RunTests {
		f["test"] = fields{"enable": boolean(true)}.node()
	}
	if a.place.KubeConfig != "" {
		f["kubeConfig"] = fields{"secretRef": fields{"name": text(a.place.KubeConfig)}.node()}.node()
	}
	if on := o.Upgrade.ResetThenReuseValues; on.On {
		a.unsupported(on.Pos, "options.upgradeOptions.resetThenReuseValues", "`reuseValues` comes closest and is used: it keeps the defaults of the last chart, too")
	}
	maps.Copy(f, a.profile.spec())
	return f
}

// spec is the part of a HelmRelease that the profile says for all its charts.
func (p *Profile) spec() fields {
	f := fields{}
	if len(p.Patches) > 0 {
		kustomize := fields{"patches": list(p.Patches, Patch.node)}
		f["postRenderers"] = krm.NewList(fields{"kustomize": kustomize.node()}.node())
	}
	if p.SyncMode.Text == "ContinuousWithDriftDetection" {
		drift := fields{"mode": text("enabled")}
		if len(p.DriftExclusions) > 0 {
			drift["ignore"] = list(p.DriftExclusions, DriftExclusion.node)
		}
		f["driftDetection"] = drift.node()
	}
	common := fields{}
	for key, values := range map[string]map[string]krm.Str{"labels": p.ExtraLabels, "annotations": p.ExtraAnnotations} {
		all := fields{}
		for name, value := range values {
			all[name] = text(value.Text)
		}
		if len(all) > 0 {
			common[key] = all.node()
		}
	}
	if len(common) > 0 {
		f["commonMetadata"] = common.node()
	}
	return f
}

func (p Patch) node() *krm.Node {
	f := fields{"patch": text(p.Patch.Text)}
	if p.Target != nil {
		f["target"] = p.Target.node()
	}
	return f.node()
}

func (d DriftExclusion) node() *krm.Node {
	f := fields{"paths": list(d.Paths, func(path krm.Str) *krm.Node { return text(path.Text) })}
	if d.Target != nil {
		f["target"] = d.Target.node()
	}
	return f.node()
}

func (t *Target) node() *krm.Node {
	f := fields{}
	f.text("group", t.Group.Text)
	f.text("version", t.Version.Text)
	f.text("kind", t.Kind.Text)
	f.text("namespace", t.Namespace.Text)
	f.text("name", t.Name.Text)
	f.text("labelSelector", t.LabelSelector.Text)
	f.text("annotationSelector", t.AnnotationSelector.Text)
	return f.node()
}

// waits tells whether installing and upgrading wait until objects are ready.
func (o *Options) waits() bool { return o.Wait || o.Atomic }

// install is `spec.install`. Server-side apply is Flux's default there.
func (o *Options) install(maxFailures int) fields {
	f := fields{
		"createNamespace":      boolean(o.Install.CreateNamespace),
		"replace":              boolean(o.Install.Replace),
		"disableTakeOwnership": boolean(!o.Install.TakeOwnership),
	}
	o.deploy(f, o.Install.DisableHooks, maxFailures, fields{})
	if o.SkipCRDs {
		f["crds"] = text("Skip")
	}
	return f
}

// upgrade is `spec.upgrade`. Flux would apply as the last revision was; Sveltos
// always applies on the server, but for `force`, which Flux then ignores.
func (o *Options) upgrade(maxFailures int) fields {
	f := fields{
		"disableTakeOwnership": boolean(!o.Upgrade.TakeOwnership),
		"serverSideApply":      text("enabled"),
	}
	o.deploy(f, o.Upgrade.DisableHooks, maxFailures, fields{"strategy": text("rollback")})
	if o.Upgrade.Force {
		f["force"], f["serverSideApply"] = boolean(true), text("disabled")
	}
	f.on("cleanupOnFail", o.Upgrade.CleanupOnFail)
	f.on("preserveValues", (o.Upgrade.ReuseValues.On || o.Upgrade.ResetThenReuseValues.On) && !o.Upgrade.ResetValues.On)
	switch {
	case o.SkipCRDs:
		f["crds"] = text("Skip")
	case o.Upgrade.CRDs:
		f["crds"] = text("CreateReplace")
	}
	return f
}

func (o *Options) uninstall() fields {
	f := fields{"disableWait": boolean(!o.Wait)}
	f.on("disableHooks", o.DisableHooks || o.Uninstall.DisableHooks)
	f.on("keepHistory", o.Uninstall.KeepHistory)
	f.text("deletionPropagation", o.Uninstall.DeletionPropagation.Text)
	return f
}

// deploy adds what installing and upgrading have in common. Sveltos tries for
// ever, unless the profile or `atomic` says otherwise; rollback is how atomic
// takes back.
func (o *Options) deploy(f fields, disableHooks bool, maxFailures int, rollback fields) {
	f["disableWait"] = boolean(!o.waits())
	f["disableWaitForJobs"] = boolean(!o.WaitForJobs)
	f.on("disableHooks", o.DisableHooks || disableHooks)
	f.on("disableOpenAPIValidation", o.DisableOpenAPIValidation)
	f.on("disableSchemaValidation", o.SkipSchemaValidation)
	if !o.Atomic && maxFailures == 0 {
		f["strategy"] = fields{"name": text("RetryOnFailure")}.node()
		return
	}
	remediation := fields{}
	if o.Atomic {
		remediation["remediateLastFailure"] = boolean(true)
		maps.Copy(remediation, rollback)
	}
	if maxFailures > 0 {
		remediation["retries"] = number(maxFailures)
	}
	f["remediation"] = remediation.node()
}

// unsupported warns of a field that Flux cannot express here.
func (s *Set) unsupported(pos krm.Pos, field, why string) {
	s.rep.Warnf("chart-unsupported", pos, "", "Flux has nothing like `%s` here: %s", field, why)
}
