package models_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// wide returns room for everything.
func wide() models.LaneRoom {
	return models.LaneRoom{Total: 1000, Lanes: map[string]int{}, Share: 1000, Most: 100}
}

// taken returns the jobs of the taken deliveries, by lane.
func taken(lanes []models.TakenLane) map[string][]int64 {
	jobs := map[string][]int64{}
	for _, lane := range lanes {
		for _, d := range lane.Deliveries {
			jobs[lane.Name] = append(jobs[lane.Name], d.JobID)
		}
	}
	return jobs
}

func take(t *testing.T, q *models.DeliveryQueue, room models.LaneRoom) map[string][]int64 {
	t.Helper()
	lanes, err := q.Take(t.Context(), room)
	if err != nil {
		t.Fatal(err)
	}
	return taken(lanes)
}

// A lane belongs to the process that takes from it, until none of its deliveries is in
// progress there or the process is gone. Taking writes nothing.
func TestDeliveryQueue_Lanes(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	a, _ := g.Endpoint(t, "http://127.0.0.1/a")
	b, _ := g.Endpoint(t, "http://127.0.0.1/b")
	for range 3 {
		g.Checkout(t, payments.NewCheckout{})
	}
	one, other := models.NewDeliveryQueue(g.DB), models.NewDeliveryQueue(g.DB)
	t.Cleanup(func() { other.Close() })

	room := wide()
	room.Most = 2 // of three
	first := take(t, one, room)
	if len(first[a.ID]) != 2 || len(first[b.ID]) != 2 {
		t.Fatalf("took %v", first)
	}
	if got := take(t, other, wide()); len(got) != 0 {
		t.Errorf("another process took %v from the same lanes", got)
	}

	// The third job of a follows, but not those in progress. b is idle and is released.
	room = wide()
	room.Lanes[a.ID], room.Taken = 2, first[a.ID]
	lanes, err := one.Take(t.Context(), room)
	if err != nil {
		t.Fatal(err)
	}
	second := taken(lanes)
	if got := second[a.ID]; len(got) != 1 || slices.Contains(first[a.ID], got[0]) {
		t.Errorf("the second time the process took %v, the first time %v", got, first)
	}
	room.Lanes[a.ID], room.Taken = 3, append(first[a.ID], second[a.ID]...)
	delete(room.Lanes, b.ID)
	take(t, one, room) // this takes b again; the next call releases idle lanes
	var running int
	if err := g.DB.Pool.QueryRow(t.Context(), `SELECT count(*) FROM river_job
		WHERE state <> 'available' OR attempt > 0`).Scan(&running); err != nil || running != 0 {
		t.Errorf("%d jobs are marked as running, %v", running, err)
	}

	one.Close() // like the connections of a killed process
	deadline := time.Now().Add(time.Minute)
	for {
		got := take(t, other, wide())
		if len(got[a.ID]) == 3 && len(got[b.ID]) == 3 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("after the end of the first process the other took %v", got)
		}
	}
}

// The share is divided among the lanes that have due deliveries, and quick lanes may take a
// multiple of it.
func TestDeliveryQueue_Shares(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	var ids []string
	for i := range 4 {
		endpoint, _ := g.Endpoint(t, fmt.Sprintf("http://127.0.0.1/%d", i))
		ids = append(ids, endpoint.ID)
	}
	for range 10 {
		g.Checkout(t, payments.NewCheckout{})
	}
	for name, test := range map[string]struct {
		room models.LaneRoom
		want []int
	}{
		"even":     {models.LaneRoom{Total: 1000, Share: 8, Most: 100}, []int{2, 2, 2, 2}},
		"one each": {models.LaneRoom{Total: 1000, Share: 1, Most: 100}, []int{1, 1, 1, 1}},
		"at most":  {models.LaneRoom{Total: 1000, Share: 1000, Most: 3}, []int{3, 3, 3, 3}},
		"in progress": {models.LaneRoom{Total: 1000, Share: 8, Most: 100, Lanes: map[string]int{ids[0]: 2, ids[1]: 1}},
			[]int{0, 1, 2, 2}},
		"quick": {models.LaneRoom{Total: 1000, Share: 8, Most: 100, Lanes: map[string]int{ids[0]: 2},
			Depth: map[string]int{ids[0]: 3}}, []int{4, 2, 2, 2}},
	} {
		q := models.NewDeliveryQueue(g.DB)
		got := take(t, q, test.room)
		for i, id := range ids {
			if len(got[id]) != test.want[i] {
				t.Errorf("%s: took %v", name, got)
				break
			}
		}
		q.Close()
		// The server drops the locks soon after the connection.
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
			var held int
			if err := g.DB.Pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks
				WHERE locktype = 'advisory' AND database = (SELECT oid
				FROM pg_database WHERE datname = current_database())`).Scan(&held); err != nil {
				t.Fatal(err)
			}
			if held == 0 {
				break
			}
		}
	}
}
