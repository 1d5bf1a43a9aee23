package models_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// event returns an event of the scope, at a time after the gateway's.
func event(g *paymentstest.Gateway, scope models.Scope, after time.Duration) models.Event {
	return models.Event{
		ID: models.NewEventID(), ProjectID: scope.ProjectID, Environment: scope.Environment,
		Type: models.EventCheckoutCreated,
		Body: []byte(`{}`), CreatedAt: g.Clock.Now().Add(after),
	}
}

// happen commits events, each in its own transaction, and returns their ids.
func happen(t *testing.T, g *paymentstest.Gateway, events ...models.Event) (ids []string) {
	t.Helper()
	for _, e := range events {
		err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
			_, err := models.InsertEvents(tx, e)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, e.ID)
	}
	return ids
}

// begin writes events in a transaction that stays open, and returns a function that commits
// it.
func begin(t *testing.T, g *paymentstest.Gateway, events ...models.Event) (commit func()) {
	t.Helper()
	written, goOn, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- g.DB.InTx(context.Background(), func(tx *models.Tx) error {
			_, err := models.InsertEvents(tx, events...)
			close(written)
			<-goOn
			return err
		})
	}()
	<-written
	end := sync.OnceFunc(func() { close(goOn) })
	t.Cleanup(end) // otherwise dropping the database would wait forever
	return func() {
		t.Helper()
		end()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
}

// rest returns the ids of all events that a stream has now.
func rest(t *testing.T, g *paymentstest.Gateway, s *models.EventStream) (ids []string) {
	t.Helper()
	for {
		events, err := s.Next(t.Context(), g.DB.Pool)
		if err != nil {
			t.Fatal(err)
		}
		if len(events) == 0 {
			return ids
		}
		for _, e := range events {
			ids = append(ids, e.ID)
		}
	}
}

func resume(t *testing.T, g *paymentstest.Gateway, after string) *models.EventStream {
	t.Helper()
	s, err := models.ResumeEventStream(t.Context(), g.DB.Pool, g.Test.ProjectID, after)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A stream returns the new test events of its project, in order and each once. A stream that
// is resumed after an event returns those that follow it.
func TestEventStream(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	empty, after, err := models.NewEventStream(t.Context(), g.DB.Pool, g.Test.ProjectID)
	if err != nil || after != models.EventStreamStart || rest(t, g, empty) != nil {
		t.Fatalf("in a project without events after is %q, %v", after, err)
	}
	var made []models.Event
	for i := range 250 { // three pages, most in one transaction; each tenth has the same time as another
		made = append(made, event(g, g.Test, time.Duration(i/10)*time.Millisecond))
	}
	slices.SortFunc(made[5:], func(a, b models.Event) int { return a.CreatedAt.Compare(b.CreatedAt)*2 + cmpID(a, b) })
	ids := happen(t, g, made[:5]...)
	begin(t, g, made[5:]...)()
	for _, e := range made[5:] {
		ids = append(ids, e.ID)
	}
	if diff := cmp.Diff(ids, rest(t, g, empty)); diff != "" {
		t.Errorf("all events (-made +streamed)\n%s", diff)
	}
	if again := rest(t, g, empty); again != nil {
		t.Errorf("again: %v", again)
	}
	for _, n := range []int{0, 1, 4, 5, 104, 105, 248, 249} {
		if diff := cmp.Diff(ids[n+1:], append([]string{}, rest(t, g, resume(t, g, ids[n]))...)); diff != "" {
			t.Errorf("after the %dth (-made +streamed)\n%s", n+1, diff)
		}
	}
	if diff := cmp.Diff(ids, rest(t, g, resume(t, g, models.EventStreamStart))); diff != "" {
		t.Errorf("from the start (-made +streamed)\n%s", diff)
	}

	fresh, after, err := models.NewEventStream(t.Context(), g.DB.Pool, g.Test.ProjectID)
	if err != nil || !slices.Contains(ids, after) {
		t.Fatalf("after %q, %v", after, err)
	}
	other := event(g, g.Live, 0)
	test := event(g, g.Test, 0)
	test.Test = true
	happen(t, g, other)
	modelstest.Exec(t, g.DB, `INSERT INTO events (id, project_id, livemode, type, test, body, created_at)
		VALUES ($1, $2,
		false, 'checkout.paid', true, '', now())`, test.ID, test.ProjectID)
	last := happen(t, g, event(g, g.Test, -time.Hour)) // the event is new, whatever its time is
	for name, s := range map[string]*models.EventStream{"new": fresh, "resumed": resume(t, g, ids[249])} {
		if diff := cmp.Diff(last, rest(t, g, s)); diff != "" {
			t.Errorf("%s (-new +streamed)\n%s", name, diff)
		}
	}
	for _, foreign := range []string{other.ID, test.ID, models.NewEventID(), "", "evt_", "END", "evt_\x00"} {
		if _, err := models.ResumeEventStream(t.Context(), g.DB.Pool, g.Test.ProjectID, foreign); !errors.Is(err,
			models.ErrNotFound) {
			t.Errorf("after %q: %v", foreign, err)
		}
	}
	if _, err := models.ResumeEventStream(t.Context(), g.DB.Pool, models.NewProjectID(), ids[0]); !errors.Is(err,
		models.ErrNotFound) {
		t.Errorf("an event of another project: %v", err)
	}
}

func cmpID(a, b models.Event) int {
	if a.ID < b.ID {
		return -1
	}
	return 1
}

// Events that are committed late are returned late: by a stream that has passed their time and
// their transaction, by one that begins meanwhile, and by one that resumes after an event that
// was written and seen while they were in progress.
func TestEventStream_LateCommit(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	running, _, err := models.NewEventStream(t.Context(), g.DB.Pool, g.Test.ProjectID)
	if err != nil {
		t.Fatal(err)
	}
	before := happen(t, g, event(g, g.Test, 0))
	late := event(g, g.Test, time.Millisecond)
	commit := begin(t, g, late)
	after := happen(t, g, event(g, g.Test, 2*time.Millisecond), event(g, g.Test, 3*time.Millisecond))
	if diff := cmp.Diff(append(before, after...), rest(t, g, running)); diff != "" {
		t.Errorf("while the transaction is open (-made +streamed)\n%s", diff)
	}
	begun, seen, err := models.NewEventStream(t.Context(), g.DB.Pool, g.Test.ProjectID)
	if err != nil {
		t.Fatal(err)
	}
	resumed := resume(t, g, after[0])
	if diff := cmp.Diff(after[1:], rest(t, g, resumed)); diff != "" {
		t.Errorf("resumed while the transaction is open (-made +streamed)\n%s", diff)
	}
	commit()
	for name, s := range map[string]*models.EventStream{"running": running, "begun meanwhile": begun,
		"resumed meanwhile": resumed} {
		if diff := cmp.Diff([]string{late.ID}, rest(t, g, s)); diff != "" {
			t.Errorf("%s (-late +streamed)\n%s", name, diff)
		}
	}
	for name, last := range map[string]string{"after the last": after[1], "after the start of a stream": seen} {
		if got := rest(t, g, resume(t, g, last)); !slices.Contains(got, late.ID) {
			t.Errorf("resumed %s: %v", name, got)
		}
	}
}

// Transactions are ordered by their numbers, even if the numbers get one more digit within
// what is read page by page.
func TestEventStream_MoreDigits(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	var want []string
	for _, tx := range []string{"9", "10"} {
		var events []models.Event
		for n := range 60 {
			events = append(events, event(g, g.Test, time.Duration(n)*time.Millisecond))
		}
		ids := happen(t, g, events...)
		modelstest.Exec(t, g.DB, "UPDATE events SET tx = $1::text::xid8 WHERE id = ANY($2)", tx, ids)
		want = append(want, ids...)
	}
	if diff := cmp.Diff(want, rest(t, g, resume(t, g, models.EventStreamStart))); diff != "" {
		t.Errorf("(-made +streamed)\n%s", diff)
	}
}

// No event is left out, whatever happens at the same time: writers that are slow, use times of
// their own and sometimes roll back, and a reader that loses its connection within a page.
func TestEventStream_Concurrent(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	steady, _, err := models.NewEventStream(t.Context(), g.DB.Pool, g.Test.ProjectID)
	if err != nil {
		t.Fatal(err)
	}
	written := make(chan []string, 1000)
	var writers errgroup.Group
	for range 6 {
		writers.Go(func() error {
			for range 25 {
				if err := write(t.Context(), g, written); err != nil {
					return err
				}
			}
			return nil
		})
	}
	finished := make(chan error, 1)
	go func() { finished <- writers.Wait(); close(written) }()

	seen, times := map[string]bool{}, map[string]int{}
	shaky, last := resume(t, g, models.EventStreamStart), models.EventStreamStart
	for done := false; !done; {
		select {
		case err := <-finished:
			if err != nil {
				t.Fatal(err)
			}
			done = true // one more round reads all that was committed
		default:
		}
		for _, id := range rest(t, g, steady) {
			times[id]++
		}
		ids := rest(t, g, shaky)
		if cut := rand.IntN(len(ids) + 1); !done && rand.IntN(3) == 0 { // the connection breaks within the page
			ids = ids[:cut]
			if cut > 0 {
				last = ids[cut-1]
			}
			shaky = resume(t, g, last)
		}
		for _, id := range ids {
			seen[id], last = true, id
		}
	}
	all := 0
	for ids := range written {
		for _, id := range ids {
			all++
			if !seen[id] {
				t.Errorf("the reader that resumed missed %s", id)
			}
			if times[id] != 1 {
				t.Errorf("the reader that stayed received %s %d times", id, times[id])
			}
		}
	}
	if all < 100 || len(seen) != all || len(times) != all {
		t.Errorf("%d events written, %d and %d received", all, len(times), len(seen))
	}
}

// write commits one to three events after a while, or rolls them back.
func write(ctx context.Context, g *paymentstest.Gateway, written chan<- []string) error {
	events := make([]models.Event, 1+rand.IntN(3))
	ids := make([]string, len(events))
	for i := range events {
		events[i] = event(g, g.Test, time.Duration(rand.IntN(1000)-500)*time.Millisecond)
		ids[i] = events[i].ID
	}
	giveUp := errors.New("rolled back")
	if rand.IntN(8) > 0 {
		giveUp = nil
	}
	err := g.DB.InTx(ctx, func(tx *models.Tx) error {
		if _, err := models.InsertEvents(tx, events...); err != nil {
			return err
		}
		if _, err := tx.Exec(fmt.Sprintf("SELECT pg_sleep(%f)", rand.ExpFloat64()*0.004)); err != nil {
			return err
		}
		return giveUp
	})
	if giveUp != nil {
		if errors.Is(err, giveUp) {
			return nil
		}
		return fmt.Errorf("a transaction that was rolled back: %w", err)
	}
	written <- ids
	return err
}
