package api_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// withdrawing returns a site whose merchant is approved, with a live key that has every
// permission.
func withdrawing(t *testing.T) (s *site, key string) {
	t.Helper()
	s = newSite(t)
	s.GoLive(t)
	return s, s.Key(t, s.Live, models.Permissions...)
}

func (s *site) withdraw(t testing.TB, key, idempotency, body string) answer {
	t.Helper()
	s.Clock.Advance(time.Second) // longer than a key is cached
	return s.send(t, "POST", "/v1/withdrawals", body, "Authorization", "Bearer "+key, "Content-Type",
		"application/json", "Idempotency-Key", idempotency)
}

// The answer has the documented members and no others (docs/rules.md, "Withdrawals"), and
// a retry answers with the withdrawal as it is by then.
func TestCreateWithdrawal_Shape(t *testing.T) {
	t.Parallel()
	s, key := withdrawing(t)
	s.Destination(t, models.RailPix)
	s.Fund(t, models.Live, 500_00)
	made := s.withdraw(t, key, "k", `{"rail":"BRL_PIX","amount":"150"}`)
	if made.status != 201 {
		t.Fatalf("%d %s", made.status, made.body)
	}
	got := plain(t, made.body)
	id, _ := got["id"].(string)
	at := s.Clock.Now().Format("2006-01-02T15:04:05.000Z")
	want := map[string]any{
		"id": id, "livemode": true, "rail": "BRL_PIX", "status": "PENDING_REVIEW", "currency": "BRL",
		"amount": "150.00", "feeAmount": "0.00", "netAmount": "150.00",
		"destination": map[string]any{"type": "CNPJ", "key": "**.***.345/01DE-**", "address": nil, "network": nil,
			"holderName": "Ateliê Aurora Ltda"},
		"quote": nil, "endToEndId": nil, "txHash": nil, "failureCode": nil, "reason": nil,
		"createdAt": at, "approvedAt": nil, "completedAt": nil, "updatedAt": at,
	}
	if diff := cmp.Diff(want, got); diff != "" || len(id) != 24 || !strings.HasPrefix(id, "wdr_") {
		t.Errorf("%s (-want +got)\n%s", id, diff)
	}
	if b := plain(t, s.send(t, "GET", "/v1/balance", "", as(key)...).body); b["availableAmount"] != "350.00" ||
		b["reservedAmount"] != "150.00" {
		t.Errorf("the balance is %v", b)
	}
	s.Clock.Advance(time.Hour)
	_, err := s.RejectWithdrawal(t.Context(), s.Staff(t), id, 1, "DATA_MISMATCH", "O titular é outro.")
	if err != nil {
		t.Fatal(err)
	}
	want["status"], want["failureCode"], want["reason"] = "REJECTED", "DATA_MISMATCH", "O titular é outro."
	want["updatedAt"] = s.Clock.Now().Format("2006-01-02T15:04:05.000Z")
	for name, a := range map[string]answer{
		"repeated": s.withdraw(t, key, "k", `{"amount":"150","rail":"BRL_PIX"}`),
		"read":     s.send(t, "GET", "/v1/withdrawals/"+id, "", as(key)...),
	} {
		if diff := cmp.Diff(want, plain(t, a.body)); diff != "" || a.status != 200 {
			t.Errorf("%s: %d (-want +got)\n%s", name, a.status, diff)
		}
	}
}

// The checks have an order (docs/rules.md, "Order of checks"): the test corrects a request
// one fault at a time, and each answer reports the next fault.
func TestCreateWithdrawal_Order(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.Service.Live = s.Simulator
	reader, creator := s.Key(t, s.Live, models.PermissionWithdrawalRead), s.Key(t, s.Live,
		models.PermissionWithdrawalCreate)
	used := func() {
		s.Approve(t)
		s.Destination(t, models.RailPix)
		s.Fund(t, models.Live, 10_00)
		if a := s.withdraw(t, creator, "used", `{"rail":"BRL_PIX","amount":"10.00"}`); a.status != 201 {
			t.Fatalf("the request that uses the key: %d %s", a.status, a.body)
		}
		account(t, s, "REJECTED")
	}
	used()
	set := func(column string, on bool) {
		modelstest.Exec(t, s.DB, "UPDATE accounts SET "+column+" = "+strconv.FormatBool(on))
	}
	set("suspended", true)
	set("withdrawals_blocked", true)
	r := attempt{method: "POST", path: "/v1/withdrawals", media: "text/plain", key: "svc_live_none", body: "{"}
	for _, step := range []struct {
		mended string
		mend   func()
		want   string
	}{
		{"nothing", func() {}, "415 unsupported_media_type"},
		{"the media type", func() { r.media = "application/json" }, "401 unauthorized"},
		{"the key", func() { r.key = s.Key(t, s.Test, models.PermissionCheckoutRead) },
			"403 test_withdrawals_not_supported"},
		{"the environment", func() { r.key = reader }, "403 api_key_scope_forbidden"},
		{"the permission", func() { r.key = creator }, "400 idempotency_key_required"},
		{"the key's absence", func() { r.idempotency = strings.Repeat("k", 256) }, "400 invalid_request_body"},
		{"the Idempotency-Key", func() { r.idempotency = "used" }, "400 invalid_request_body"},
		{"the syntax", func() { r.body = `{"rail":"USDT_WALLET","amount":4}` }, "400 invalid_request_body"},
		{"the types", func() { r.body = `{"rail":"USDT_WALLET","amount":"4.99"}` }, "409 idempotency_conflict"},
		{"the conflict", func() { r.idempotency = "new" }, "422 invalid_amount"},
		{"the range", func() { r.body = `{"rail":"USDT_WALLET","amount":"100.00"}` }, "403 forbidden"},
		{"the access", func() { account(t, s, "APPROVED") }, "403 account_suspended"},
		{"the suspension", func() { set("suspended", false) }, "403 withdrawals_blocked"},
		{"the switch", func() { set("withdrawals_blocked", false) }, "403 withdrawal_readiness_required"},
		{"the destination", func() { s.Destination(t, models.RailUSDT) }, "422 insufficient_balance"},
		{"the balance", func() { s.Fund(t, models.Live, 100_00) }, "422 quote_unavailable"},
		{"the rail", func() { r.body = `{"rail":"BRL_PIX","amount":"100.00"}` }, "201 "},
		{"the repetition", func() { account(t, s, "REJECTED") }, "200 "},
	} {
		step.mend()
		s.Clock.Advance(time.Second)
		a := s.try(t, r)
		got := strconv.Itoa(a.status) + " "
		if a.status >= 400 {
			got += a.fault(t).Error.Code
		}
		if got != step.want {
			t.Errorf("with %s corrected: %s, want %s: %s", step.mended, got, step.want, a.body)
		}
	}
}

// amount is a decimal text, and rail one of two (docs/rules.md, "Fields").
func TestCreateWithdrawal_Fields(t *testing.T) {
	t.Parallel()
	s, key := withdrawing(t)
	bodies := map[string]string{
		``: "400", `{}`: "400", `[]`: "400", `null`: "400", `{"rail":"BRL_PIX"}`: "400", `{"amount":"10.00"}`: "400",
		`{"rail":null,"amount":"10.00"}`:                        "400",
		`{"rail":"BRL_PIX","amount":"10.00","destination":"x"}`: "400",
		`{"rail":"BRL_PIX","rail":"BRL_PIX","amount":"10.00"}`:  "400",
		`{"rail":"brl_pix","amount":"10.00"}`:                   "400", `{"rail":"TED","amount":"10.00"}`: "400",
		`{"rail":1,"amount":"10.00"}`: "400",
	}
	for amount, want := range map[string]string{
		`10.00`: "400", `"10.00"`: "403", `"10.0"`: "403", `"10"`: "403", `"0010"`: "403", `"5.00"`: "403",
		`"50000.00"`: "403",
		`"4.99"`:     "422", `"0"`: "422", `"0.00"`: "422", `"50000.01"`: "422", `"9999999999.99"`: "422",
		`"00000000000"`: "400",
		`""`:            "400", `"10."`: "400", `".10"`: "400", `"10.001"`: "400", `"1,00"`: "400", `"1e3"`: "400",
		`"+10"`: "400", `"-10"`: "400", `" 10"`: "400", `"٣"`: "400", `"10\n"`: "400",
	} {
		bodies[`{"rail":"BRL_PIX","amount":`+amount+`}`] = want
	}
	for body, want := range bodies {
		a := s.withdraw(t, key, "k", body)
		code := map[string]string{"400": "invalid_request_body", "403": "withdrawal_readiness_required",
			"422": "invalid_amount"}[want]
		if strconv.Itoa(a.status) != want || !a.refused(t, a.status, code) {
			t.Errorf("%s: %d %s, want %s", body, a.status, a.body, want)
		}
	}
}

// Withdrawals and their idempotency belong to the account and its live environment, with a
// key of any project. Other accounts do not see them.
func TestWithdrawals_Scope(t *testing.T) {
	t.Parallel()
	s, key := withdrawing(t)
	s.Destination(t, models.RailPix)
	s.Fund(t, models.Live, 100_00)
	second := models.Project{ID: models.NewProjectID(), AccountID: s.Account.ID, Name: "Outra",
		CreatedAt: s.Clock.Now()}
	if err := s.DB.Create(&second).Error; err != nil {
		t.Fatal(err)
	}
	colleague := s.Key(t, models.Scope{ProjectID: second.ID, Environment: models.Live}, models.Permissions...)
	const body = `{"rail":"BRL_PIX","amount":"10.00"}`
	made := s.withdraw(t, key, "k", body)
	if made.status != 201 {
		t.Fatalf("%d %s", made.status, made.body)
	}
	if a := s.withdraw(t, colleague, "k", body); a.status != 200 || a.id(t) != made.id(t) {
		t.Errorf("the same key in another project: %d %s", a.status, a.body)
	}
	m, err := s.Merchants.SignUp(t.Context(), merchants.NewMerchant{
		Name: "Rui Sá", Business: "Padaria Sol", Email: "rui@example.com", Password: paymentstest.Password,
	}, "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	_, stranger, err := s.Merchants.CreateKey(t.Context(),
		models.Actor{UserID: m.UserID, AccountID: m.AccountID, IP: "127.0.0.1"},
		models.Scope{ProjectID: m.ProjectID, Environment: models.Live},
		merchants.NewKey{Name: "test", Permissions: models.Permissions})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		key    string
		status int
		listed int
	}{
		"the key's own": {key, 200, 1}, "a colleague's": {colleague, 200, 1}, "a stranger's": {stranger, 404, 0},
		"the test key's": {s.key, 404, 0},
	} {
		a := s.send(t, "GET", "/v1/withdrawals/"+made.id(t), "", as(tc.key)...)
		if a.status != tc.status || a.status == 404 && !a.refused(t, 404, "withdrawal_not_found") {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
		if n := len(listed(t, s.send(t, "GET", "/v1/withdrawals", "", as(tc.key)...)).Data); n != tc.listed {
			t.Errorf("%s: %d are listed", name, n)
		}
	}
	for _, id := range []string{"wdr_00000000000000000000", "wdr_", "x", strings.ToUpper(made.id(t)),
		made.id(t) + "0"} {
		if a := s.send(t, "GET", "/v1/withdrawals/"+id, "", as(key)...); !a.refused(t, 404, "withdrawal_not_found") {
			t.Errorf("%s: %d %s", id, a.status, a.body)
		}
	}
}

type withdrawalList struct {
	Data       []struct{ ID string }
	NextCursor *string
}

func listed(t testing.TB, a answer) (l withdrawalList) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), &l); err != nil || a.status != 200 {
		t.Fatalf("%d %s: %v", a.status, a.body, err)
	}
	return l
}

// The list is newest first, and its pages neither repeat nor shift while more withdrawals
// are created.
func TestListWithdrawals(t *testing.T) {
	t.Parallel()
	s, key := withdrawing(t)
	s.Destination(t, models.RailPix)
	s.Fund(t, models.Live, 1000_00)
	var want []string
	make := func(n int) {
		a := s.withdraw(t, key, fmt.Sprint(n), `{"rail":"BRL_PIX","amount":"10.00"}`)
		want = append([]string{a.id(t)}, want...)
	}
	for n := range 7 {
		make(n)
	}
	expected, got := append([]string{}, want...), []string{}
	for cursor := ""; ; {
		page := listed(t, s.send(t, "GET", "/v1/withdrawals?limit=3"+cursor, "", as(key)...))
		for _, w := range page.Data {
			got = append(got, w.ID)
		}
		make(100 + len(got))
		if page.NextCursor == nil {
			break
		}
		cursor = "&cursor=" + *page.NextCursor
	}
	if diff := cmp.Diff(expected, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if n := len(listed(t, s.send(t, "GET", "/v1/withdrawals", "", as(key)...)).Data); n != len(want) {
		t.Errorf("without a limit: %d of %d", n, len(want))
	}
	foreign := listed(t, s.send(t, "GET", "/v1/withdrawals?limit=1", "", as(key)...)).NextCursor
	for _, query := range []string{"limit=0", "limit=101", "limit=x", "cursor=x", "status=APPROVED", "cursor="} {
		if a := s.send(t, "GET", "/v1/withdrawals?"+query, "", as(key)...); !a.refused(t, 400, "invalid_request_body") {
			t.Errorf("%s: %d %s", query, a.status, a.body)
		}
	}
	if a := s.send(t, "GET", "/v1/checkouts?cursor="+*foreign, "", as(key)...); !a.refused(t, 400,
		"invalid_request_body") {
		t.Errorf("the cursor in another list: %d", a.status)
	}
}
