package payments_test

import (
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// The schedule of the contract (6.3): five attempts, 60 s, 5 min, 15 min and 60 min apart,
// each counted from the end of the one before.
func TestRecordAttempt_Schedule(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	endpoint, _ := g.Endpoint(t, "http://127.0.0.1/hook")
	g.Checkout(t, payments.NewCheckout{})

	for i, want := range []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 0} {
		d := delivery(t, g, endpoint.ID)
		g.Clock.Advance(5 * time.Second) // the attempt itself
		failed := models.Attempt{StatusCode: 500, ErrorClass: "status", StartedAt: g.Clock.Now()}
		for range 2 { // an attempt that is recorded twice counts once
			if err := g.RecordAttempt(t.Context(), d, nil, failed); err != nil {
				t.Fatal(err)
			}
		}
		d = delivery(t, g, endpoint.ID)
		if want == 0 {
			if d.Status != models.DeliveryFailed || d.NextAttemptAt != nil || d.Attempts != 5 {
				t.Errorf("after the last attempt: %+v", d)
			}
			continue
		}
		due := g.Clock.Now().Add(want)
		if d.Status != models.DeliveryPending || d.Attempts != i+1 || !d.NextAttemptAt.Equal(due) {
			t.Errorf("after attempt %d: %+v", i+1, d)
		}
	}
}

func TestRecordAttempt_Success(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	endpoint, _ := g.Endpoint(t, "http://127.0.0.1/hook")
	g.Checkout(t, payments.NewCheckout{})
	d := delivery(t, g, endpoint.ID)
	for range 2 { // repeating a record changes nothing
		a := models.Attempt{StatusCode: 204, Duration: 12 * time.Millisecond, StartedAt: g.Clock.Now(),
			Response: []byte("ok")}
		if err := g.RecordAttempt(t.Context(), d, nil, a); err != nil {
			t.Fatal(err)
		}
	}
	d = delivery(t, g, endpoint.ID)
	if d.Status != models.DeliveryDelivered || d.Attempts != 1 || d.Last.StatusCode != 204 ||
		d.Last.Duration != 12*time.Millisecond {
		t.Errorf("got %+v", d)
	}
}

// Attempts that end together are recorded together, each with the same effect as alone.
func TestRecordAttempt_Together(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	endpoint, _ := g.Endpoint(t, "http://127.0.0.1/hook")
	const n = 150
	for range n {
		g.Checkout(t, payments.NewCheckout{})
	}
	deliveries, err := models.EndpointDeliveries(t.Context(), g.DB.Pool, g.Test, endpoint.ID,
		models.DeliveryFilter{Limit: n})
	if err != nil || len(deliveries) != n {
		t.Fatalf("%d deliveries, %v", len(deliveries), err)
	}
	var group errgroup.Group
	for i, d := range deliveries {
		a := models.Attempt{StatusCode: 200 + i, StartedAt: g.Clock.Now()}
		switch i % 3 {
		case 1:
			a.ErrorClass = "status"
		case 2:
			a.ErrorClass = "nonsense" // the table refuses it
		}
		group.Go(func() error {
			err := g.RecordAttempt(t.Context(), &d, nil, a)
			if (err != nil) != (i%3 == 2) {
				t.Errorf("attempt %d: %v", i, err)
			}
			return nil
		})
	}
	group.Wait()
	after, err := models.EndpointDeliveries(t.Context(), g.DB.Pool, g.Test, endpoint.ID,
		models.DeliveryFilter{Limit: n})
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range after {
		want := []models.Delivery{{Status: models.DeliveryDelivered, Attempts: 1},
			{Status: models.DeliveryPending, Attempts: 1}, {Status: models.DeliveryPending}}[i%3]
		code := map[bool]int{true: 200 + i}[want.Attempts == 1]
		if d.ID != deliveries[i].ID || d.Status != want.Status || d.Attempts != want.Attempts ||
			d.Last.StatusCode != code {
			t.Errorf("delivery %d is %+v", i, d)
		}
	}
}

// A manual attempt is recorded with the next number, outside of the schedule: a failure
// changes nothing, a success delivers whatever the status was.
func TestRecordAttempt_Manual(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	endpoint, _ := g.Endpoint(t, "http://127.0.0.1/hook")
	g.Checkout(t, payments.NewCheckout{})
	record := func(manual bool, errorClass string) *models.Delivery {
		t.Helper()
		a := models.Attempt{Manual: manual, ErrorClass: errorClass, StartedAt: g.Clock.Now()}
		if err := g.RecordAttempt(t.Context(), delivery(t, g, endpoint.ID), nil, a); err != nil {
			t.Fatal(err)
		}
		return delivery(t, g, endpoint.ID)
	}
	due := *record(false, "status").NextAttemptAt
	if d := record(true, "timeout"); d.Status != models.DeliveryPending || d.NextAttemptAt == nil ||
		!d.NextAttemptAt.Equal(due) || d.Attempts != 2 || d.Manual != 1 {
		t.Errorf("after a failed manual attempt: %+v", d)
	}
	for range 3 {
		record(false, "status")
	}
	if d := record(false, "status"); d.Status != models.DeliveryFailed || d.Attempts != 6 {
		t.Errorf("after the fifth scheduled attempt: %+v", d)
	}
	if d := record(true, "status"); d.Status != models.DeliveryFailed || d.FinishedAt == nil || d.Attempts != 7 {
		t.Errorf("after another failed manual attempt: %+v", d)
	}
	g.Clock.Advance(time.Hour)
	if d := record(true, ""); d.Status != models.DeliveryDelivered || !d.FinishedAt.Equal(g.Clock.Now()) ||
		d.Attempts != 8 || d.Last.ErrorClass != "" {
		t.Errorf("after a successful manual attempt: %+v", d)
	}
	attempts, err := models.DeliveryAttempts(t.Context(), g.DB.Pool, []string{delivery(t, g, endpoint.ID).ID})
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range attempts {
		for i, a := range list {
			if a.Number != 8-i || a.Manual != (a.Number == 2 || a.Number > 6) {
				t.Errorf("attempt %d is stored as %d, manual %t", 8-i, a.Number, a.Manual)
			}
		}
	}
}

// patient is an endpoint whose health a test observes.
type patient struct {
	*paymentstest.Gateway
	t        *testing.T
	endpoint *models.Endpoint
}

func newPatient(t *testing.T) *patient {
	t.Helper()
	g := paymentstest.New(t)
	endpoint, _ := g.Endpoint(t, "http://127.0.0.1/hook")
	return &patient{g, t, endpoint}
}

// attempt records a number of attempts of its latest delivery with the same result.
func (p *patient) attempt(errorClass string, times int) {
	p.t.Helper()
	for range times {
		d := delivery(p.t, p.Gateway, p.endpoint.ID)
		a := models.Attempt{ErrorClass: errorClass, StartedAt: p.Clock.Now()}
		if err := p.RecordAttempt(p.t.Context(), d, nil, a); err != nil {
			p.t.Fatal(err)
		}
	}
}

func (p *patient) health() *models.Endpoint {
	p.t.Helper()
	e, err := models.EndpointByID(p.t.Context(), p.DB.Pool, p.Test, p.endpoint.ID)
	if err != nil {
		p.t.Fatal(err)
	}
	return e
}

// troubled returns the number of endpoints that the dashboard warns about.
func (p *patient) troubled() int {
	p.t.Helper()
	list, err := models.TroubledEndpoints(p.t.Context(), p.DB.Pool, p.Test)
	if err != nil || len(list) > 0 && list[0].ID != p.endpoint.ID {
		p.t.Fatalf("%+v, %v", list, err)
	}
	return len(list)
}

// An endpoint is failing after its third failure in a row, and healthy again after its first
// success.
func TestRecordAttempt_Health(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	began := p.Clock.Now()
	p.Checkout(t, payments.NewCheckout{})
	p.attempt("status", 2)
	if e := p.health(); e.FailingSince == nil || !e.FailingSince.Equal(began) || e.TroubledAt != nil ||
		p.troubled() != 0 {
		t.Errorf("after two failures: %+v", e)
	}
	p.Clock.Advance(time.Hour)
	p.attempt("status", 1)
	if e := p.health(); !e.FailingSince.Equal(began) || e.TroubledAt == nil || !e.TroubledAt.Equal(p.Clock.Now()) ||
		p.troubled() != 1 {
		t.Errorf("after three failures: %+v", e)
	}
	p.attempt("", 1)
	if e := p.health(); e.FailingSince != nil || e.TroubledAt != nil || e.FailedEvents != 0 || p.troubled() != 0 {
		t.Errorf("after a success: %+v", e)
	}
}

// An endpoint is disabled when ten events are given up within five days without a success.
// Other endpoints are not affected (docs/rules.md, "Webhook endpoints").
func TestRecordAttempt_TurnsOff(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	other, _ := p.Gateway.Endpoint(t, "http://127.0.0.1/other")
	for i := range 11 { // one too few, then five days later the rest
		p.Clock.Advance(time.Second)
		p.Checkout(t, payments.NewCheckout{})
		p.attempt("timeout", 5)
		e := p.health()
		if e.FailedEvents != i+1 || e.Active != (i < 10) || (e.DisabledAt != nil) != (i == 10) || p.troubled() != 1 {
			t.Fatalf("after %d events were given up: %+v", i+1, e)
		}
		if i == 9 {
			p.Clock.Advance(5 * 24 * time.Hour)
		}
	}
	if e := p.health(); e.DisabledReason != models.DisabledFailing || !e.DisabledAt.Equal(p.Clock.Now()) {
		t.Errorf("after it was turned off: %+v", e)
	}
	turnedOff(t, p.Gateway, p.endpoint.ID, "webhook_endpoint.turned_off_failing")
	p.Clock.Advance(time.Second)
	p.Checkout(t, payments.NewCheckout{})
	if d := delivery(t, p.Gateway, p.endpoint.ID); d.Status != models.DeliverySkipped {
		t.Errorf("the next delivery is %+v", d)
	}
	if e, err := models.EndpointByID(t.Context(), p.DB.Pool, p.Test, other.ID); err != nil || !e.Active ||
		e.FailingSince != nil {
		t.Errorf("the other endpoint: %+v, %v", e, err)
	}
	if err := p.Merchants.SwitchEndpoint(t.Context(), p.Owner, p.Test, p.endpoint.ID, true); err != nil {
		t.Fatal(err)
	}
	if e := p.health(); !e.Active || e.DisabledAt != nil || e.FailingSince != nil || e.FailedEvents != 0 ||
		p.troubled() != 0 {
		t.Errorf("after it was turned on again: %+v", e)
	}
}

// turnedOff checks that the audit log has one line of the gateway about an endpoint.
func turnedOff(t *testing.T, g *paymentstest.Gateway, endpointID, action string) {
	t.Helper()
	lines, err := models.AuditLines(t.Context(), g.DB.Pool, models.AuditFilter{ObjectID: endpointID,
		Actor: models.ActorSystem})
	if err != nil || len(lines) != 1 || lines[0].Action != action || lines[0].AccountID != g.Account.ID {
		t.Errorf("the audit log says %+v, %v; want %s", lines, err, action)
	}
}

// addMember adds a member to the account and returns the member's email address.
func addMember(t *testing.T, g *paymentstest.Gateway, role models.Role) (email string) {
	t.Helper()
	id := models.NewUserID()
	email = id + "@example.com"
	modelstest.Exec(t, g.DB, "INSERT INTO users (id, email, name, password_hash) VALUES ($1, $2, 'Somebody', '')", id,
		email)
	modelstest.Exec(t, g.DB, "INSERT INTO members (account_id, user_id, role) VALUES ($1, $2, $3)", g.Account.ID, id,
		string(role))
	return email
}

func delivery(t *testing.T, g *paymentstest.Gateway, endpointID string) *models.Delivery {
	t.Helper()
	deliveries, err := models.EndpointDeliveries(t.Context(), g.DB.Pool, g.Test, endpointID,
		models.DeliveryFilter{Limit: 1})
	if err != nil || len(deliveries) != 1 {
		t.Fatalf("%d deliveries, %v", len(deliveries), err)
	}
	d, err := models.DeliveryOf(t.Context(), g.DB.Pool, g.Test, deliveries[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
