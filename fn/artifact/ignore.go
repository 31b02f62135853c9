package artifact

import (
	"slices"
	"strings"
)

// What an archive never holds (Flux source-controller, default ignore list, in
// the semantics of gitignore: every pattern matches a name at any depth). `.tgz`
// is not among it.
var (
	ignoredDirectories = []string{".git", ".github", ".circleci"}
	ignoredNames       = []string{
		".gitignore", ".gitmodules", ".gitattributes",
		".travis.yml", ".gitlab-ci.yml", "appveyor.yml", ".drone.yml", "cloudbuild.yaml",
		"codeship-services.yml", "codeship-steps.yml",
		".goreleaser.yml", ".sops.yaml", ".flux.yaml",
	}
	ignoredSuffixes = []string{".jpg", ".jpeg", ".gif", ".png", ".wmv", ".flv", ".tar.gz", ".zip"}
)

// ignored tells whether the last name of path is on the list; what is below an
// ignored directory is ignored, too.
func ignored(path string, directory bool) bool {
	_, name := cutName(path)
	return directory && slices.Contains(ignoredDirectories, name) ||
		slices.Contains(ignoredNames, name) ||
		slices.ContainsFunc(ignoredSuffixes, func(suffix string) bool { return strings.HasSuffix(name, suffix) })
}
