package stream_test

import (
	"testing"
	"time"

	"garoupa/internal/faulttest"
	"garoupa/internal/stream"
	"garoupa/models"
	"garoupa/models/modelstest"
)

func listening(t *testing.T, h *stream.Hub, want bool) {
	t.Helper()
	for end := time.Now().Add(patience); h.Listening() != want; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("listening is %v, want %v", h.Listening(), want)
		}
	}
}

// A connection that goes silent is detected and replaced, and then all streams are notified.
func TestHub_Silence(t *testing.T) {
	t.Parallel()
	address := modelstest.NewURL(t)
	network := faulttest.NewProxy(t, address)
	var dbs [2]*models.DB
	for i, address := range []string{network.URL(), address} {
		db, err := models.Open(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(db.Close)
		dbs[i] = db
	}
	h := hub(t, dbs[0])
	listening(t, h, true)
	changed, leave, ok := h.Watch("chk_1", "buyer", 1)
	if !ok {
		t.Fatal("a first watch is refused")
	}
	defer leave()
	network.Silence()
	listening(t, h, false)
	select {
	case <-changed:
		t.Fatal("a notification arrived in the silence")
	default:
	}
	network.Abandon() // the silent connections stay silent
	listening(t, h, true)
	hears(t, changed, "what may have changed meanwhile")
	if err := models.NotifyChanges(t.Context(), dbs[1].Pool, "chk_1"); err != nil {
		t.Fatal(err)
	}
	hears(t, changed, "a change after the silence")
}
