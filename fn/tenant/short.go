package tenant

import (
	"errors"
	"io/fs"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// short is a value or an expression as messages show it.
func short(text string) string { return krm.Short(text, 80) }

// shortName is a directory or a key as messages show it: a legal one is never
// cut.
func shortName(name string) string { return krm.Short(name, 320) }

// shortError is an error as messages show it: CEL quotes the value in some.
func shortError(err error) string { return krm.Short(err.Error(), 256) }

// bare is an error without the path, which the message names already.
func bare(err error) error {
	if inner, ok := errors.AsType[*fs.PathError](err); ok {
		return inner.Err
	}
	return err
}
