package tenant

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type m = map[string]string

func TestDigest(t *testing.T) {
	tests := []struct {
		labels, annotations m
		want                string
	}{
		{nil, nil, "sha256:880c4a6272dc957686298143a2d40b1cdf759f0a20b039bc6408a9661c88e843"},
		{m{}, m{}, "sha256:880c4a6272dc957686298143a2d40b1cdf759f0a20b039bc6408a9661c88e843"},
		{
			m{"my.org.io/provisioner": "monorepo"},
			m{"my.org.io/observability": "Enabled"},
			"sha256:77405affd607bfc82abcf9240518d07f184421a2c74a6469317d1230d592be35",
		},
		{
			m{"my.org.io/provisioner": "monorepo", "tier": "standard"},
			m{"my.org.io/observability": "Enabled"},
			"sha256:8661b2e5388c07f98f8d9d236aab668d36677b5ded858288add7cffebf4c49dc",
		},
		{
			m{"my.org.io/provisioner": "monorepo", "tier": "gold"},
			nil,
			"sha256:e1b49f87efac51d9804ae1d4ceeacf1fa8fea54835c4ac43c9175349351fdc10",
		},
	}
	for _, test := range tests {
		assert.Equal(t, test.want, Digest(test.labels, test.annotations))
	}
	assert.NotEqual(t, Digest(m{"a": "b"}, nil), Digest(nil, m{"a": "b"}))
}

// TestDigestText pins the text that is hashed: what `jq -cjS` prints.
func TestDigestText(t *testing.T) {
	text := "{\"annotations\":{\"a\":\"<b>&\u2028\\\"\\\\\\n\\t\\r\\b\\f\\u0001é\",\"b\":\"\"},\"labels\":{\"Z\":\"1\",\"a/b\":\"2\"}}"
	require.True(t, json.Valid([]byte(text)))
	sum := sha256.Sum256([]byte(text))
	annotations := m{"b": "", "a": "<b>&\u2028\"\\\n\t\r\b\f\x01é"}
	assert.Equal(t, "sha256:"+hex.EncodeToString(sum[:]), Digest(m{"a/b": "2", "Z": "1"}, annotations))
}
