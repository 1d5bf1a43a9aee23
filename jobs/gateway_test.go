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

	"garoupa/banks"
	"garoupa/jobs"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/webhook"
)

// patience is how long a test waits before it reports missing work. It is longer than the
// interval between two looks of the workers at the queue.
const patience = 90 * time.Second

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // tests make endpoints fail on purpose
	os.Exit(m.Run())
}

// gateway uses the real clock, as the queue does, and wakes the workers.
type gateway struct {
	*paymentstest.Gateway
	payments *payments.Service
}

// newGateway returns a gateway whose attempts are spaced by backoff.
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

// quick are short waits, as many as the contract has.
var quick = []time.Duration{10 * time.Millisecond, 20 * time.Millisecond, 30 * time.Millisecond, 40 * time.Millisecond}

// checkout creates a pending checkout, and with it an event.
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

// startWith is start with some options changed.
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
		EventsKept: 90 * 24 * time.Hour,
		Banks:      banks.New(banks.Options{DB: db, Vault: g.Vault, Now: time.Now}),
		// A timeout on a busy machine would add an attempt to those that a test counts.
		Webhooks: webhook.NewClient(webhook.Options{AllowPrivate: true, Timeout: patience}),
	}
	change(&with)
	r, err := jobs.Start(t.Context(), with)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Stop(context.Background()) }) // the test may have stopped it
	return r
}

// post is a request that an endpoint received.
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

// newReceiver starts a server that records each post and then calls answer, from several
// goroutines.
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

// answers returns a handler that sends the statuses one after the other, and repeats the
// last.
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

// none reports posts that the test did not expect.
func (r *receiver) none(t *testing.T) {
	t.Helper()
	select {
	case p := <-r.posts:
		t.Errorf("an unexpected post: %v %s", p.header, p.body)
	default:
	}
}

// eventually waits until holds returns true. It asks less and less often, because some of what it waits for takes
// seconds, and other tests need the processors.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	end := time.After(patience)
	for pause := 5 * time.Millisecond; !holds(); pause = min(pause*5/4, 100*time.Millisecond) {
		select {
		case <-time.After(pause):
		case <-end:
			t.Fatalf("never: %s", what)
		}
	}
}

// idle waits until the queue has no work left, now or later.
func (g *gateway) idle(t *testing.T) {
	t.Helper()
	eventually(t, "an idle queue", func() bool {
		var n int
		err := g.DB.Pool.QueryRow(t.Context(), `SELECT
			(SELECT count(*) FROM webhook_deliveries WHERE status = 'PENDING')
			+ (SELECT count(*) FROM webhook_resends WHERE finished_at IS NULL)`).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n == 0
	})
}

// deliveries returns the endpoint's deliveries, newest first.
func (g *gateway) deliveries(t *testing.T, endpointID string) []models.Delivery {
	t.Helper()
	list, err := models.EndpointDeliveries(t.Context(), g.DB.Pool, g.Test, endpointID,
		models.DeliveryFilter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// resend requests an attempt by hand of the endpoint's latest delivery.
func (g *gateway) resend(t *testing.T, endpointID string) {
	t.Helper()
	if err := g.payments.ResendDelivery(t.Context(), g.Owner, g.Test, g.deliveries(t, endpointID)[0].ID,
		rand.Text()); err != nil {
		t.Fatal(err)
	}
}
