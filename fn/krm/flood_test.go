package krm

import (
	"fmt"
	"path"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLimited(t *testing.T) {
	limited := Limited(2, func(p Pos) string { return "the directory " + path.Dir(p.File) })
	for i := range 5 {
		limited.Warnf("a-link", Pos{File: fmt.Sprintf("x/%d", i)}, "do this", "a link")
	}
	for i := range 2 {
		limited.Warnf("a-link", Pos{File: fmt.Sprintf("y/%d", i)}, "", "a link")
	}
	limited.Errorf("a-name", Pos{File: "x/0"}, "", "a name")
	rep := &Report{}
	rep.Append(limited)
	rep.Append(&Report{})
	var lines []string
	for _, f := range rep.Findings() {
		lines = append(lines, f.Severity.String()+" "+f.String())
	}
	assert.Equal(t, []string{
		"error x/0: a name [a-name]",
		"warning x/0: a link (do this) [a-link]",
		"warning x/1: 3 more like this in the directory x [a-link]",
		"warning x/1: a link (do this) [a-link]",
		"warning y/0: a link [a-link]",
		"warning y/1: a link [a-link]",
	}, lines)
	assert.Equal(t, Error, rep.Worst())
}
