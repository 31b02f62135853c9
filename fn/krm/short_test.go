package krm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestShort(t *testing.T) {
	assert.Equal(t, "", Short("", 4))
	assert.Equal(t, "abcd", Short("abcd", 4))
	assert.Equal(t, "ab…de", Short("abcde", 4))
	assert.Equal(t, "a…e", Short("aéée", 4), "no half of a character")
	assert.Equal(t, strings.Repeat("a", 40)+"…"+strings.Repeat("b", 40), Short(strings.Repeat("a", 1<<20)+strings.Repeat("b", 1<<20), 80))
}
