package jobs_test

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"garoupa/jobs"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/webhook"
)

// patience is how long a test waits for work before it says that none came. It is longer
// than any wait between two looks of the workers.
const patience = 90 * time.Second

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // endpoints that fail are what is tested
	os.Exit(m.Run())
}

// gateway works by the real clock, as the queue does, and wakes the workers.
type gateway struct {
	*paymentstest.Gateway
	payments *payments.Service
}

// newGateway returns a gateway that waits as long as backoff says between attempts.
func newGateway(t *testing.T, backoff ...time.Duration) *gateway {
	t.Helper()
	g := paymentstest.New(t)
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	o := g.Options
	o.Now, o.Backoff, o.Wake = time.Now, backoff, jobs.NewWaker(ctx, g.DB).Wake
	o.SettlementDelayTest = 100 * time.Millisecond
	return &gateway{g, payments.New(o)}
}

// quick are waits as short as the contract's are long.
var quick = []time.Duration{10 * time.Millisecond, 20 * time.Millisecond, 30 * time.Millisecond, 40 * time.Millisecond}

// checkout makes a pending checkout, and with it an event.
func (g *gateway) checkout(t *testing.T, in payments.NewCheckout) *models.Checkout {
	t.Helper()
	c, _, err := g.payments.CreateCheckout(t.Context(), g.Test, g.Account, paymentstest.Filled(in))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// start runs the jobs of one more process, with connections of its own, until the
// test ends.
func (g *gateway) start(t *testing.T) *jobs.Runner {
	t.Helper()
	return g.startWith(t, func(*jobs.Options) {})
}

// startWith is start with some options of its own.
func (g *gateway) startWith(t *testing.T, change func(*jobs.Options)) *jobs.Runner {
	t.Helper()
	db, err := models.Open(t.Context(), g.DB.Pool.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	o := g.payments.Options
	o.DB = db
	with := jobs.Options{
		DB: db, Payments: payments.New(o), Merchants: g.Merchants, Now: time.Now,
		// An attempt that times out on a busy machine would be one more than a test counts.
		Webhooks: webhook.NewClient(webhook.Options{AllowPrivate: true, Timeout: patience}),
	}
	change(&with)
	r, err := jobs.Start(t.Context(), with)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Stop(context.Background()) }) // it may have been stopped before
	return r
}

// post is what an endpoint was sent.
type post struct {
	header http.Header
	body   []byte
	at     time.Time
}

// receiver is a merchant's server.
type receiver struct {
	url   string
	posts chan post
}

// newReceiver starts a server that answers as the function does, after it has
// noted what it was sent. The function may be called by several posts at once.
func newReceiver(t *testing.T, answer http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{posts: make(chan post, 1000)}
	r.url = newServer(t, func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			t.Errorf("read a post: %v", err)
		}
		r.posts <- post{request.Header, body, time.Now()}
		answer(w, request)
	}) + "/hook"
	return r
}

// newServer starts a server and returns its address.
func newServer(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// answers returns a handler of statuses, one after the other; the last one stays.
func answers(statuses ...int) http.HandlerFunc {
	next := make(chan int, len(statuses))
	for _, status := range statuses {
		next <- status
	}
	last := statuses[len(statuses)-1]
	return func(w http.ResponseWriter, _ *http.Request) {
		select {
		case status := <-next:
			w.WriteHeader(status)
		default:
			w.WriteHeader(last)
		}
	}
}

// next waits for a post.
func (r *receiver) next(t *testing.T) post {
	t.Helper()
	select {
	case p := <-r.posts:
		return p
	case <-time.After(patience):
		t.Fatal("nothing was posted")
		return post{}
	}
}

// none reports what was posted and not asked for.
func (r *receiver) none(t *testing.T) {
	t.Helper()
	select {
	case p := <-r.posts:
		t.Errorf("posted once more: %v %s", p.header, p.body)
	default:
	}
}

// eventually waits until the database says so.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	end := time.After(patience)
	for !holds() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("never: %s", what)
		}
	}
}

// idle waits until the queue has nothing left to do, now or later.
func (g *gateway) idle(t *testing.T) {
	t.Helper()
	eventually(t, "an idle queue", func() bool {
		var n int
		err := g.DB.Raw("SELECT count(*) FROM river_job WHERE kind = 'deliver_webhook' AND finalized_at IS NULL").Row().Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n == 0
	})
}

// deliveries returns how the endpoint's deliveries stand, newest first.
func (g *gateway) deliveries(t *testing.T, endpointID string) []models.Delivery {
	t.Helper()
	list, err := models.EndpointDeliveries(t.Context(), g.DB.Pool, g.Test, endpointID, models.DeliveryFilter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// resend asks for an attempt by hand of the endpoint's latest delivery.
func (g *gateway) resend(t *testing.T, endpointID string) {
	t.Helper()
	if err := g.payments.ResendDelivery(t.Context(), g.Test, g.deliveries(t, endpointID)[0].ID, rand.Text()); err != nil {
		t.Fatal(err)
	}
}
