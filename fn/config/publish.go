package config

import (
	"strings"
	"time"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// epoch is what counts where nobody says when: every archive holds that time, too.
const epoch = "1970-01-01T00:00:00Z"

// newPublish reads `publish`; nil when it is not there.
func newPublish(wire *publishSpec, rep *krm.Report) *Publish {
	if wire == nil {
		return nil
	}
	return &Publish{
		BaseURL:        strings.TrimRight(wire.BaseURL.Text, "/"),
		LastUpdateTime: parseTime(wire.LastUpdateTime, rep),
	}
}

// parseTime gives a time the form in which an API server writes it: UTC, and
// whole seconds.
func parseTime(text timestamp, rep *krm.Report) string {
	if text.Text == "" && text.Pos == (krm.Pos{}) {
		return epoch
	}
	syn := syntaxOf[timestamp]()
	t, err := time.Parse(time.RFC3339, text.Text)
	utc := t.UTC().Format(time.RFC3339)
	switch what := syn.mistake(text.Text); {
	case what != "":
		rep.Errorf("config-value", text.Pos, "", "must %s", what)
	case err != nil || syn.mistake(utc) != "": // UTC can be in the year -1
		rep.Errorf("config-value", text.Pos, "", "there is no such time as %q", shown(text.Text))
	}
	return utc
}
