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

	"garoupa/api"
	"garoupa/webhook"
)

// What endpoints receive is what is described, body and headers.
func TestOpenAPI_Events(t *testing.T) {
	t.Parallel()
	d := newDescribed(t, api.Limits{})
	d.Endpoint(t, "https://shop.example/hook")
	made := d.create(t, everything).id(t)
	expiring := d.create(t, with()).id(t)
	if err := d.SimulatePayment(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	if err := d.SimulateExpiry(t.Context(), expiring); err != nil {
		t.Fatal(err)
	}
	var events []struct{ ID, Type, Body string }
	if err := d.DB.Raw("SELECT id, type, body FROM events").Scan(&events).Error; err != nil {
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
	if len(events) != 4 || len(seen) != len(d.doc.Webhooks) {
		t.Errorf("%d events of the types %v", len(events), seen)
	}
}

// checkDelivery sends an event as the worker does and holds its headers to the
// description.
func checkDelivery(t *testing.T, operation *openapi3.Operation, eventID, body string, at time.Time) {
	t.Helper()
	var received http.Header
	shop := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { received = r.Header }))
	defer shop.Close()
	outcome := webhook.NewClient(webhook.Options{AllowPrivate: true}).Post(t.Context(), webhook.Attempt{
		URL: shop.URL, Secret: "new", PreviousSecret: "old", EventID: eventID, Number: 2, At: at, Body: []byte(body),
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
		if strings.HasPrefix(name, "X-Svc-") && !slices.Contains(told, strings.ToLower(name)) {
			t.Errorf("%s is sent and not described", name)
		}
	}
}
