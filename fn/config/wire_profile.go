package config

import (
	"math"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/profile"
)

// clusterProfile is `config.projectsveltos.io ClusterProfile`, and Profile.
type clusterProfile struct {
	APIVersion krm.Str     `json:"apiVersion" jsonschema:"enum=config.projectsveltos.io/v1beta1,enum=config.projectsveltos.io/v1alpha1" jsonschema_description:"The API of the profile."`
	Kind       krm.Str     `json:"kind" jsonschema:"enum=ClusterProfile,enum=Profile" jsonschema_description:"The kind of the profile."`
	Metadata   objectMeta  `json:"metadata" jsonschema_description:"Name of the profile; a Profile has a namespace, and is for clusters in it."`
	Spec       profileSpec `json:"spec" jsonschema_description:"What to deploy to which clusters."`
	Status     *krm.Node   `json:"status,omitzero" jsonschema_description:"Ignored."`
}

type profileSpec struct {
	placed
	ClusterSelector        clusterSelector    `json:"clusterSelector,omitzero" jsonschema_description:"The labels of the clusters: a label selector in v1beta1, a text such as env=prod in v1alpha1. Empty selects no cluster."`
	ClusterRefs            []objectReference  `json:"clusterRefs,omitzero" jsonschema_description:"Clusters by name."`
	SetRefs                []subdomain        `json:"setRefs,omitzero" jsonschema_description:"ClusterSets, of a Profile Sets, whose clusters count."`
	SyncMode               syncMode           `json:"syncMode,omitzero" jsonschema:"default=Continuous" jsonschema_description:"DryRun only says what would happen; ContinuousWithDriftDetection turns on Flux's drift detection for charts."`
	Tier                   tier               `json:"tier,omitzero" jsonschema:"default=100" jsonschema_description:"Who gets what several profiles deploy: the lowest tier."`
	ContinueOnConflict     flag               `json:"continueOnConflict,omitzero" jsonschema:"default=false" jsonschema_description:"Goes on behind something that another profile deploys. Otherwise the profile stops there."`
	ContinueOnError        flag               `json:"continueOnError,omitzero" jsonschema:"default=false" jsonschema_description:"Lets charts not wait for those before them."`
	MaxConsecutiveFailures integer            `json:"maxConsecutiveFailures,omitzero" jsonschema_description:"How often a chart is tried."`
	MaxUpdate              *krm.Node          `json:"maxUpdate,omitzero" jsonschema_description:"Ignored with an info: a matter of running."`
	StopMatchingBehavior   stopMatching       `json:"stopMatchingBehavior,omitzero" jsonschema:"default=WithdrawPolicies" jsonschema_description:"LeavePolicies is a warning: what leaves the output is the applier's to delete."`
	Reloader               flag               `json:"reloader,omitzero" jsonschema:"default=false" jsonschema_description:"Ignored with an info: a matter of running."`
	TemplateResourceRefs   []templateResource `json:"templateResourceRefs,omitzero" jsonschema_description:"Objects of the input that templates see."`
	DependsOn              []subdomain        `json:"dependsOn,omitzero" jsonschema_description:"Profiles of the same kind and namespace. They are deployed to the same clusters, and first."`
	PolicyRefs             []policyReference  `json:"policyRefs,omitzero" jsonschema_description:"Where objects come from."`
	HelmCharts             []helmChart        `json:"helmCharts,omitzero" jsonschema_description:"Charts to deploy, in this order."`
	KustomizationRefs      []kustomizationRef `json:"kustomizationRefs,omitzero" jsonschema_description:"Directories of Flux sources that become Flux Kustomizations."`
	ValidateHealths        *krm.Node          `json:"validateHealths,omitzero" jsonschema_description:"Ignored with an info: needs a cluster."`
	PreDeployChecks        *krm.Node          `json:"preDeployChecks,omitzero" jsonschema_description:"Ignored with an info: needs a cluster."`
	PreDeleteChecks        *krm.Node          `json:"preDeleteChecks,omitzero" jsonschema_description:"Ignored with an info: needs a cluster."`
	PostDeleteChecks       *krm.Node          `json:"postDeleteChecks,omitzero" jsonschema_description:"Ignored with an info: needs a cluster."`
	Patches                []patch            `json:"patches,omitzero" jsonschema_description:"Strategic merge patches and JSON patches for objects and charts."`
	PatchesFrom            []valueReference   `json:"patchesFrom,omitzero" jsonschema_description:"ConfigMaps and Secrets with more patches."`
	DriftExclusions        []driftExclusion   `json:"driftExclusions,omitzero" jsonschema_description:"What drift detection does not look at. It counts for charts."`
	ExtraLabels            labelMap           `json:"extraLabels,omitzero" jsonschema_description:"Labels of all objects."`
	ExtraAnnotations       annotationMap      `json:"extraAnnotations,omitzero" jsonschema_description:"Annotations of all objects."`
	TransitionFrom         *krm.Node          `json:"transitionFrom,omitzero" jsonschema_description:"Ignored with an info: what changes hands stays in place anyway."`
}

// objectReference is Kubernetes' ObjectReference.
type objectReference struct {
	placed
	APIVersion krm.Str `json:"apiVersion,omitzero" jsonschema_description:"The API of the object."`
	Kind       krm.Str `json:"kind" jsonschema_description:"The kind of the object."`
	Namespace  krm.Str `json:"namespace,omitzero" jsonschema_description:"The namespace of the object."`
	Name       krm.Str `json:"name" jsonschema_description:"The name of the object."`
	serverReference
}

// serverReference is what nothing here reads.
type serverReference struct {
	UID             *krm.Node `json:"uid,omitzero" jsonschema_description:"Set by a server, ignored."`
	ResourceVersion *krm.Node `json:"resourceVersion,omitzero" jsonschema_description:"Set by a server, ignored."`
	FieldPath       *krm.Node `json:"fieldPath,omitzero" jsonschema_description:"Set by a server, ignored."`
}

type templateResource struct {
	placed
	Resource            objectReference `json:"resource" jsonschema_description:"The object. Its namespace is by default that of the cluster, of a Profile its own."`
	Identifier          templateText    `json:"identifier" jsonschema_description:"What templates call it."`
	Optional            flag            `json:"optional,omitzero" jsonschema:"default=false" jsonschema_description:"Lets the object be missing."`
	IgnoreStatusChanges *krm.Node       `json:"ignoreStatusChanges,omitzero" jsonschema_description:"Ignored: a matter of running."`
	WatchFields         *krm.Node       `json:"watchFields,omitzero" jsonschema_description:"Ignored: a matter of running."`
}

type policyReference struct {
	placed
	Kind                  referenceKind  `json:"kind,omitzero" jsonschema_description:"ConfigMap, Secret, GitRepository, OCIRepository or Bucket."`
	Namespace             krm.Str        `json:"namespace,omitzero" jsonschema_description:"The namespace of the object. Default: the cluster's, for a Profile its own."`
	Name                  krm.Str        `json:"name,omitzero" jsonschema_description:"The name of the object."`
	Path                  krm.Str        `json:"path,omitzero" jsonschema_description:"The directory in a Flux source."`
	DeploymentType        deploymentType `json:"deploymentType,omitzero" jsonschema:"default=Remote" jsonschema_description:"Local goes to the management cluster."`
	Optional              flag           `json:"optional,omitzero" jsonschema:"default=false" jsonschema_description:"Lets the object be missing."`
	Tier                  tier           `json:"tier,omitzero" jsonschema:"default=100" jsonschema_description:"Which reference of the profile an object comes from: the lowest tier."`
	SkipNamespaceCreation flag           `json:"skipNamespaceCreation,omitzero" jsonschema_description:"Nothing to skip: no namespace is made up."`
	Force                 flag           `json:"force,omitzero" jsonschema_description:"Ignored with an info: a matter of running."`
	RemoteURL             *krm.Node      `json:"remoteURL,omitzero" jsonschema_description:"An error, with optional a warning: nothing here goes to the network."`
}

type kustomizationRef struct {
	policyReference
	Components      []templateText   `json:"components,omitzero" jsonschema_description:"Kustomize components to add."`
	TargetNamespace krm.Str          `json:"targetNamespace,omitzero" jsonschema_description:"The namespace of all objects."`
	Values          textMap          `json:"values,omitzero" jsonschema_description:"An error: Flux has another syntax for values."`
	ValuesFrom      []valueReference `json:"valuesFrom,omitzero" jsonschema_description:"An error: Flux has another syntax for values."`
}

type patch struct {
	placed
	Patch  templateText `json:"patch" jsonschema_description:"The text of the patch."`
	Target *patchTarget `json:"target,omitzero" jsonschema_description:"What the patch is for. A strategic merge patch without it is for the object that it names."`
}

type patchTarget struct {
	placed
	Group              krm.Str `json:"group,omitzero" jsonschema_description:"A regular expression for the group."`
	Version            krm.Str `json:"version,omitzero" jsonschema_description:"A regular expression for the version."`
	Kind               krm.Str `json:"kind,omitzero" jsonschema_description:"A regular expression for the kind."`
	Namespace          krm.Str `json:"namespace,omitzero" jsonschema_description:"A regular expression for the namespace."`
	Name               krm.Str `json:"name,omitzero" jsonschema_description:"A regular expression for the name."`
	LabelSelector      krm.Str `json:"labelSelector,omitzero" jsonschema_description:"A label selector."`
	AnnotationSelector krm.Str `json:"annotationSelector,omitzero" jsonschema_description:"The same for annotations."`
}

type driftExclusion struct {
	placed
	Paths  []templateText `json:"paths" jsonschema_description:"JSON pointers."`
	Target *patchTarget   `json:"target,omitzero" jsonschema_description:"The objects that this is about."`
}

// clusterSet is `lib.projectsveltos.io ClusterSet`, and Set.
type clusterSet struct {
	APIVersion krm.Str    `json:"apiVersion"`
	Kind       krm.Str    `json:"kind"`
	Metadata   objectMeta `json:"metadata"`
	Spec       setSpec    `json:"spec"`
	Status     *krm.Node  `json:"status,omitzero"`
}

type setSpec struct {
	placed
	ClusterSelector clusterSelector   `json:"clusterSelector,omitzero"`
	ClusterRefs     []objectReference `json:"clusterRefs,omitzero"`
	MaxReplicas     integer           `json:"maxReplicas,omitzero"`
}

// clusterSelector is a label selector, as text or as a map.
type clusterSelector struct {
	profile.Selector
	// Kind is that of the node, which must fit the version of the API.
	Kind krm.Kind
	Set  bool
	Pos  krm.Pos
}

func (s *clusterSelector) decode(n *krm.Node, rep *krm.Report) {
	s.Kind, s.Set, s.Pos = n.Kind, true, n.Pos
	if n.Kind != krm.MapNode {
		if isText(n, rep) {
			s.Selector, _ = profile.ParseSelector(n.Str(), rep)
		}
		return
	}
	wire := decode[labelSelector](n, rep)
	var expressions []profile.Expression
	for _, e := range wire.MatchExpressions {
		expressions = append(expressions, profile.Expression{Key: e.Key, Operator: krm.Str(e.Operator), Values: e.Values, Pos: e.Pos})
	}
	s.Selector, _ = profile.NewSelector(wire.MatchLabels, expressions, n.Pos, rep)
}

// tier is a whole number from 1 on; what is not written is the default.
type tier integer

func (t *tier) decode(n *krm.Node, rep *krm.Report) {
	number := integer{}
	quiet := &krm.Report{}
	number.decode(n, quiet)
	if quiet.Failed() || number.Value < 1 {
		hint := ""
		if n.Kind == krm.StringNode && n.Text != "" {
			hint = "write it without quotes"
		}
		rep.Errorf("config-value", n.Pos, hint, "must be an integer from 1 to %d, found %s", math.MaxInt32, describe(n))
		return
	}
	*t = tier(number)
}

func (t tier) or(other int) int { return integer(t).or(other) }
