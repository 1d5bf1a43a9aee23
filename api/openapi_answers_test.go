package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3filter"

	"garoupa/api"
	"garoupa/internal/ratelimit"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
)

var idInPath = regexp.MustCompile(`\{[A-Za-z]+\}`)

// call sends a request and compares the answer with the description. If the answer is a
// success, it compares the request, too.
func (d *described) call(t testing.TB, method, path, body string, headers ...string) answer {
	t.Helper()
	a := d.send(t, method, path, body, headers...)
	if problem := d.check(t, a, method, path, body, headers...); problem != nil {
		t.Errorf("%s %s answered %d %.300s: %v", method, path, a.status, a.body, problem)
	}
	return a
}

// check returns how an answer differs from the description, and records the answer as seen.
func (d *described) check(t testing.TB, a answer, method, path, body string, headers ...string) error {
	t.Helper()
	request := httptest.NewRequest(method, baseURL+path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	if body != "" && request.Header.Get("Content-Type") == "" {
		request.Header.Set("Content-Type", "application/json") // the default without a Content-Type
	}
	route, params, err := d.router.FindRoute(request)
	if err != nil {
		return err
	}
	input := &openapi3filter.RequestValidationInput{Request: request, PathParams: params, Route: route,
		Options: &openapi3filter.Options{
			IncludeResponseStatus: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
		}}
	name := method + " " + route.Path + " " + strconv.Itoa(a.status)
	if a.status < 400 {
		if err := openapi3filter.ValidateRequest(t.Context(), input); err != nil {
			return err
		}
	} else {
		var f failure
		if err := json.Unmarshal([]byte(a.body), &f); err != nil || f.Error.RequestID == "" ||
			f.Error.RequestID != a.header.Get("Request-Id") {
			return fmt.Errorf("no envelope, or one with another Request-Id than %q: %w", a.header.Get("Request-Id"),
				err)
		}
		name += " " + f.Error.Code
		described := route.Operation.Responses.Status(a.status)
		if described == nil || !slices.Contains(codesOf(described.Value), f.Error.Code) {
			return fmt.Errorf("%s is not described for status %d", f.Error.Code, a.status)
		}
	}
	d.seen[name] = true
	return openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: a.status, Header: a.header,
		Body: io.NopCloser(strings.NewReader(a.body)), Options: input.Options,
	})
}

// as returns the headers of a call with a key.
func as(key string, more ...string) []string {
	return append([]string{"Authorization", "Bearer " + key}, more...)
}

const (
	goodLink       = `{"productId":"vaso"}`
	goodWithdrawal = `{"rail":"BRL_PIX","amount":"10.00"}`
)

// unreached matches described answers that no call below can cause.
var unreached = regexp.MustCompile(
	` (500 internal_error|503 internal_error|429 rate_limit_exceeded)$|openapi.json 304$`)

// Every operation answers as described, in success and in every refusal.
func TestOpenAPI_Answers(t *testing.T) {
	t.Parallel()
	d := newDescribed(t, api.Limits{})
	d.product(t)
	d.callCheckouts(t)
	d.callLinks(t)
	d.callTest(t)
	d.callRefunds(t)
	d.callEvents(t)
	d.callAudit(t)
	d.callLive(t)
	d.callEverywhere(t)
	d.call(t, "GET", "/v1/health", "")
	d.call(t, "GET", "/v1/openapi.json", "")

	for path, item := range d.doc.Paths.Map() {
		for method, operation := range item.Operations() {
			for status, response := range operation.Responses.Map() {
				names := codesOf(response.Value)
				if len(names) == 0 {
					names = []string{""}
				}
				for _, code := range names {
					name := strings.TrimSpace(method + " " + path + " " + status + " " + code)
					if !d.seen[name] && !unreached.MatchString(name) {
						t.Errorf("no call got the answer %s", name)
					}
				}
			}
		}
	}
}

// product adds the product of goodLink.
func (d *described) product(t testing.TB) {
	t.Helper()
	_, err := d.Merchants.CreateProduct(t.Context(), d.Owner, d.Test,
		merchants.ProductForm{Slug: "vaso", Name: "Vaso", Amount: 4990, PaymentCycle: "ONE_TIME"})
	if err != nil {
		t.Fatal(err)
	}
}

func (d *described) callCheckouts(t *testing.T) {
	t.Helper()
	first := d.call(t, "POST", "/v1/checkouts", everything, as(d.key, "Idempotency-Key", "a")...)
	d.call(t, "POST", "/v1/checkouts", everything, as(d.key, "Idempotency-Key", "a", "Request-Id", "mine")...)
	d.call(t, "POST", "/v1/checkouts", with(), as(d.key, "Idempotency-Key", "a")...)
	d.call(t, "POST", "/v1/checkouts", with("customer", "null", "metadata", "null", "currency", "null", "expiresIn",
		"null"), as(d.key)...)
	d.call(t, "POST", "/v1/checkouts", "{", as(d.key)...)
	d.call(t, "POST", "/v1/checkouts", with("amount", "0"), as(d.key)...)
	d.call(t, "POST", "/v1/checkouts", with("expiresIn", "1"), as(d.key)...)

	d.call(t, "GET", "/v1/checkouts/"+first.id(t), "", as(d.key)...)
	d.call(t, "GET", "/v1/checkouts/chk_0", "", as(d.key)...)
	d.call(t, "GET", "/v1/checkouts?limit=1&status=PENDING&externalId=pedido-1", "", as(d.key)...)
	d.call(t, "GET", "/v1/checkouts?limit=0", "", as(d.key)...)
}

func (d *described) callLinks(t *testing.T) {
	t.Helper()
	made := d.call(t, "POST", "/v1/payment-links",
		`{"productId":"vaso","successUrl":"https://loja.example/ok","returnUrl":""}`,
		as(d.key, "Idempotency-Key", "a")...)
	d.call(t, "POST", "/v1/payment-links", `{"returnUrl":"","productId":"vaso","successUrl":"https://loja.example/ok"}`,
		as(d.key, "Idempotency-Key", "a")...)
	d.call(t, "POST", "/v1/payment-links", goodLink, as(d.key, "Idempotency-Key", "a")...)
	d.call(t, "POST", "/v1/payment-links", goodLink, as(d.key)...)
	d.call(t, "POST", "/v1/payment-links", `{"productId":"nenhum"}`, as(d.key, "Idempotency-Key", "b")...)
	d.call(t, "POST", "/v1/payment-links", `{"productId":"vaso","expiresInSeconds":1}`,
		as(d.key, "Idempotency-Key", "b")...)
	d.call(t, "POST", "/v1/payment-links", `{`, as(d.key, "Idempotency-Key", "b")...)

	id, _ := plain(t, made.body)["paymentLinkId"].(string)
	d.call(t, "GET", "/v1/payment-links/"+id, "", as(d.key)...)
	d.call(t, "GET", "/v1/payment-links/plink_0", "", as(d.key)...)
	d.call(t, "GET", "/v1/payment-links", "", as(d.key)...)
	d.call(t, "GET", "/v1/payment-links?cursor=x", "", as(d.key)...)
}

// callTest makes the calls that only test keys can make.
func (d *described) callTest(t *testing.T) {
	t.Helper()
	live := d.Key(t, d.Live, models.Permissions...)
	for _, act := range []string{"pay", "expire", "cancel"} {
		path := "/v1/test/checkouts/" + d.pending(t).ID + "/" + act
		d.call(t, "POST", path, "", as(live)...)
		d.call(t, "POST", path, "", as(d.key)...)
		d.call(t, "POST", path, "", as(d.key)...)
		d.call(t, "POST", "/v1/test/checkouts/chk_0/"+act, "", as(d.key)...)
	}
	d.call(t, "GET", "/v1/test/events", "", as(d.key, "Last-Event-ID", "x")...)
	all := d.call(t, "GET", "/v1/test/events", "", as(d.key, "Last-Event-ID", "start")...)
	if n := strings.Count(all.body, "\nevent: checkout."); n < 6 {
		t.Errorf("a stream has %d events: %s", n, all.body)
	}
	d.call(t, "GET", "/v1/checkouts?status=PAID", "", as(d.key)...)
	d.call(t, "GET", "/v1/balance", "", as(d.key)...)
	d.call(t, "POST", "/v1/withdrawals", goodWithdrawal, as(d.key, "Idempotency-Key", "a")...)
}

// callLive makes calls with a live key while the account passes through its states.
func (d *described) callAudit(t *testing.T) {
	t.Helper()
	monitor, _ := d.monitor(t)
	d.call(t, "GET", "/v1/audit?type=api_key.created&limit=1", "", as(monitor)...)
	d.call(t, "GET", "/v1/audit", "", as(monitor)...)
	d.call(t, "GET", "/v1/audit?type=x", "", as(monitor)...)
}

func (d *described) callLive(t *testing.T) {
	t.Helper()
	key := d.Key(t, d.Live, models.Permissions...)
	creations := map[string]string{"/v1/checkouts": with(), "/v1/payment-links": goodLink,
		"/v1/withdrawals": goodWithdrawal}
	create := func() {
		d.Clock.Advance(time.Second) // longer than a key is cached
		for path, body := range creations {
			d.call(t, "POST", path, body, as(key, "Idempotency-Key", "live")...)
		}
	}
	create()
	d.call(t, "GET", "/v1/balance", "", as(key)...)
	d.Approve(t)
	for _, column := range []string{"suspended", "live_blocked", "withdrawals_blocked"} {
		set := func(value string) {
			modelstest.Exec(t, d.DB, "UPDATE accounts SET "+column+" = "+value)
		}
		set("true")
		create()
		set("false")
	}
	create()
	d.bank.unavailable = true
	d.call(t, "POST", "/v1/checkouts", with(), as(key)...)
	d.bank.unavailable = false
	d.call(t, "GET", "/v1/balance", "", as(key)...)
	d.call(t, "POST", "/v1/withdrawals", goodWithdrawal, as(key)...)
	d.call(t, "POST", "/v1/withdrawals", `{"rail":"BRL_PIX","amount":"0.01"}`, as(key, "Idempotency-Key", "b")...)
	d.call(t, "POST", "/v1/withdrawals", `{"rail":"BRL_PIX","amount":1}`, as(key, "Idempotency-Key", "b")...)
	d.call(t, "GET", "/v1/withdrawals?limit=101", "", as(key)...)
	d.call(t, "GET", "/v1/withdrawals/wdr_0", "", as(key)...)
	d.callWithdrawals(t, key)
}

// callWithdrawals makes withdrawals by both rails, for USDT first without a rate.
func (d *described) callWithdrawals(t *testing.T, key string) {
	t.Helper()
	d.Destination(t, models.RailPix)
	d.Destination(t, models.RailUSDT)
	const toWallet = `{"rail":"USDT_WALLET","amount":"10.00"}`
	d.call(t, "POST", "/v1/withdrawals", goodWithdrawal, as(key, "Idempotency-Key", "a")...) // there is no money yet
	d.Fund(t, models.Live, 100_00)
	d.call(t, "POST", "/v1/withdrawals", toWallet, as(key, "Idempotency-Key", "b")...) // and no rate
	made := d.call(t, "POST", "/v1/withdrawals", goodWithdrawal, as(key, "Idempotency-Key", "a")...)
	d.call(t, "POST", "/v1/withdrawals", goodWithdrawal, as(key, "Idempotency-Key", "a")...)
	d.call(t, "POST", "/v1/withdrawals", toWallet, as(key, "Idempotency-Key", "a")...)
	d.Sell(t, "5.4212")
	quoted := d.call(t, "POST", "/v1/withdrawals", toWallet, as(key, "Idempotency-Key", "b")...)
	for _, a := range []answer{made, quoted} {
		d.PayOut(t, d.Staff(t), a.id(t))
		if read := d.call(t, "GET", "/v1/withdrawals/"+a.id(t), "", as(key)...); !strings.Contains(read.body,
			`"COMPLETED"`) {
			t.Errorf("the completed withdrawal is %s", read.body)
		}
	}
	d.call(t, "GET", "/v1/withdrawals", "", as(key)...)
	d.call(t, "GET", "/v1/balance", "", as(key)...)
}

// callEverywhere makes the calls that every operation refuses in the same way.
func (d *described) callEverywhere(t *testing.T) {
	t.Helper()
	test, live := d.Key(t, d.Test, models.PermissionCheckoutRead), d.Key(t, d.Live, models.PermissionCheckoutRead)
	creator, every := d.Key(t, d.Test, models.PermissionCheckoutCreate), d.Key(t, d.Live, models.Permissions...)
	for path, item := range d.doc.Paths.Map() {
		for method, operation := range item.Operations() {
			address := idInPath.ReplaceAllString(path, "x")
			d.call(t, method, address, "", "Content-Type", "text/plain")
			d.call(t, method, address, strings.Repeat(" ", 1<<17+1))
			if operation.Responses.Value("401") == nil {
				continue
			}
			d.call(t, method, address, "")
			d.call(t, method, address+"?page=2", "", as(every)...)
			for _, key := range []string{test, live, creator} {
				d.call(t, method, address, "", as(key)...)
			}
		}
	}
}

// Every operation with a key is limited, with the described headers.
func TestOpenAPI_RateLimit(t *testing.T) {
	t.Parallel()
	rate := ratelimit.Rate{Tokens: 1, Per: time.Hour, Burst: 1}
	d := newDescribed(t, api.Limits{Test: ratelimit.New(rate), FailedAuth: ratelimit.New(rate)})
	d.call(t, "GET", "/v1/checkouts", "", as(d.key)...)
	d.call(t, "GET", "/v1/checkouts", "")
	for path, item := range d.doc.Paths.Map() {
		for method, operation := range item.Operations() {
			if operation.Responses.Value("401") == nil {
				continue
			}
			for _, headers := range [][]string{as(d.key), nil} {
				if a := d.call(t, method, idInPath.ReplaceAllString(path, "x"), "", headers...); !a.refused(t, 429,
					"rate_limit_exceeded") {
					t.Errorf("%s %s: %d", method, path, a.status)
				}
			}
		}
	}
}

// A key needs the described permission, and no other.
func TestOpenAPI_Permissions(t *testing.T) {
	t.Parallel()
	d := newDescribed(t, api.Limits{})
	for path, item := range d.doc.Paths.Map() {
		for method, operation := range item.Operations() {
			needs := *operation.Security
			if len(needs) == 0 || len(needs[0]["apiKey"]) == 0 {
				continue // public, or allowed by the key's own switch
			}
			needed := models.Permission(needs[0]["apiKey"][0])
			others := slices.DeleteFunc(slices.Clone(models.Permissions),
				func(p models.Permission) bool { return p == needed })
			address := idInPath.ReplaceAllString(path, "x")
			if a := d.send(t, method, address, "{}", as(d.Key(t, d.Live, others...))...); !a.refused(t,
				http.StatusForbidden, "api_key_scope_forbidden") {
				t.Errorf("%s %s without %s: %d %s", method, path, needed, a.status, a.body)
			}
			if a := d.send(t, method, address, "{}", as(d.Key(t, d.Live, needed))...); strings.Contains(a.body,
				"api_key_scope_forbidden") {
				t.Errorf("%s %s with %s: %d %s", method, path, needed, a.status, a.body)
			}
		}
	}
}
