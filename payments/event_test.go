package payments_test

import (
	"testing"
	"time"

	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// Of two requests with one key at the same time one sends, and the other is refused if it has another body.
func TestResendEvent_Together(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	endpoint, _ := g.Endpoint(t, "http://127.0.0.1/hook")
	g.Checkout(t, payments.NewCheckout{})
	event := delivery(t, g, endpoint.ID).Event.ID
	resend := func(key string, hash byte) func() error {
		in := payments.KeyRequest{By: models.Actor{KeyID: models.NewAPIKeyID()}, IdempotencyKey: key,
			RequestHash: append(make([]byte, 31), hash)}
		return func() error { return g.ResendEvent(t.Context(), g.Test, in, event, "") }
	}
	if first, second := g.Race(t, resend("a", 1), resend("a", 1)); first != nil || second != nil ||
		resends(t, g) != 1 {
		t.Errorf("the same: %v, %v, %d attempts", first, second, resends(t, g))
	}
	first, second := g.Race(t, resend("b", 1), resend("b", 2))
	if first != nil || refusal.Of(second).Code != refusal.IdempotencyConflict || resends(t, g) != 2 {
		t.Errorf("another body: %v, %v, %d attempts", first, second, resends(t, g))
	}
}

// Two replays of everything at the same time send each delivery once, and none that is pending.
func TestReplayDeliveries_All(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	endpoint, _ := g.Endpoint(t, "http://127.0.0.1/hook")
	for range 5 {
		g.Checkout(t, payments.NewCheckout{})
		g.Clock.Advance(time.Second)
	}
	modelstest.Exec(t, g.DB, `UPDATE webhook_deliveries
		SET status = 'DELIVERED', attempts = 1, finished_at = created_at, next_attempt_at = NULL
		WHERE id <> $1`, delivery(t, g, endpoint.ID).ID)
	period := models.Replay{EndpointID: endpoint.ID, Since: g.Clock.Now().Add(-time.Hour), Until: g.Clock.Now()}
	if n, err := g.CountReplay(t.Context(), g.Test, period); n != 0 || err != nil {
		t.Errorf("%d did not arrive, %v", n, err)
	}
	period.Delivered = true
	var done [2]payments.Replayed
	replay := func(i int) func() error {
		return func() (err error) {
			done[i], err = g.ReplayDeliveries(t.Context(), g.Owner, g.Test, period)
			return err
		}
	}
	first, second := g.Race(t, replay(0), replay(1))
	if first != nil || second != nil || done[0].Count != 4 || done[1].Count != 0 || pending(t, g) != 5 {
		t.Errorf("%+v, %v, %v, %d pending", done, first, second, pending(t, g))
	}
	if n := modelstest.One[int](t, g.DB, `SELECT count(*)::int FROM webhook_deliveries
		WHERE status = 'PENDING' AND before_replay = attempts AND finished_at IS NULL`); n != 5 {
		t.Errorf("%d are pending with a whole round to come", n)
	}
}
