// Package config turns the functionConfig, the configuration items and the
// files named by spec.configs into a Plan. It is the only package that knows
// field names.
package config

import "github.com/provision-tenants/provision-tenants/fn/krm"

// Parse reads the configuration of a run. All mistakes are reported; with one
// that is an error the result is (nil, false).
func Parse(list *krm.List, rep *krm.Report) (*Plan, bool) { return nil, false }

type areas struct{}
