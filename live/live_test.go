package live_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"garoupa/live"
	"garoupa/models"
	"garoupa/models/modelstest"
)

// patience is how long a test waits for what should come at once.
const patience = time.Minute

func hub(t *testing.T, db *models.DB) *live.Hub {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	h := live.New(ctx, db)
	settle(t, h)
	return h
}

// settle waits until the hub listens: then it nudges whoever watches.
func settle(t *testing.T, h *live.Hub) {
	t.Helper()
	changed, leave, ok := h.Watch("settle", "settle", 1)
	if !ok {
		t.Fatal("nobody else watches")
	}
	defer leave()
	for {
		h.Tell("settle")
		select {
		case <-changed:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func hears(t *testing.T, changed <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-changed:
	case <-time.After(patience):
		t.Errorf("%s was not heard of", what)
	}
}

// What one process tells of, or a transaction when it commits, the streams of all
// hear, and only those that watch it.
func TestHub(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	one, other := hub(t, db), hub(t, db)
	watch := func(h *live.Hub, id string) <-chan struct{} {
		t.Helper()
		changed, leave, ok := h.Watch(id, "me", 1)
		if !ok {
			t.Fatalf("%s cannot be watched", id)
		}
		t.Cleanup(leave)
		return changed
	}
	here, there, elsewhere := watch(one, "prj_1"), watch(other, "prj_1"), watch(other, "prj_2")
	for range 3 {
		one.Tell("prj_1")
		hears(t, here, "a change told of here")
		hears(t, there, "a change told of by another process")
	}
	err := db.InTx(t.Context(), func(tx *models.Tx) error {
		return tx.Exec("SELECT pg_notify('checkout_status', 'chk_1 prj_2')").Error
	})
	if err != nil {
		t.Fatal(err)
	}
	hears(t, elsewhere, "a change that a transaction told of")
	select {
	case <-there:
		t.Error("a change of another project was heard")
	default:
	}

	many := map[string]<-chan struct{}{}
	for i := range 500 { // more than a message holds
		id := fmt.Sprintf("prj_%020d", i)
		many[id] = watch(other, id)
	}
	for id := range many {
		one.Tell(id)
	}
	for id, changed := range many {
		hears(t, changed, id)
	}
}

// Each of those who watch something has as many watches of it as are allowed, and
// gets them back by leaving.
func TestHub_Limit(t *testing.T) {
	t.Parallel()
	h := hub(t, modelstest.NewDB(t))
	var leaves []func()
	for range 2 {
		for _, who := range []string{"me", "you"} {
			_, leave, ok := h.Watch("prj_1", who, 2)
			if !ok {
				t.Fatalf("%s may not watch", who)
			}
			leaves = append(leaves, leave)
		}
	}
	if _, _, ok := h.Watch("prj_1", "me", 2); ok {
		t.Error("a third watch of mine")
	}
	if _, leave, ok := h.Watch("prj_2", "me", 2); !ok {
		t.Error("no watch of another project")
	} else {
		leave()
	}
	leaves[1]()
	if _, _, ok := h.Watch("prj_1", "me", 2); ok {
		t.Error("a third watch of mine, for one of yours")
	}
	leaves[0]()
	if _, _, ok := h.Watch("prj_1", "me", 2); !ok {
		t.Error("no watch in place of one that ended")
	}
}
