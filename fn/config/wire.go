package config

import "github.com/provision-tenants/provision-tenants/fn/krm"

// The structs of this file are what files look like. The strict decoder and the
// JSON Schema both come from them: a field without `omitzero` is required, the
// type of a text is its syntax (text.go), minItems and maxItems are enforced, and
// exactly one of the fields with `oneof_required` is there.
// A field tagged `check:"later"` is checked by the constructor that takes it.

// provisionTenants is `fn.kpt.dev/v1alpha1 ProvisionTenants`.
type provisionTenants struct {
	APIVersion krm.Str       `json:"apiVersion" jsonschema:"enum=fn.kpt.dev/v1alpha1" jsonschema_description:"The API of the functionConfig."`
	Kind       krm.Str       `json:"kind" jsonschema:"enum=ProvisionTenants" jsonschema_description:"The kind of the functionConfig."`
	Metadata   objectMeta    `json:"metadata" jsonschema_description:"Name and namespace of the configuration; the inventory is called after it."`
	Spec       provisionSpec `json:"spec" jsonschema_description:"What to provision and from where."`
}

type provisionSpec struct {
	placed
	Sources               []sourceEntry     `json:"sources,omitzero" jsonschema_description:"Where the files behind each source alias are. Without entries the only alias is the base directory; with more than one alias each needs an entry."`
	Configs               []filePattern     `json:"configs,omitzero" jsonschema_description:"KRM files to read as configuration: doublestar patterns relative to the base directory and confined to it. They are never emitted."`
	Generators            []inlineGenerator `json:"generators,omitzero" jsonschema_description:"Inline ArtifactGenerators, the same as items of that kind."`
	DefaultServiceAccount subdomain         `json:"defaultServiceAccount,omitzero" jsonschema_description:"The service account of generators that name none in spec.serviceAccountName."`
	ProtectedNames        []labelName       `json:"protectedNames,omitzero" jsonschema_description:"Namespace names that are refused besides the built-in ones."`
	Deletion              *deletionSpec     `json:"deletion,omitzero" jsonschema_description:"Safeguards against namespaces that leave the output."`
	Publish               *publishSpec      `json:"publish,omitzero" jsonschema_description:"Where the archives of the artifacts can be fetched. Without it there is no status.artifact: an address that nobody serves is a lie."`
}

type sourceEntry struct {
	placed
	Alias          aliasName   `json:"alias,omitzero" jsonschema_description:"An ArtifactGenerator's spec.sources[].alias. It may be left out while only one alias exists."`
	Directory      directory   `json:"directory,omitzero" jsonschema:"oneof_required=directory" jsonschema_description:"The directory of the source, relative to the base directory or absolute. A source has exactly one of directory and archive."`
	Archive        archiveFile `json:"archive,omitzero" jsonschema:"oneof_required=archive" jsonschema_description:"A .tar.gz or .tgz file that holds the tree of the source, relative to the base directory or absolute."`
	Revision       revision    `json:"revision,omitzero" jsonschema_description:"The revision of the source, for artifacts with revision: \"@alias\". Default: status.artifact.revision of the source object among the items."`
	OriginRevision revision    `json:"originRevision,omitzero" jsonschema_description:"The origin revision of the source, for artifacts with originRevision: \"@alias\". Default: the one of the source object among the items, else the revision."`
}

type deletionSpec struct {
	placed
	Baseline      innerPath `json:"baseline,omitzero" jsonschema_description:"The previous output, a file or directory below the base directory. Under kpt the previous output is among the items."`
	MaxNamespaces limit     `json:"maxNamespaces,omitzero" jsonschema_description:"How many namespaces may leave at once: a number, or a percentage of the baseline rounded down. Default: 10%, at least 1."`
	AllowEmpty    flag      `json:"allowEmpty,omitzero" jsonschema:"default=false" jsonschema_description:"Lets all namespaces leave, and lets a pattern match nothing."`
}

type publishSpec struct {
	placed
	BaseURL        baseURL   `json:"baseURL" jsonschema_description:"The address at which the directory of publish --out is served. ExternalArtifacts then get status.artifact."`
	LastUpdateTime timestamp `json:"lastUpdateTime,omitzero" check:"later" jsonschema:"default=1970-01-01T00:00:00Z" jsonschema_description:"The lastUpdateTime of status.artifact, RFC 3339: equal input gives equal output, so nobody looks at a clock. Default: 1970-01-01T00:00:00Z."`
}

// placed is a wire struct that knows where it stands.
type placed struct {
	Pos krm.Pos `json:"-"`
}

// objectMeta is Kubernetes' ObjectMeta. Fields that only a server sets are
// tolerated, so that an exported object can be used as it is.
type objectMeta struct {
	placed
	Name        subdomain     `json:"name" jsonschema_description:"The name of the object."`
	Namespace   labelName     `json:"namespace,omitzero" jsonschema:"default=default" jsonschema_description:"The namespace of the object."`
	Labels      labelMap      `json:"labels,omitzero" jsonschema_description:"The labels of the object itself."`
	Annotations annotationMap `json:"annotations,omitzero" jsonschema_description:"The annotations of the object itself. Those below provision-tenants.fn.kpt.dev/ are options."`
	serverMeta
}

// serverMeta is what a server adds to an object; nothing here reads it.
type serverMeta struct {
	UID                        *krm.Node `json:"uid,omitzero" jsonschema_description:"Set by a server, ignored."`
	ResourceVersion            *krm.Node `json:"resourceVersion,omitzero" jsonschema_description:"Set by a server, ignored."`
	Generation                 *krm.Node `json:"generation,omitzero" jsonschema_description:"Set by a server, ignored."`
	CreationTimestamp          *krm.Node `json:"creationTimestamp,omitzero" jsonschema_description:"Set by a server, ignored."`
	ManagedFields              *krm.Node `json:"managedFields,omitzero" jsonschema_description:"Set by a server, ignored."`
	OwnerReferences            *krm.Node `json:"ownerReferences,omitzero" jsonschema_description:"Set by a server, ignored."`
	Finalizers                 *krm.Node `json:"finalizers,omitzero" jsonschema_description:"Set by a server, ignored."`
	DeletionTimestamp          *krm.Node `json:"deletionTimestamp,omitzero" jsonschema_description:"Set by a server, ignored."`
	DeletionGracePeriodSeconds *krm.Node `json:"deletionGracePeriodSeconds,omitzero" jsonschema_description:"Set by a server, ignored."`
	GenerateName               *krm.Node `json:"generateName,omitzero" jsonschema_description:"Set by a server, ignored."`
	SelfLink                   *krm.Node `json:"selfLink,omitzero" jsonschema_description:"Set by a server, ignored."`
}

// artifactGenerator is `source.extensions.fluxcd.io/v1beta1 ArtifactGenerator`.
type artifactGenerator struct {
	APIVersion krm.Str       `json:"apiVersion" jsonschema:"enum=source.extensions.fluxcd.io/v1beta1" jsonschema_description:"The API of the generator."`
	Kind       krm.Str       `json:"kind" jsonschema:"enum=ArtifactGenerator" jsonschema_description:"The kind of the generator."`
	Metadata   objectMeta    `json:"metadata" jsonschema_description:"Name and namespace of the generator."`
	Spec       generatorSpec `json:"spec" jsonschema_description:"What to build, from which sources, and which namespaces to manage."`
	Status     *krm.Node     `json:"status,omitzero" jsonschema_description:"Ignored."`
}

// inlineGenerator is an artifactGenerator whose place already says what it is.
type inlineGenerator struct {
	APIVersion krm.Str       `json:"apiVersion,omitzero" jsonschema:"enum=source.extensions.fluxcd.io/v1beta1" jsonschema_description:"The API of the generator."`
	Kind       krm.Str       `json:"kind,omitzero" jsonschema:"enum=ArtifactGenerator" jsonschema_description:"The kind of the generator."`
	Metadata   objectMeta    `json:"metadata" jsonschema_description:"Name and namespace of the generator."`
	Spec       generatorSpec `json:"spec" jsonschema_description:"What to build, from which sources, and which namespaces to manage."`
	Status     *krm.Node     `json:"status,omitzero" jsonschema_description:"Ignored."`
}

type generatorSpec struct {
	placed
	ServiceAccountName subdomain          `json:"serviceAccountName,omitzero" jsonschema_description:"The service account that applies namespaces and artifacts outside the generator's own namespace."`
	PathPattern        pathPattern        `json:"pathPattern,omitzero" check:"later" jsonschema_description:"Drives discovery: @alias/ and a path of literal text and {captures}, each capture within one path segment. Every directory that matches yields the artifacts."`
	CommonMetadata     *commonMetadata    `json:"commonMetadata,omitzero" jsonschema_description:"Labels and annotations of every ExternalArtifact and managed Namespace."`
	Sources            []sourceReference  `json:"sources" jsonschema:"minItems=1,maxItems=1000" jsonschema_description:"The Flux sources that the generator reads, each with the alias that stands for it."`
	Artifacts          []artifactSpec     `json:"artifacts" jsonschema:"minItems=1,maxItems=1000" jsonschema_description:"The artifacts to build, for each directory that the path pattern matches."`
	ManagedNamespaces  *managedNamespaces `json:"managedNamespaces,omitzero" jsonschema_description:"Opts in to managing the namespaces of the artifacts."`
}

type commonMetadata struct {
	placed
	Labels      labelMap      `json:"labels,omitzero" check:"later" jsonschema_description:"Labels to add."`
	Annotations annotationMap `json:"annotations,omitzero" check:"later" jsonschema_description:"Annotations to add."`
}

type sourceReference struct {
	placed
	Alias     aliasName  `json:"alias" jsonschema_description:"The name that stands for the source, written @alias elsewhere."`
	Kind      sourceKind `json:"kind" jsonschema_description:"The kind of the Flux source."`
	Name      sourceName `json:"name" jsonschema_description:"The name of the Flux source."`
	Namespace labelName  `json:"namespace,omitzero" jsonschema_description:"The namespace of the Flux source. Default: the generator's."`
}

type artifactSpec struct {
	placed
	Name           artifactName    `json:"name" check:"later" jsonschema_description:"The name of the ExternalArtifact. It may hold {captures} of the path pattern, in lower case."`
	Namespace      artifactName    `json:"namespace,omitzero" check:"later" jsonschema_description:"The namespace of the ExternalArtifact. It may hold {captures}, in lower case. Default: the generator's."`
	Revision       aliasReference  `json:"revision,omitzero" jsonschema_description:"@alias: the artifact takes over the revision of that source. Default: latest@ and the digest."`
	OriginRevision aliasReference  `json:"originRevision,omitzero" jsonschema_description:"@alias: the artifact records the origin revision of that source."`
	InputsFrom     sourcePath      `json:"inputsFrom,omitzero" check:"later" jsonschema_description:"A YAML or JSON file, @alias/path or @artifact/path, whose map becomes status.exportedInputs. It may hold {captures}."`
	Copy           []copyOperation `json:"copy" jsonschema:"minItems=1" jsonschema_description:"What the artifact consists of, copied in this order."`
}

type copyOperation struct {
	placed
	From     copyFrom     `json:"from" check:"later" jsonschema_description:"@alias/path: a file, a directory or a glob in a source. It may hold {captures}."`
	To       copyTo       `json:"to" check:"later" jsonschema_description:"@artifact/path: where it goes. It may hold {captures}."`
	Exclude  []globText   `json:"exclude,omitzero" jsonschema:"maxItems=100" check:"later" jsonschema_description:"Globs of what to leave out."`
	Strategy copyStrategy `json:"strategy,omitzero" check:"later" jsonschema:"default=Overwrite" jsonschema_description:"How to meet a file that is already there: Overwrite it, Merge YAML into it, or Extract an archive."`
	Optional flag         `json:"optional,omitzero" jsonschema:"default=false" jsonschema_description:"Lets the operation match nothing."`
}

type managedNamespaces struct {
	placed
	AllowedNames []ruleText         `json:"allowedNames" jsonschema:"minItems=1" check:"later" jsonschema_description:"CEL expressions over ns, the name of a namespace. A name is allowed when one of them is true."`
	Prune        flag               `json:"prune" jsonschema_description:"Whether a namespace that is no longer needed may be deleted."`
	Metadata     *namespaceMetadata `json:"metadata,omitzero" check:"later" jsonschema_description:"Labels and annotations of the namespaces, on top of commonMetadata."`
}

type namespaceMetadata struct {
	placed
	FromSource *fromSource         `json:"fromSource,omitzero" jsonschema_description:"Takes metadata from a NamespaceMetadata file that the tenant writes."`
	From       []metadataOperation `json:"from,omitzero" jsonschema_description:"Metadata of the platform team, applied last and in this order."`
}

type fromSource struct {
	placed
	Path               sourcePath `json:"path" check:"later" jsonschema_description:"The NamespaceMetadata file, @alias/path. It may hold the {captures} that every artifact's namespace holds."`
	AllowedAnnotations ruleMap    `json:"allowedAnnotations,omitzero" check:"later" jsonschema_description:"The annotations a tenant may set, each with a CEL expression over value."`
	AllowedLabels      ruleMap    `json:"allowedLabels,omitzero" check:"later" jsonschema_description:"The labels a tenant may set, each with a CEL expression over value."`
}

type metadataOperation struct {
	placed
	Strategy    metadataStrategy `json:"strategy" check:"later" jsonschema_description:"Reset clears what there is and then sets; Override replaces on conflict; Merge only adds what is absent."`
	Namespace   namespaceOrAll   `json:"namespace" check:"later" jsonschema_description:"The namespace that the operation is for, or * for all."`
	Annotations annotationMap    `json:"annotations,omitzero" check:"later" jsonschema_description:"Annotations of the operation."`
	Labels      labelMap         `json:"labels,omitzero" check:"later" jsonschema_description:"Labels of the operation."`
}

// configMap is kpt's `configMap:` sugar. kpt turns all values into strings.
type configMap struct {
	APIVersion krm.Str        `json:"apiVersion"`
	Kind       krm.Str        `json:"kind"`
	Metadata   *configMapMeta `json:"metadata,omitzero"`
	Data       *configMapData `json:"data,omitzero"`
	BinaryData *nothing       `json:"binaryData,omitzero"`
	Immutable  *krm.Node      `json:"immutable,omitzero"`
}

type configMapMeta struct {
	placed
	Name        krm.Str       `json:"name,omitzero"`
	Namespace   labelName     `json:"namespace,omitzero"`
	Labels      labelMap      `json:"labels,omitzero"`
	Annotations annotationMap `json:"annotations,omitzero"`
	serverMeta
}

type configMapData struct {
	placed
	Directory  directory   `json:"directory,omitzero"`
	AllowEmpty trueOrFalse `json:"allowEmpty,omitzero"`
}

// nothing is a map that must be empty.
type nothing struct{}

// namespaceMetadataFile is `source.extensions.fluxcd.io/v1beta1
// NamespaceMetadata`, the file that a tenant writes. Package tenant reads it;
// this struct is for the schema.
type namespaceMetadataFile struct {
	APIVersion krm.Str     `json:"apiVersion" jsonschema:"enum=source.extensions.fluxcd.io/v1beta1" jsonschema_description:"The API of the file."`
	Kind       krm.Str     `json:"kind" jsonschema:"enum=NamespaceMetadata" jsonschema_description:"The kind of the file."`
	Metadata   *tenantMeta `json:"metadata,omitzero" jsonschema:"nullable" jsonschema_description:"What the tenant wants on the namespace."`
}

type tenantMeta struct {
	Name        labelName `json:"name,omitzero" jsonschema_description:"The name of the namespace, which may be left out: the directory says it."`
	Annotations tenantMap `json:"annotations,omitzero" jsonschema:"nullable" jsonschema_description:"Annotations for the namespace; the platform team decides which ones are taken over."`
	Labels      tenantMap `json:"labels,omitzero" jsonschema:"nullable" jsonschema_description:"Labels for the namespace; the platform team decides which ones are taken over."`
}
