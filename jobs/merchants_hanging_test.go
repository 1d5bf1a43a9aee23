package jobs_test

import (
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"garoupa/jobs"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/webhook"
)

// manyEndpoints registers more endpoints than a project may have.
func manyEndpoints(t *testing.T, g *gateway, url string, n int) {
	t.Helper()
	like, secret := g.Endpoint(t, url)
	ids, secrets := make([]string, n), make([][]byte, n)
	for i := range ids {
		ids[i] = models.NewEndpointID()
		secrets[i] = g.Vault.Seal(models.SealedSecret.Place(ids[i]), secret)
	}
	modelstest.Exec(t, g.DB, `INSERT INTO webhook_endpoints (id, project_id, livemode, url, types, secret, created_at)
		SELECT made.id, e.project_id, e.livemode, e.url || '/' || made.id, e.types, made.secret, e.created_at
		FROM webhook_endpoints e, unnest($2::text[], $3::bytea[]) AS made (id, secret) WHERE e.id = $1`, like.ID, ids,
		secrets)
}

// One merchant has many more endpoints than a process has places, each of which hangs, or sends headers and no
// body. Another merchant's deliveries arrive one after the other all the same, the first one before the first
// merchant's are worked off: they wait for no attempt of the first merchant.
func TestPlaces_Merchants(t *testing.T) {
	t.Parallel()
	for name, headers := range map[string]bool{"no answer": false, "headers and no body": true} {
		t.Run(name, func(t *testing.T) { // one after the other: each opens a thousand connections
			const endpoints, arrivals = 2_200, 20
			g := newGateway(t, time.Hour, time.Hour, time.Hour, time.Hour)
			release := make(chan struct{})
			defer close(release)
			var underWay, most atomic.Int64
			hanging := newServer(t, func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				now := underWay.Add(1)
				for high := most.Load(); now > high && !most.CompareAndSwap(high, now); high = most.Load() {
				}
				if headers {
					w.WriteHeader(http.StatusOK)
					_ = http.NewResponseController(w).Flush()
				}
				select {
				case <-release:
				case <-r.Context().Done():
				}
				underWay.Add(-1)
			})
			manyEndpoints(t, g, hanging, endpoints)
			for range 2 {
				g.checkout(t, payments.NewCheckout{})
			}
			healthy := newReceiver(t, answers(200))
			other := g.Merchant(t, "bia@example.com")
			other.Endpoint(t, healthy.url)
			g.startWith(t, func(o *jobs.Options) {
				o.Webhooks = webhook.NewClient(webhook.Options{AllowPrivate: true, Timeout: time.Hour})
			})
			eventually(t, "attempts hang", func() bool { return underWay.Load() > 100 })
			for i := range arrivals {
				_, _, err := g.payments.CreateCheckout(t.Context(), other.Test, other.Account,
					paymentstest.Filled(payments.NewCheckout{}))
				if err != nil {
					t.Fatal(err)
				}
				healthy.next(t)
				left := modelstest.One[int](t, g.DB, "SELECT count(*) FROM webhook_deliveries WHERE status = 'PENDING'")
				if i == 0 && left == 0 {
					t.Error("the other merchant's delivery came after all of the first one's")
				}
			}
			if n := most.Load(); n > 1_100 { // twice its share, and those whose end the server has not noticed
				t.Errorf("%d attempts of one merchant were in progress at once", n)
			}
		})
	}
}
