package stream_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"garoupa/internal/stream"
	"garoupa/models"
	"garoupa/models/modelstest"
)

// patience is how long a test waits for something that should come at once.
const patience = time.Minute

func hub(t *testing.T, db *models.DB) *stream.Hub {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	h := stream.New(ctx, db)
	settle(t, h)
	return h
}

// settle waits until the hub listens, which it announces by notifying all streams.
func settle(t *testing.T, h *stream.Hub) {
	t.Helper()
	changed, leave, ok := h.Watch("settle", "settle", 1)
	if !ok {
		t.Fatal("the watch is refused")
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
		t.Errorf("no notification of %s", what)
	}
}

// A message from one process, or from a transaction that commits, reaches the streams of
// all processes that watch its id, and no others.
func TestHub(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	one, other := hub(t, db), hub(t, db)
	watch := func(h *stream.Hub, id string) <-chan struct{} {
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
		_, err := tx.Exec("SELECT pg_notify('checkout_status', 'chk_1 prj_2')")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	hears(t, elsewhere, "a change that a transaction told of")
	select {
	case <-there:
		t.Error("a notification of another project")
	default:
	}

	many := map[string]<-chan struct{}{}
	for i := range 500 { // more than one message can contain
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

// Each watcher has a limited number of watches of an id, and leaving one frees it.
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
