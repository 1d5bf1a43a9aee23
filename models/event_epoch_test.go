package models_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// future is a transaction number that no cluster of a test reaches.
const future = 1 << 40

// epochs returns the number of epochs of events.
func epochs(t *testing.T, g *paymentstest.Gateway) (n int) {
	t.Helper()
	if err := g.DB.Pool.QueryRow(t.Context(), "SELECT count(*) FROM event_epochs").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// beginEpoch does what a starting process does.
func beginEpoch(t *testing.T, g *paymentstest.Gateway) {
	t.Helper()
	if err := models.BeginEventEpoch(t.Context(), g.DB); err != nil {
		t.Fatal(err)
	}
}

// versions returns the position of each event and the transaction that wrote it, which
// changes when an event is rewritten.
func versions(t *testing.T, g *paymentstest.Gateway) (all string) {
	t.Helper()
	const query = "SELECT string_agg(ctid::text || xmin::text, ' ' ORDER BY id) FROM events"
	if err := g.DB.Pool.QueryRow(t.Context(), query).Scan(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

// moveToFuture turns three events into events of a cluster with higher transaction numbers,
// which wrote the first before the others, and the second while both others were in progress.
func moveToFuture(t *testing.T, g *paymentstest.Gateway, first, second, third string) {
	t.Helper()
	for id, place := range map[string][2]string{
		first:  {"5", fmt.Sprintf("%d:%d:", future+5, future+5)},
		second: {"7", fmt.Sprintf("%d:%d:%d,%d", future+5, future+11, future+5, future+7)},
		third:  {"10", fmt.Sprintf("%d:%d:", future+10, future+10)},
	} {
		modelstest.Exec(t, g.DB, `UPDATE events SET tx = (($1 + $2::bigint)::text)::xid8, seen = $3::pg_snapshot
			WHERE id = $4`,
			int64(future), place[0], place[1], id)
	}
}

// After a backup is restored into a PostgreSQL with lower transaction numbers, the old events
// keep their order and are not sent again.
func TestBeginEventEpoch(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	old := happen(t, g, event(g, g.Test, 0), event(g, g.Test, time.Millisecond), event(g, g.Test, 2*time.Millisecond))
	beginEpoch(t, g)
	if n := epochs(t, g); n != 1 {
		t.Errorf("without a restored backup there are %d epochs", n)
	}
	first, second, third := old[2], old[1], old[0]
	moveToFuture(t, g, first, second, third)
	if got := rest(t, g, resume(t, g, models.EventStreamStart)); len(got) != 0 {
		t.Errorf("without a new epoch the stream returned %v, whose transactions are in the future", got)
	}
	before := versions(t, g)
	for range 2 {
		if beginEpoch(t, g); epochs(t, g) != 2 {
			t.Fatalf("there are %d epochs", epochs(t, g))
		}
	}
	if after := versions(t, g); after != before {
		t.Errorf("events were rewritten: %s, then %s", before, after)
	}
	open, _, err := models.NewEventStream(t.Context(), g.DB.Pool, g.Test.ProjectID)
	if err != nil {
		t.Fatal(err)
	}
	fresh := happen(t, g, event(g, g.Test, 3*time.Millisecond), event(g, g.Test, -time.Second))
	for name, tc := range map[string]struct {
		after string
		want  []string
	}{
		"from the start":   {models.EventStreamStart, append([]string{first, second, third}, fresh...)},
		"after the first":  {first, append([]string{second, third}, fresh...)},
		"after the second": {second, append([]string{first}, fresh...)},
		"after the third":  {third, fresh},
		"after a new one":  {fresh[0], fresh[1:]},
	} {
		if diff := cmp.Diff(tc.want, rest(t, g, resume(t, g, tc.after))); diff != "" {
			t.Errorf("%s (-want +streamed)\n%s", name, diff)
		}
	}
	if diff := cmp.Diff(fresh, rest(t, g, open)); diff != "" {
		t.Errorf("an open stream (-want +streamed)\n%s", diff)
	}
	// Simulate that this cluster has reached their transaction numbers.
	modelstest.Exec(t, g.DB, "UPDATE events SET tx = pg_current_xact_id() WHERE epoch = 0")
	if got := rest(t, g, open); len(got) != 0 {
		t.Errorf("an open stream returned %v again", got)
	}
	modelstest.Exec(t, g.DB, "UPDATE events SET tx = (($1::bigint)::text)::xid8 WHERE id = $2", int64(future), fresh[0])
	if beginEpoch(t, g); epochs(t, g) != 3 {
		t.Errorf("after a second restore there are %d epochs", epochs(t, g))
	}
}

// Processes that start together after a restore begin one epoch, and events written
// meanwhile belong to one of the two epochs.
func TestBeginEventEpoch_Concurrent(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	old := happen(t, g, event(g, g.Test, 0))
	modelstest.Exec(t, g.DB, "UPDATE events SET tx = '1099511627776'")
	commit := begin(t, g, event(g, g.Test, time.Millisecond))
	var group errgroup.Group
	for range 4 {
		group.Go(func() error { return models.BeginEventEpoch(t.Context(), g.DB) })
	}
	commit()
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := epochs(t, g); n != 2 {
		t.Errorf("%d epochs", n)
	}
	fresh := happen(t, g, event(g, g.Test, 2*time.Millisecond))
	got := rest(t, g, resume(t, g, models.EventStreamStart))
	if len(got) != 3 || !slices.Contains(got, old[0]) || got[2] != fresh[0] {
		t.Errorf("the stream returned %v; %s is old and %s is new", got, old[0], fresh[0])
	}
}
