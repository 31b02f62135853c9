// Command provision-tenants is a KRM function that turns tenant directories into
// Namespaces and ExternalArtifacts. See package fn.
package main

import (
	"os"

	"github.com/provision-tenants/provision-tenants/fn"
)

func main() {
	os.Exit(fn.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
