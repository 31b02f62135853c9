package krm

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFindingsAreSortedOnceAndWorstFirst(t *testing.T) {
	rep := &Report{}
	rep.Infof("c", Pos{File: "a"}, "", "info")
	rep.Warnf("b", Pos{File: "b", Line: 10}, "", "late")
	rep.Warnf("b", Pos{File: "b", Line: 9}, "", "early")
	rep.Errorf("a", Pos{}, "", "error %q", "x")
	rep.Errorf("a", Pos{}, "", "error %q", "x")
	rep.Stopf("s", Pos{}, "", "stop")
	var got []string
	for _, f := range rep.Findings() {
		got = append(got, f.Severity.String()+" "+f.Message)
	}
	assert.Equal(t, []string{`error error "x"`, "error stop", "warning early", "warning late", "info info"}, got)
	assert.Equal(t, Error, rep.Worst())
	assert.True(t, rep.Failed())
}

func TestFieldsAreSortedAsPeopleDo(t *testing.T) {
	fields := []string{"a[10].b", "a[9]", "a[2].c", "a", "a[2].b", "b", "a[02]", "a[10]"}
	slices.SortFunc(fields, compareFields)
	assert.Equal(t, []string{"a", "a[2].b", "a[2].c", "a[9]", "a[02]", "a[10]", "a[10].b", "b"}, fields)
}

func TestFindingsOfOneFileAreBounded(t *testing.T) {
	rep := &Report{}
	for line := range 200 {
		rep.Warnf("w", Pos{File: "noisy", Line: line + 1}, "", "odd")
	}
	rep.Warnf("w", Pos{File: "quiet", Line: 1}, "", "odd")
	found := rep.Findings()
	assert.Len(t, found, maxPerFile+1)
	assert.Equal(t, "odd; 150 more like this in the file", found[maxPerFile-1].Message)
	assert.Equal(t, "quiet", found[maxPerFile].Pos.File)
}
