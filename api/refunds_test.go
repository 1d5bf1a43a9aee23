package api_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

// refunding returns a site with a test key that may refund.
func refunding(t *testing.T) (s *site, key string) {
	t.Helper()
	s = newSite(t)
	key = s.Key(t, s.Test, models.PermissionCheckoutRead)
	modelstest.Exec(t, s.DB, "UPDATE api_keys SET refunds = true")
	return s, key
}

// paid returns a test checkout of 10.00 that is paid.
func (s *site) paid(t testing.TB) *models.Checkout {
	t.Helper()
	c := s.Checkout(t, payments.NewCheckout{})
	if err := s.ConfirmPayment(t.Context(), models.Test, simulator.Pay(c.TxID, 10_00, s.Clock.Now())); err != nil {
		t.Fatal(err)
	}
	return c
}

// refund gives 1.00 of a test checkout back.
func (s *site) refund(t testing.TB, c *models.Checkout) {
	t.Helper()
	_, _, err := s.RefundCheckout(t.Context(), s.Test, payments.RefundRequest{By: s.Owner, AccountID: s.Account.ID,
		CheckoutID: c.ID, Amount: 1_00, Reason: "x", IdempotencyKey: "r", RequestHash: make([]byte, 32)})
	if err == nil {
		s.Clock.Advance(2 * time.Second)
		err = s.SimulateRefunds(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (s *site) tryRefund(t testing.TB, key, idempotency, body string) answer {
	t.Helper()
	return s.send(t, "POST", "/v1/refunds", body, "Authorization", "Bearer "+key, "Content-Type", "application/json",
		"Idempotency-Key", idempotency)
}

// The answer has the documented members and no others (docs/rules.md, "Refunds"), and a retry answers
// with the refund as it is by then.
func TestCreateRefund_Shape(t *testing.T) {
	t.Parallel()
	s, key := refunding(t)
	c := s.paid(t)
	body := `{"checkoutId":"` + c.ID + `","amount":400,"reason":" Veio trocado "}`
	made := s.tryRefund(t, key, "k", body)
	if made.status != 201 {
		t.Fatalf("%d %s", made.status, made.body)
	}
	got := plain(t, made.body)
	id, _ := got["id"].(string)
	at := s.Clock.Now().Format("2006-01-02T15:04:05.000Z")
	want := map[string]any{"id": id, "livemode": false, "checkoutId": c.ID, "status": "PROCESSING",
		"origin": "MERCHANT", "amount": json.Number("400"), "currency": "BRL", "reason": "Veio trocado",
		"endToEndId": modelstest.One[string](t, s.DB, "SELECT end_to_end_id FROM payments"), "returnId": nil,
		"failureReason": nil, "createdAt": at, "completedAt": nil}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	s.Clock.Advance(2 * time.Second)
	if err := s.SimulateRefunds(t.Context()); err != nil {
		t.Fatal(err)
	}
	want["status"], want["completedAt"] = "COMPLETED", s.Clock.Now().Format("2006-01-02T15:04:05.000Z")
	want["returnId"] = modelstest.One[string](t, s.DB, "SELECT return_id FROM refunds")
	for name, a := range map[string]answer{
		"repeated": s.tryRefund(t, key, "k", body),
		"read":     s.send(t, "GET", "/v1/refunds/"+id, "", as(key)...),
	} {
		if diff := cmp.Diff(want, plain(t, a.body)); diff != "" || a.status != 200 {
			t.Errorf("%s: %d (-want +got)\n%s", name, a.status, diff)
		}
	}
	rest := plain(t, s.tryRefund(t, key, "rest", `{"checkoutId":"`+c.ID+`"}`).body)
	if rest["amount"] != json.Number("600") || rest["reason"] != "Devolução" {
		t.Errorf("the rest is %v", rest)
	}
	for query, n := range map[string]int{"": 2, "?checkoutId=" + c.ID: 2, "?checkoutId=chk_other": 0, "?limit=1": 1} {
		page := plain(t, s.send(t, "GET", "/v1/refunds"+query, "", as(key)...).body)
		if list, _ := page["data"].([]any); len(list) != n {
			t.Errorf("%q lists %v", query, page)
		}
	}
}

// An amount that ends in 67 is refused by the simulator, and the balance is as before.
func TestCreateRefund_Fails(t *testing.T) {
	t.Parallel()
	s, key := refunding(t)
	c := s.paid(t)
	id, _ := plain(t, s.tryRefund(t, key, "k", `{"checkoutId":"`+c.ID+`","amount":267}`).body)["id"].(string)
	s.Clock.Advance(2 * time.Second)
	if err := s.SimulateRefunds(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := plain(t, s.send(t, "GET", "/v1/refunds/"+id, "", as(key)...).body)
	if got["status"] != "FAILED" || got["failureReason"] != "Recusada pelo simulador" || got["completedAt"] != nil {
		t.Errorf("the refund is %v", got)
	}
	if b, err := s.Balance(t.Context(), s.Account, models.Test); err != nil || b.Refunded != 0 || b.Pending != 9_90 {
		t.Errorf("the balance is %+v, %v", b, err)
	}
}

// The checks have an order (docs/rules.md, "Order of checks"): the test corrects a request one fault at a
// time, and each answer reports the next fault.
func TestCreateRefund_Order(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.Service.Live = s.Simulator
	key := s.Key(t, s.Live, models.Permissions...)
	s.Approve(t)
	c, _, err := s.CreateCheckout(t.Context(), s.Live, s.Account, paymentstest.Filled(payments.NewCheckout{}))
	if err != nil {
		t.Fatal(err)
	}
	pay := func() {
		if err := s.ConfirmPayment(t.Context(), models.Live, simulator.Pay(c.TxID, 10_00, s.Clock.Now())); err != nil {
			t.Fatal(err)
		}
	}
	set := func(sql string) func() { return func() { modelstest.Exec(t, s.DB, sql) } }
	body := func(s string) string { return `{"checkoutId":"` + c.ID + `"` + s + `}` }
	set("UPDATE accounts SET suspended = true, production_access = 'REJECTED'")()
	r := attempt{method: "POST", path: "/v1/refunds", media: "text/plain", key: "svc_live_none", body: "{"}
	for _, step := range []struct {
		mended string
		mend   func()
		want   string
	}{
		{"nothing", func() {}, "415 unsupported_media_type"},
		{"the media type", func() { r.media = "application/json" }, "401 unauthorized"},
		{"the key", func() { r.key = key }, "403 api_key_scope_forbidden"},
		{"the switch of the key", set("UPDATE api_keys SET refunds = true"), "400 idempotency_key_required"},
		{"the Idempotency-Key", func() { r.idempotency = "k" }, "400 invalid_request_body"},
		{"the syntax", func() { r.body = `{"checkoutId":7}` }, "400 invalid_request_body"},
		{"the types", func() { r.body = `{"checkoutId":"chk_none","amount":0}` }, "422 invalid_amount"},
		{"the amount", func() { r.body = `{"checkoutId":"chk_none"}` }, "403 forbidden"},
		{"the access", set("UPDATE accounts SET production_access = 'APPROVED'"), "403 account_suspended"},
		{"the suspension", set("UPDATE accounts SET suspended = false"), "404 checkout_not_found"},
		{"the checkout", func() { r.body = body("") }, "422 refund_not_possible"},
		{"the status", func() { pay(); r.body = body(`,"amount":1001`) }, "422 invalid_amount"},
		{"the sum", func() { r.body = body(`,"amount":999`) }, "201 "},
		{"the repetition", func() {}, "200 "},
		{"another body", func() { r.body = body("") }, "409 idempotency_conflict"},
	} {
		step.mend()
		s.Clock.Advance(time.Second) // longer than a key is cached
		a := s.try(t, r)
		got := strconv.Itoa(a.status) + " "
		if a.status >= 400 {
			got += a.fault(t).Error.Code
		}
		if got != step.want {
			t.Errorf("after mending %s: %s, want %s", step.mended, got, step.want)
		}
	}
}

// A filter that no checkout's id can be is refused, and reaches no database.
func TestListRefunds_CheckoutID(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	key := s.Key(t, s.Test, models.PermissionCheckoutRead)
	for _, id := range []string{"", "a%00b", "%0A", strings.Repeat("a", 65)} {
		a := s.send(t, "GET", "/v1/refunds?checkoutId="+id, "", as(key)...)
		if !a.refused(t, 400, "invalid_request_body") {
			t.Errorf("%q: %d %s", id, a.status, a.body)
		}
	}
	if a := s.send(t, "GET", "/v1/refunds?checkoutId=chk_0", "", as(key)...); a.status != 200 {
		t.Errorf("an unknown id: %d %s", a.status, a.body)
	}
}

// A refund of another project or environment does not exist.
func TestReadRefund_Strangers(t *testing.T) {
	t.Parallel()
	s, key := refunding(t)
	id, _ := plain(t, s.tryRefund(t, key, "k", `{"checkoutId":"`+s.paid(t).ID+`"}`).body)["id"].(string)
	live := s.Key(t, s.Live, models.Permissions...)
	for name, a := range map[string]answer{
		"in live": s.send(t, "GET", "/v1/refunds/"+id, "", as(live)...),
		"unknown": s.send(t, "GET", "/v1/refunds/rfd_00000000000000000000", "", as(key)...),
	} {
		if !a.refused(t, 404, "refund_not_found") {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
}

// callRefunds makes refunds with a test key and, while the account passes through its states, a live one.
func (d *described) callRefunds(t *testing.T) {
	t.Helper()
	test, live := d.Key(t, d.Test, models.PermissionCheckoutRead), d.Key(t, d.Live, models.PermissionCheckoutRead)
	modelstest.Exec(t, d.DB, "UPDATE api_keys SET refunds = true")
	call := func(key, idempotency, body string) answer {
		d.Clock.Advance(time.Second) // longer than a key is cached
		return d.call(t, "POST", "/v1/refunds", body, as(key, "Idempotency-Key", idempotency)...)
	}
	c := d.paid(t)
	of := func(c *models.Checkout, more string) string { return `{"checkoutId":"` + c.ID + `"` + more + `}` }
	made := call(test, "a", of(c, `,"amount":100,"reason":null`))
	call(test, "a", of(c, `,"amount":100,"reason":null`))
	call(test, "a", of(c, ""))
	call(test, "b", `{"checkoutId":7}`)
	call(test, "b", of(c, `,"amount":0`))
	call(test, "b", `{"checkoutId":"chk_0"}`)
	call(test, "b", of(d.pending(t), ""))
	d.call(t, "POST", "/v1/refunds", of(c, ""), as(test)...)
	d.call(t, "GET", "/v1/refunds/"+made.id(t), "", as(test)...)
	d.call(t, "GET", "/v1/refunds?checkoutId="+c.ID, "", as(test)...)
	d.call(t, "GET", "/v1/refunds?limit=0", "", as(test)...)

	d.Clock.Advance(paymentstest.SettlementDelay)
	_, err := d.SettleDue(t.Context())
	if err == nil {
		var b models.Balance
		if b, err = d.Balance(t.Context(), d.Account, models.Test); err == nil {
			_, err = d.BlockAmount(t.Context(), d.Staff(t), payments.NewBlock{AccountID: d.Account.ID,
				Environment: models.Test, Amount: b.Available, Reason: paymentstest.Reason})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if a := call(test, "c", of(c, "")); !a.refused(t, 422, "insufficient_balance") {
		t.Errorf("from blocked money: %s", a.body)
	}
	set := func(sql string) { modelstest.Exec(t, d.DB, "UPDATE accounts SET "+sql) }
	set("production_access = 'REJECTED'")
	call(live, "d", of(c, ""))
	set("production_access = 'APPROVED', suspended = true")
	call(live, "d", of(c, ""))
	set("production_access = 'NOT_REQUESTED', suspended = false")
}
