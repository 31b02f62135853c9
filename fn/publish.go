package fn

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/artifact"
	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// archiveSink gets an artifact that was built and the object that stands for it.
// Its files are in memory until the sink returns.
type archiveSink func(o *krm.Object, built *artifact.Artifact)

// Publish writes the archive of each ExternalArtifact that the list asks for below
// dir, at the path that `status.artifact` names. It returns the paths that it
// wrote, sorted; a file that is there with the right digest stays. With an error
// or a safeguard in the report nothing is written. The error is that of the disk.
//
// The run is done twice. The first time finds out whether it is valid and which
// objects come out of it, the second time builds every archive again and writes
// it: one artifact is in memory at a time, and no file is written for a run that
// turns out to be wrong.
func Publish(list *krm.List, dir string, rep *krm.Report) ([]string, error) {
	_, objects := render(list, nil, rep)
	if rep.Failed() {
		return nil, nil
	}
	folder, err := source.CreateFolder(dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	p := publication{folder: folder, wanted: archivesOf(objects)}
	_, _ = render(list, p.take, &krm.Report{}) // which would say the same once more
	slices.Sort(p.written)
	return p.written, cmp.Or(p.err, p.incomplete())
}

// publication is a Publish at work.
type publication struct {
	folder *source.Folder
	// wanted are the paths of the archives that are still to come.
	wanted  map[string]bool
	written []string
	err     error
}

// archivesOf are the paths of the archives of objects. What lost to another
// generator is not among them.
func archivesOf(objects []*krm.Object) map[string]bool {
	paths := map[string]bool{}
	for _, o := range objects {
		if o.Kind == externalArtifactKind {
			paths[archivePath(o)] = true
		}
	}
	return paths
}

func (p *publication) take(o *krm.Object, built *artifact.Artifact) {
	file := archivePath(o)
	if p.err != nil || !p.wanted[file] {
		return
	}
	delete(p.wanted, file)
	if p.folder.Holds(file, built.Digest, built.Size) {
		return
	}
	if p.err = p.folder.Write(file, built.WriteArchive); p.err == nil {
		p.written = append(p.written, file)
	}
}

// incomplete is the error for archives that did not come again.
func (p *publication) incomplete() error {
	if len(p.wanted) == 0 {
		return nil
	}
	return fmt.Errorf("the sources changed while their archives were written, %d of them are missing, such as %q: publish again",
		len(p.wanted), slices.Min(slices.Collect(maps.Keys(p.wanted))))
}

// archivePath is where the archive of an ExternalArtifact is, below the directory
// that is served. Its name is a part of the digest: a file never changes, and a
// consumer that is behind still finds the older one.
func archivePath(o *krm.Object) string {
	const digits = 12
	sum := strings.TrimPrefix(o.Annotations[krm.DigestKey], "sha256:")
	return path.Join("externalartifact", o.Namespace, o.Name, sum[:min(digits, len(sum))]+".tar.gz")
}

// artifactStatus is `status.artifact` of an ExternalArtifact (Flux, API of
// source.toolkit.fluxcd.io/v1).
func artifactStatus(publish *config.Publish, o *krm.Object, spec *config.Artifact, built *artifact.Artifact) *krm.Node {
	file := archivePath(o)
	status := map[string]*krm.Node{
		"path":           krm.NewString(file),
		"url":            krm.NewString(publish.BaseURL + "/" + file),
		"revision":       krm.NewString(revisionOf(spec, built)),
		"digest":         krm.NewString(built.Digest),
		"size":           krm.NewInt(built.Size),
		"lastUpdateTime": krm.NewString(publish.LastUpdateTime),
	}
	if spec.OriginRevision != "" {
		status["metadata"] = krm.NewStringMap(map[string]string{originRevision: spec.OriginRevision})
	}
	return krm.NewMap(status)
}
