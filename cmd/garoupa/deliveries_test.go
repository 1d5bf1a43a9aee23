package main

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
)

// shop is the program, a merchant, and the merchant's servers, which record every post. Its
// own services share the program's database and run no jobs.
type shop struct {
	*program
	*services
	*postbox
	db      *database
	scope   models.Scope
	account *models.Account
	key     string
	liveKey string
	server  *httptest.Server
}

// newShop registers endpoints and starts the servers. answer receives the parcel and how
// often it has come, this time included.
func newShop(t *testing.T, endpoints int, answer func(w http.ResponseWriter, r *http.Request, p parcel, times int),
	settings ...string) *shop {
	t.Helper()
	return newShopOf(newProgram(t, settings...), endpoints, answer)
}

// newShopOf is newShop with a program that exists.
func newShopOf(p *program, endpoints int,
	answer func(w http.ResponseWriter, r *http.Request, p parcel, times int)) *shop {
	t := p.t
	t.Helper()
	s := &shop{program: p, postbox: newPostbox()}
	made := s.demo()
	s.db, s.services = s.open()
	var err error
	if s.account, err = models.AccountByID(t.Context(), s.db.DB, made.AccountID); err != nil {
		t.Fatal(err)
	}
	s.scope, s.key, s.liveKey = models.Scope{ProjectID: made.ProjectID}, made.Keys.Test, made.Keys.Live
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, times := s.note(r)
		answer(w, r, p, times)
	}))
	t.Cleanup(s.server.Close)
	s.register(endpoints)
	return s
}

func (s *shop) register(endpoints int) {
	s.t.Helper()
	by := models.Actor{AccountID: s.account.ID}
	if err := s.db.Pool.QueryRow(s.t.Context(), "SELECT user_id FROM members WHERE account_id = $1 AND role = 'OWNER'",
		s.account.ID).Scan(&by.UserID); err != nil {
		s.t.Fatal(err)
	}
	for i := range endpoints {
		path := fmt.Sprintf("/%d", i)
		_, secret, err := s.merchants.CreateEndpoint(s.t.Context(), by, s.scope,
			merchants.NewEndpoint{URL: s.server.URL + path, Types: models.EventTypes})
		if err != nil {
			s.t.Fatal(err)
		}
		s.secrets[path] = secret
	}
}

// charge creates a checkout, and with it an event, without the program.
func (s *shop) charge(n int) {
	s.t.Helper()
	_, _, err := s.payments.CreateCheckout(s.t.Context(), s.scope, s.account, payments.NewCheckout{
		Amount: 10_00, Description: "Vaso", ExternalID: fmt.Sprint(n), Metadata: []byte("{}"), ExpiresIn: time.Hour,
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// settled waits until nothing is pending, and returns the result of each parcel.
func (s *shop) settled() map[parcel]fate {
	s.t.Helper()
	s.until("nothing pending", func() bool {
		var pending int
		if err := s.db.Pool.QueryRow(s.t.Context(), `SELECT count(*) FROM webhook_deliveries
			WHERE status = 'PENDING'`).Scan(&pending); err != nil {
			s.t.Fatal(err)
		}
		return pending == 0
	})
	rows, err := s.db.Pool.Query(s.t.Context(),
		`SELECT v.id, e.url, d.status, d.attempts, count(a.number), count(*) FILTER (WHERE a.error_class = '')
		FROM events v CROSS JOIN webhook_endpoints e LEFT JOIN webhook_deliveries d ON d.event_id = v.id
			AND d.endpoint_id = e.id
		LEFT JOIN webhook_attempts a ON a.delivery_id = d.id
		WHERE v.created_at >= e.created_at GROUP BY v.id, e.url, d.status, d.attempts`)
	if err != nil {
		s.t.Fatal(err)
	}
	defer rows.Close()
	fates := map[parcel]fate{}
	for rows.Next() {
		var event, url string
		var status *string
		var attempts *int
		f := fate{}
		if err := rows.Scan(&event, &url, &status, &attempts, &f.kept, &f.succeeded); err != nil {
			s.t.Fatal(err)
		}
		if status == nil {
			s.t.Errorf("%s has no delivery to %s", event, url)
			continue
		}
		f.status, f.attempts = models.DeliveryStatus(*status), *attempts
		fates[parcel{event, strings.TrimPrefix(url, s.server.URL)}] = f
	}
	if err := rows.Err(); err != nil {
		s.t.Fatal(err)
	}
	return fates
}

// fate is the final state of a parcel.
type fate struct {
	status                    models.DeliveryStatus
	attempts, kept, succeeded int
}

// The program is killed (SIGKILL) with hundreds of deliveries in progress. When their leases are
// over, every one of them arrives, and only the interrupted attempts are repeated.
func TestKill_Deliveries(t *testing.T) {
	t.Parallel()
	const endpoints, events = 16, 30 // as many endpoints as a project may have, and their share
	var hold sync.Mutex
	holding := true
	s := newShop(t, endpoints, func(w http.ResponseWriter, r *http.Request, _ parcel, _ int) {
		hold.Lock()
		hang := holding
		hold.Unlock()
		if hang {
			<-r.Context().Done()
		}
	}, "GAROUPA_WEBHOOK_BACKOFF=5s,5s,5s,5s") // some attempts time out on a slow machine before all are in progress
	for n := range events {
		s.charge(n)
	}
	first := s.serve()
	s.until("all under way", func() bool { return len(s.seen()) == endpoints*events })
	hold.Lock()
	holding = false
	hold.Unlock()
	s.kill(first)
	before := s.seen()
	s.serve()
	s.until("all again", func() bool {
		now := s.seen()
		for p, n := range before {
			if now[p] == n {
				return false
			}
		}
		return true
	})
	fates, seen := s.settled(), s.seen()
	for p, f := range fates {
		if f.status != models.DeliveryDelivered || f.attempts > 5 || f.kept != f.attempts || seen[p] < f.attempts ||
			seen[p] > f.attempts+1 {
			t.Errorf("%+v came %d times; its delivery is %+v", p, seen[p], f)
		}
	}
	if len(fates) != endpoints*events || len(s.odd) > 0 {
		t.Errorf("%d deliveries; %v", len(fates), s.odd)
	}
}

// An event that was committed arrives or is shown as failed, even if the process is killed
// at any moment and endpoints fail in every way.
func TestDeliveries_NeverSilent(t *testing.T) {
	t.Parallel()
	const (
		endpoints = 3
		kills     = 5
		events    = 60 // at least, so that some deliveries fail for good
	)
	accepted, broken := map[parcel]bool{}, map[parcel]int{}
	var mu sync.Mutex
	s := newShop(t, endpoints, func(w http.ResponseWriter, r *http.Request, p parcel, times int) {
		// The choice depends only on the parcel, so the order of events does not change it.
		fixed, sum := sha256.Sum256(fmt.Appendf(nil, "%v", p)), sha256.Sum256(fmt.Appendf(nil, "%v %d", p, times))
		switch roll := sum[0] % 100; {
		case fixed[0] < 32: // one in eight, always
			w.WriteHeader(http.StatusServiceUnavailable)
		case roll < 45:
			mu.Lock()
			accepted[p] = true
			mu.Unlock()
		case roll < 75:
			w.WriteHeader(http.StatusServiceUnavailable)
		case roll < 85:
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		case roll < 98:
			mu.Lock()
			broken[p]++
			mu.Unlock()
			panic(http.ErrAbortHandler) // the connection breaks
		default:
			<-r.Context().Done() // until the attempt times out
		}
	}, "GAROUPA_WEBHOOK_BACKOFF=50ms,100ms,150ms,200ms")
	charged := s.chargeThroughKills(kills)
	for ; charged < events; charged++ { // a busy machine made fewer
		s.charge(charged)
	}
	s.serve()
	fates, seen := s.settled(), s.seen()
	if len(fates) != charged*endpoints {
		t.Errorf("%d deliveries of %d events to %d endpoints", len(fates), charged, endpoints)
	}
	failed := 0
	for p, f := range fates {
		mu.Lock()
		// an attempt may come twice when a kept connection breaks
		arrived, repeats := accepted[p], min(broken[p], f.attempts+kills)
		mu.Unlock()
		if !f.honest(arrived) || seen[p] > f.attempts+kills+repeats {
			t.Errorf("%+v came %d times, was accepted: %t, broke %d; its delivery is %+v", p, seen[p],
				arrived, repeats, f)
		}
		if f.status == models.DeliveryFailed {
			failed++
		}
	}
	t.Logf("%d events, %d of %d deliveries failed", charged, failed, len(fates))
	if len(s.odd) > 0 || failed == 0 || failed == len(fates) {
		t.Errorf("%d of %d failed; %v", failed, len(fates), slices.Compact(s.odd))
	}
}

// chargeThroughKills charges while the process is killed at random moments, as many times
// as kills says, and returns how many charges it made.
func (s *shop) chargeThroughKills(kills int) (charged int) {
	s.t.Helper()
	random := rand.New(rand.NewPCG(7, 11))
	for range kills {
		process := s.serve()
		end := time.After(time.Duration(random.Int64N(int64(600 * time.Millisecond))))
		for alive := true; alive; {
			select {
			case <-end:
				s.kill(process)
				alive = false
			default:
				s.charge(charged)
				charged++
			}
		}
	}
	return charged
}

// honest reports whether the recorded result is true: the event was delivered once, after
// the endpoint accepted it, or it failed after five attempts.
func (f fate) honest(accepted bool) bool {
	switch f.status {
	case models.DeliveryDelivered:
		return accepted && f.succeeded == 1 && f.attempts <= 5 && f.kept == f.attempts
	case models.DeliveryFailed:
		return f.succeeded == 0 && f.attempts == 5 && f.kept == f.attempts
	}
	return false
}
