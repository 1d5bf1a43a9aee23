package models_test

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// ids returns the ids of deliveries, in order.
func ids(taken []*models.DueDelivery) (all []string) {
	for _, d := range taken {
		all = append(all, d.ID)
	}
	return all
}

// lapse ends all leases, as time does.
func lapse(t *testing.T, db *models.DB) {
	t.Helper()
	modelstest.Exec(t, db, "UPDATE webhook_deliveries SET leased_until = now() WHERE leased_until IS NOT NULL")
}

// A delivery that a process took is taken by no other until its lease is over or ended. A lease that is over
// is not renewed.
func TestTakeDeliveries_Lease(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	g.Endpoint(t, "http://127.0.0.1/a")
	for range 3 {
		g.Checkout(t, payments.NewCheckout{})
	}
	two := paymentstest.Take(t, g.DB, g.Clock.Now(), 2)
	if len(two) != 2 {
		t.Fatalf("took %d", len(two))
	}
	third := paymentstest.Take(t, g.DB, g.Clock.Now(), 10)
	if len(third) != 1 || slices.Contains(ids(two), third[0].ID) {
		t.Errorf("another process took %v beside %v", ids(third), ids(two))
	}
	if err := models.EndLeases(t.Context(), g.DB.Queue, third); err != nil {
		t.Fatal(err)
	}
	if again := paymentstest.Take(t, g.DB, g.Clock.Now(), 10); len(again) != 1 || again[0].ID != third[0].ID {
		t.Errorf("after the end of a lease another process took %v", ids(again))
	}
	lapse(t, g.DB)
	if err := models.RenewLeases(t.Context(), g.DB.Queue, two); err != nil {
		t.Fatal(err)
	}
	if all := paymentstest.Take(t, g.DB, g.Clock.Now(), 10); len(all) != 3 {
		t.Errorf("after the leases were over another process took %v", ids(all))
	}
	modelstest.Exec(t, g.DB, "UPDATE webhook_deliveries SET leased_until = now() + interval '1 s'")
	if err := models.RenewLeases(t.Context(), g.DB.Queue, two); err != nil {
		t.Fatal(err)
	}
	renewed := modelstest.One[int](t, g.DB, "SELECT count(*) FROM webhook_deliveries "+
		"WHERE leased_until > now() + interval '2 s'")
	if renewed != 2 {
		t.Errorf("%d leases are renewed, want 2", renewed)
	}
}

// What persons asked for comes first, then events, then replays, each in the order of its time. What is not due
// is not taken.
func TestTakeDeliveries_Order(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	e, _ := g.Endpoint(t, "http://127.0.0.1/a")
	var made []string
	for range 5 {
		g.Checkout(t, payments.NewCheckout{})
		g.Clock.Advance(time.Second)
	}
	made = modelstest.Column[string](t, g.DB, "SELECT id FROM webhook_deliveries ORDER BY created_at")
	replayed, later, asked := made[0], made[3], made[4]
	modelstest.Exec(t, g.DB, "UPDATE webhook_deliveries SET priority = 3 WHERE id = $1", replayed)
	modelstest.Exec(t, g.DB, "UPDATE webhook_deliveries SET next_attempt_at = $2 WHERE id = $1", later,
		g.Clock.Now().Add(time.Minute))
	modelstest.Exec(t, g.DB, "UPDATE webhook_deliveries SET priority = 1 WHERE id = $1", asked)
	if err := g.ResendDelivery(t.Context(), g.Owner, g.Test, later, "a form"); err != nil {
		t.Fatal(err)
	}
	want := []string{later, asked, made[1], made[2], replayed}
	taken := paymentstest.Take(t, g.DB, g.Clock.Now(), 10)
	if !slices.Equal(ids(taken), want) {
		t.Errorf("took %v, want %v", ids(taken), want)
	}
	for i, d := range taken {
		if d.ByHand() != (i == 0) || d.Endpoint.ID != e.ID || d.AccountID != g.Account.ID || len(d.Event.Body) == 0 {
			t.Errorf("%d: %+v", i, d)
		}
	}
}

// Processes that take at the same time take different deliveries.
func TestTakeDeliveries_Together(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	g.Endpoint(t, "http://127.0.0.1/a")
	const n = 40
	for range n {
		g.Checkout(t, payments.NewCheckout{})
	}
	var mu sync.Mutex
	seen := map[string]int{}
	var takers sync.WaitGroup
	for range 8 {
		takers.Go(func() {
			for {
				taken := paymentstest.Take(t, g.DB, g.Clock.Now(), 3)
				if len(taken) == 0 {
					return
				}
				mu.Lock()
				for _, id := range ids(taken) {
					seen[id]++
				}
				mu.Unlock()
			}
		})
	}
	takers.Wait()
	for len(seen) < n { // what was locked by others at the moment of the last looks
		taken := paymentstest.Take(t, g.DB, g.Clock.Now(), n)
		if len(taken) == 0 {
			break
		}
		for _, id := range ids(taken) {
			seen[id]++
		}
	}
	for id, times := range seen {
		if times != 1 {
			t.Errorf("%s was taken %d times", id, times)
		}
	}
	if len(seen) != n {
		t.Errorf("%d of %d were taken", len(seen), n)
	}
}

// Deliveries to an endpoint that is off are skipped when they are due, and those to a deleted endpoint at once.
func TestSkipDeliveries(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	off, _ := g.Endpoint(t, "http://127.0.0.1/off")
	deleted, _ := g.Endpoint(t, "http://127.0.0.1/deleted")
	on, _ := g.Endpoint(t, "http://127.0.0.1/on")
	for range 2 {
		g.Checkout(t, payments.NewCheckout{})
	}
	modelstest.Exec(t, g.DB, `UPDATE webhook_deliveries SET next_attempt_at = $1 WHERE id IN
		(SELECT min(id) FROM webhook_deliveries GROUP BY endpoint_id)`, g.Clock.Now().Add(time.Hour))
	if err := g.Merchants.SwitchEndpoint(t.Context(), g.Owner, g.Test, off.ID, false); err != nil {
		t.Fatal(err)
	}
	if err := g.Merchants.DeleteEndpoint(t.Context(), g.Owner, g.Test, deleted.ID); err != nil {
		t.Fatal(err)
	}
	if err := models.SkipDeliveries(t.Context(), g.DB.Queue, []string{off.ID, deleted.ID, on.ID},
		g.Clock.Now()); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]int{off.ID: 1, deleted.ID: 2, on.ID: 0} {
		n := modelstest.One[int](t, g.DB,
			"SELECT count(*) FROM webhook_deliveries WHERE endpoint_id = $1 AND status = 'SKIPPED'", id)
		if n != want {
			t.Errorf("%d deliveries to %s are skipped, want %d", n, id, want)
		}
	}
}

// sorts finds a step that sorts deliveries, other than one that merges sorted months.
var sorts = regexp.MustCompile(`Sort  \(.*\n\s*Sort Key: d(_\d)?\.next_attempt_at`)

// A look walks from endpoint to endpoint in the queue, and takes along its order, however many deliveries wait
// or have ended.
func TestTakeDeliveries_Plan(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	one, _ := g.Endpoint(t, "http://127.0.0.1/one")
	two, _ := g.Endpoint(t, "http://127.0.0.1/two")
	tell(t, g, 20_000, one.ID, two.ID)
	modelstest.Exec(t, g.DB, "ANALYZE events, webhook_deliveries, webhook_endpoints")
	now := g.Clock.Now().Add(time.Hour)
	q := &explained{Querier: g.DB.Queue}
	busy, err := models.BusyEndpoints(t.Context(), q, now)
	if err != nil || len(busy) != 2 {
		t.Fatalf("%d endpoints are busy, %v", len(busy), err)
	}
	plans := map[string]string{"look": q.plan}
	var rooms []models.EndpointRoom
	for _, e := range busy {
		rooms = append(rooms, models.EndpointRoom{BusyEndpoint: e, Room: 10})
	}
	if _, err := models.TakeDeliveries(t.Context(), q, now, rooms); err != nil {
		t.Fatal(err)
	}
	plans["take"] = q.plan
	for name, plan := range plans {
		if !strings.Contains(plan, "webhook_deliveries_before_due") ||
			strings.Contains(plan, "Seq Scan on webhook_deliveries_before") || sorts.MatchString(plan) {
			t.Errorf("%s: the statement runs as\n%s", name, plan)
		}
	}
}
