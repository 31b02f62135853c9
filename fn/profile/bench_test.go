package profile

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// manyProfiles are n profiles with ten claims each: half of them on objects, half
// on releases, and each wanted by ten profiles.
func manyProfiles(tb testing.TB, n int) *world {
	tb.Helper()
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "p%05d %d continue: r%d[", i, 1+i, i)
		for j := range 5 {
			fmt.Fprintf(&text, " ns/o%d", (i/10)*5+j)
		}
		text.WriteString("]")
		for j := range 5 {
			fmt.Fprintf(&text, " h%d", (i/10)*5+j)
		}
		text.WriteString("\n")
	}
	return newWorld(tb, text.String())
}

// cpu is the processor time that this process has used.
func cpu(tb testing.TB) time.Duration {
	tb.Helper()
	var usage syscall.Rusage
	require.NoError(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// resolveOnce is the decision alone: what every claim is about is known.
func resolveOnce(tb testing.TB, claims []*Claim, want int) time.Duration {
	tb.Helper()
	for _, c := range claims {
		c.Outcome = Outcome{}
	}
	start := cpu(tb)
	Resolve(claims, nil, ByError, &krm.Report{})
	took := cpu(tb) - start
	deployed := 0
	for _, c := range claims {
		if c.State == Deployed {
			deployed++
		}
	}
	require.Equal(tb, want, deployed)
	return took
}

// BenchmarkTiers decides between 1,000 profiles with 10,000 claims. It prints the
// processor time for a claim, and what ten times the profiles take for a claim as a ratio to
// that: 1 is linear.
func BenchmarkTiers(b *testing.B) {
	small, _ := manyProfiles(b, 1000).run()
	large, _ := manyProfiles(b, 10000).run()
	var few, many time.Duration
	for b.Loop() {
		few += resolveOnce(b, small, 1000)
		many += resolveOnce(b, large, 10000)
	}
	perClaim := func(d time.Duration, claims int) float64 {
		return float64(d.Nanoseconds()) / float64(b.N) / float64(claims)
	}
	b.ReportMetric(perClaim(few, len(small)), "ns/claim")
	b.ReportMetric(perClaim(many, len(large))/perClaim(few, len(small)), "x-for-10x")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkProfiles is the same from the texts of the profiles' objects on.
func BenchmarkProfiles(b *testing.B) {
	w, ten := manyProfiles(b, 1000), manyProfiles(b, 10000)
	var few, many time.Duration
	for b.Loop() {
		start := cpu(b)
		w.run()
		few += cpu(b) - start
		start = cpu(b)
		ten.run()
		many += cpu(b) - start
	}
	b.ReportMetric(float64(few.Nanoseconds())/float64(b.N)/10000, "ns/claim")
	b.ReportMetric(float64(many.Nanoseconds())/float64(few.Nanoseconds())/10, "x-for-10x")
	b.ReportMetric(0, "ns/op")
}
