package krm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPosField(t *testing.T) {
	assert.Equal(t, `spec.list[2].labels["a/b"]`, Pos{}.At("spec").At("list").Item(2).At("labels").Key("a/b").Field)
	deep := Pos{Field: "spec"}
	for range 1000 {
		deep = deep.Item(0)
	}
	deep = deep.At("name")
	assert.Less(t, len(deep.Field), 210)
	assert.True(t, strings.HasPrefix(deep.Field, "spec[0][0]") && strings.HasSuffix(deep.Field, "[0][0].name"), deep.Field)
	assert.Equal(t, 1, strings.Count(deep.Field, "…"))
	long := Pos{Field: "spec"}.Key(strings.Repeat("é", 1<<20)).At("name")
	assert.Less(t, len(long.Field), 210)
	assert.True(t, strings.HasPrefix(long.Field, `spec["éé`) && strings.HasSuffix(long.Field, `éé"].name`), long.Field)
}

func TestPosPlaceIsBounded(t *testing.T) {
	long := Pos{Object: Identity{Kind: "A", Name: strings.Repeat("x", 1<<20)}}
	assert.Less(t, len(long.Place()), 300)
}
