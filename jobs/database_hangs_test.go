package jobs_test

import (
	"net/http"
	"testing"
	"time"

	"garoupa/internal/faulttest"
	"garoupa/jobs"
	"garoupa/models"
	"garoupa/payments"
)

// The database stops to answer while attempts are in progress. Nothing more is posted than was taken, nothing is
// posted twice, and when the database answers again, each attempt is recorded once.
func TestDeliveries_DatabaseHangs(t *testing.T) {
	t.Parallel()
	g := newGateway(t, time.Hour, time.Hour, time.Hour, time.Hour)
	const events = 40
	release := make(chan struct{})
	r := newReceiver(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	endpoint, _ := g.Endpoint(t, r.url)
	for range events {
		g.checkout(t, payments.NewCheckout{})
	}
	network := faulttest.NewProxy(t, g.DB.Pool.Config().ConnString())
	db, err := models.Open(t.Context(), network.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	g.startWith(t, func(o *jobs.Options) {
		of := g.payments.Options
		of.DB = db
		o.DB, o.Payments = db, payments.New(of)
	})
	posts := map[string]int{}
	for range events {
		posts[r.next(t).header.Get("x-svc-event-id")]++
	}
	network.Silence()
	close(release)
	for lapsed := false; !lapsed; { // of all leases, by the clock of the database
		var leased int
		if err := g.DB.Pool.QueryRow(t.Context(),
			"SELECT count(*) FROM webhook_deliveries WHERE leased_until > now()").Scan(&leased); err != nil {
			t.Fatal(err)
		}
		lapsed = leased == 0
	}
	network.Restore()
	g.idle(t)
	r.none(t)
	for _, d := range g.deliveries(t, endpoint.ID) {
		if d.Status != models.DeliveryDelivered || d.Attempts != 1 || posts[d.Event.ID] != 1 {
			t.Errorf("%s was posted %d times, and is %+v", d.Event.ID, posts[d.Event.ID], d)
		}
	}
}
