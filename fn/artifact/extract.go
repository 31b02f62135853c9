package artifact

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// isTarball goes by the name, as upstream does.
func isTarball(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".tgz")
}

// extract unpacks a tarball into target. Anything else than files and directories
// is an error: a link could lead out of the artifact, or become an empty file.
func (c *copier) extract(tarball, target string) {
	content, ok := c.read(tarball)
	if !ok {
		return
	}
	err := source.ReadTarball(bytes.NewReader(content.Data), maxExtracted, func(name string, kind source.EntryType, content source.Content) error {
		switch {
		case kind != source.File && kind != source.Directory:
			return fmt.Errorf("the entry %q is %s, only files and directories can be extracted", shown(name), kind)
		case strings.Contains(name, `\`):
			return fmt.Errorf("the entry name %q has a backslash", shown(name))
		}
		return c.extractEntry(join(target, name), staged{
			data: content.Data, executable: content.Executable, directory: kind == source.Directory, origin: origin{c.tree, tarball, true},
		})
	})
	if err != nil && !c.full {
		c.rep.Errorf("copy-extract", krm.Pos{File: c.tree.Place(tarball)}, source.Cure(err), "artifact %s: cannot extract the tarball: %v", c.what, err)
		c.ok = false
	}
}

var errFull = errors.New("the artifact is at its limit")

// extractEntry ends the extraction with an error when the artifact is full.
func (c *copier) extractEntry(target string, f staged) error {
	var err error
	if f.directory {
		err = c.stage.mkdir(target, f.origin)
	} else {
		err = c.stage.put(target, f)
	}
	if err == nil && c.stage.size > maxArtifact {
		c.overflow()
		err = errFull
	}
	return err
}
