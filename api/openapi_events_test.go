package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/jackc/pgx/v5"

	"garoupa/api"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/webhook"
)

// Endpoints receive what is described, in body and headers.
func TestOpenAPI_Events(t *testing.T) {
	t.Parallel()
	d := newDescribed(t, api.Limits{})
	types := slices.Concat(models.EventTypes, models.OptionalEventTypes, models.WithdrawalEventTypes)
	for _, scope := range []models.Scope{d.Test, d.Live} {
		if _, _, err := d.Merchants.CreateEndpoint(t.Context(), d.Owner, scope,
			merchants.NewEndpoint{URL: "https://shop.example/hook", Types: types}); err != nil {
			t.Fatal(err)
		}
	}
	made := d.create(t, everything).id(t)
	expiring := d.create(t, with()).id(t)
	if err := d.SimulatePayment(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	if err := d.SimulateExpiry(t.Context(), expiring); err != nil {
		t.Fatal(err)
	}
	if err := d.SimulateCancellation(t.Context(), d.create(t, with()).id(t)); err != nil {
		t.Fatal(err)
	}
	d.refund(t, d.paid(t))
	d.withdrawEveryWay(t)
	rows, err := d.DB.Pool.Query(t.Context(), "SELECT id, type, convert_from(body, 'UTF8') AS body FROM events")
	if err != nil {
		t.Fatal(err)
	}
	events, err := pgx.CollectRows(rows, pgx.RowToStructByName[struct{ ID, Type, Body string }])
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, event := range events {
		operation := d.doc.Webhooks[event.Type].Post
		var body any
		if err := json.Unmarshal([]byte(event.Body), &body); err != nil {
			t.Fatal(err)
		}
		schema := operation.RequestBody.Value.Content["application/json"].Schema.Value
		if err := schema.VisitJSON(body, openapi3.EnableJSONSchema2020()); err != nil {
			t.Errorf("%s: %v in %s", event.Type, err, event.Body)
		}
		checkDelivery(t, operation, event.ID, event.Body, d.Clock.Now())
		seen[event.Type] = true
	}
	if len(seen) != len(d.doc.Webhooks) || len(seen) != len(types) {
		t.Errorf("%d events of the types %v", len(events), seen)
	}
}

// withdrawEveryWay makes withdrawals that end in each possible way.
func (d *described) withdrawEveryWay(t *testing.T) {
	t.Helper()
	d.Approve(t)
	d.Destination(t, models.RailPix)
	d.Fund(t, models.Live, 100_00)
	by := d.Staff(t)
	for _, end := range []func(id string) error{
		func(id string) error {
			_, err := d.CancelWithdrawal(t.Context(), d.Owner, d.Account.ID, id)
			return err
		},
		func(id string) error {
			_, err := d.RejectWithdrawal(t.Context(), by, id, 1, "OTHER", paymentstest.Reason)
			return err
		},
		func(id string) error {
			if _, err := d.ApproveWithdrawal(t.Context(), by, id, 1); err != nil {
				return err
			}
			_, err := d.FailWithdrawal(t.Context(), by, id, d.Version(t, id), "AC03", paymentstest.Reason)
			return err
		},
		func(id string) error {
			d.PayOut(t, by, id)
			_, err := d.ReturnWithdrawal(t.Context(), by, id, d.Version(t, id), "MD06", paymentstest.Reason)
			return err
		},
	} {
		if err := end(d.Withdraw(t, 10_00).ID); err != nil {
			t.Fatal(err)
		}
	}
}

// checkDelivery sends an event as the worker does and compares its headers with the
// description.
func checkDelivery(t *testing.T, operation *openapi3.Operation, eventID, body string, at time.Time) {
	t.Helper()
	var received http.Header
	shop := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { received = r.Header }))
	defer shop.Close()
	outcome := webhook.NewClient(webhook.Options{AllowPrivate: true}).Post(t.Context(), webhook.Attempt{
		URL: shop.URL, Secret: merchants.NewEndpointSecret(), PreviousSecret: merchants.NewEndpointSecret(),
		EventID: eventID, Number: 2, At: at, Body: []byte(body),
	})
	if !outcome.OK {
		t.Fatalf("not delivered: %+v", outcome)
	}
	told := []string{}
	for _, p := range operation.Parameters {
		told = append(told, p.Value.Name)
		var value any = received.Get(p.Value.Name)
		if p.Value.Schema.Value.Type.Is("integer") {
			value, _ = strconv.ParseFloat(received.Get(p.Value.Name), 64)
		}
		if err := p.Value.Schema.Value.VisitJSON(value, openapi3.EnableJSONSchema2020()); err != nil {
			t.Errorf("%s: %v", p.Value.Name, err)
		}
	}
	for name := range received {
		ours := strings.HasPrefix(name, "X-Svc-") || strings.HasPrefix(name, "Webhook-")
		if ours && !slices.Contains(told, strings.ToLower(name)) {
			t.Errorf("%s is sent and not described", name)
		}
	}
}
