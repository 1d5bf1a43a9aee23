package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"garoupa/api"
	"garoupa/models"
	"garoupa/models/modelstest"
)

// edge is a value at the edge of a rule, and whether it is accepted.
type edge struct {
	member, value string
	want          bool
}

// edges are values about which a description and a program easily differ.
var edges = map[string][]edge{
	"NewCheckout": {
		{"description", "\u200e\u05d0", true}, {"description", "a\u2028b", true}, {"description", "a\nb", true},
		{"description", "\ufeff", false}, {"description", "\u200b", false}, {"description", "\u3164 \u2800", false},
		{"description", "\ufe0f", false}, {"description", "a\u202eb", false}, {"description", "a\u2069", false},
		{"description", "a\tb", false}, {"description", " ", false}, {"description", "\u0600", true},
		{"description", "🐟", true}, {"description", strings.Repeat("ã", 500), true},
		{"description", strings.Repeat("ã", 501), false},

		{"externalId", "a\u200bb", false}, {"externalId", "a\u202eb", false}, {"externalId", "a\u3000b", false},
		{"externalId", "a\u00a0b", false}, {"externalId", "a\u00adb", false}, {"externalId", "a b", true},
		{"externalId", "pedido nº 1 / ü 🐟", true}, {"externalId", "\ue000\u0378", true},
		{"externalId", "a\u2028b", false},
		{"externalId", " ", true}, {"externalId", "", false}, {"externalId", strings.Repeat("ã", 255), true},
		{"externalId", strings.Repeat("ã", 256), false},

		{"customer.name", "\u200eעדי", true}, {"customer.name", "\u200b", false}, {"customer.name", "a\nb", false},
		{"customer.name", " Ana ", true}, {"customer.name", strings.Repeat("ã", 201), false},
		{"customer.document", " 12", false}, {"customer.document", "1 2", true}, {"customer.document", "12", false},
		{"customer.document", "\u200b\u200b\u200b", false}, {"customer.document", "\u200b1\u200b", true},
		{"customer.document", " 123 ", true}, {"customer.document", "1\t23", false},
		{"customer.document", strings.Repeat("1", 33), false},
		{"customer.phone", "       1", false}, {"customer.phone", "1       ", false},
		{"customer.phone", "(11) 9-8", true},
		{"customer.phone", "+()-+()-", false}, {"customer.phone", "1234567", false},
		{"customer.phone", "12345678", true},
		{"customer.email", "josé@exemplo.com.br", true}, {"customer.email", "a@localhost", true},
		{"customer.email", "a..b@x.example", false}, {"customer.email", ".a@x.example", false},
		{"customer.email", "a@x..example", false}, {"customer.email", "a b@x.example", false},
		{"customer.email", `"a b"@x.example`, false}, {"customer.email", "a@x.example, b@x.example", false},
		{"customer.email", "Ana <a@x.example>", false}, {"customer.email", "a\u200b@x.example", false},
		{"customer.email", "a!#$%&'*+-/=?^_`{|}~@x.example", true}, {"customer.email", "a@", false},
		{"customer.email", strings.Repeat("é", 244) + "@x.example", true},
		{"customer.email", strings.Repeat("é", 245) + "@x.example", false},

		{"metadata.a\nb", "x", false}, {"metadata.\u202e", "x", false}, {"metadata.\u200b", "x", true},
		{"metadata." + strings.Repeat("ã", 41), "x", false}, {"metadata.a", "\x00", false},
		{"metadata.a", "\x01\n", true},
		{"metadata.a", strings.Repeat("ã", 501), false},
	},
	"NewPaymentLink": {
		{"productId", "vaso", true}, {"productId", "va\tso", false}, {"productId", "va\u202eso", false},
		{"successUrl", "", true}, {"successUrl", "https://a.b/ok?id={CHECKOUT_ID}", true},
		{"successUrl", "https://a.b/é", true},
		{"successUrl", "HTTP://A", true}, {"successUrl", "https://?x", false}, {"successUrl", "https://", false},
		{"successUrl", "https://a.b/\u202e", false}, {"successUrl", "https://a.b/%zz", false},
		{"successUrl", "https://a.b/?x=%zz", true}, {"successUrl", "https://a.b/#%zz", false},
		{"successUrl", "https://a.b/#x/y?z", true}, {"successUrl", "https://a.b?x/y", true},
		{"successUrl", "https://a b.c/", false}, {"successUrl", "https://a.b/x y", true},
		{"successUrl", "https://ana@a.b", false}, {"successUrl", "https://a.b:80/x", true},
		{"successUrl", "https://a.b:8x/", false}, {"successUrl", "https://{CHECKOUT_ID}.b/", false},
		{"successUrl", `https://a.b\c`, false}, {"successUrl", "ftp://a.b", false}, {"successUrl", "//a.b", false},
		{"successUrl", "https:a.b", false}, {"successUrl", "https://ação.example:/", true},
	},
	"NewRefund": {
		{"checkoutId", "chk_\u202e", false}, {"reason", "\u200b", false}, {"reason", "\u2060", false},
		{"reason", "a\nb", false},
	},
	"NewReplay": {
		{"from", "2026-11-20t12:00:00z", false}, {"from", "2026-11-20T12:00:60Z", false}, {"from", "2026-11-20", false},
		{"from", "2026-11-20T12:00:00-03:00", true}, {"from", "2026-11-20T12:00:00.123456789Z", true},
		{"only", "none", false}, {"endpointId", "we_\u202e", false},
	},
}

// edgeBody returns a body that is valid except for what an edge changes.
func edgeBody(schema string, e edge) map[string]any {
	body := map[string]map[string]any{
		"NewCheckout":    {"amount": 100, "description": "x", "externalId": "x"},
		"NewPaymentLink": {"productId": "vaso"},
		"NewRefund":      {"checkoutId": "chk_0"},
		"NewReplay":      {"endpointId": "we_0", "from": "2026-11-20T12:00:00Z", "to": "2026-11-20T15:30:00Z"},
	}[schema]
	outer, inner, nested := strings.Cut(e.member, ".")
	switch {
	case !nested:
		body[e.member] = e.value
	case outer == "customer":
		customer := map[string]any{"name": "Ana", "document": "123"}
		customer[inner] = e.value
		body[outer] = customer
	default:
		body[outer] = map[string]any{inner: e.value}
	}
	return body
}

// What the description allows the service accepts, and what it forbids is refused, at the edges of
// every text.
func TestOpenAPI_Edges(t *testing.T) {
	t.Parallel()
	d := newDescribed(t, api.Limits{})
	d.product(t)
	id := modelstest.One[string](t, d.DB, "SELECT id FROM api_keys")
	for _, of := range []models.KeySwitch{models.KeyRefunds, models.KeyEvents} {
		if err := d.Merchants.SetKeySwitch(t.Context(), d.Owner, d.Test, id, of, true); err != nil {
			t.Fatal(err)
		}
	}
	calls := map[string]string{"NewCheckout": "/v1/checkouts", "NewPaymentLink": "/v1/payment-links",
		"NewRefund": "/v1/refunds", "NewReplay": "/v1/events/replay"}
	for schema, all := range edges {
		for i, e := range all {
			body := jsonText(t, edgeBody(schema, e))
			var value any
			if err := json.Unmarshal([]byte(body), &value); err != nil {
				t.Fatal(err)
			}
			problem := d.doc.Components.Schemas[schema].Value.VisitJSON(value)
			if name, named := strings.CutPrefix(e.member, "metadata."); named && problem == nil {
				// The library does not look at names.
				metadata := d.doc.Components.Schemas[schema].Value.Properties["metadata"].Value
				problem = metadata.PropertyNames.Value.VisitJSON(name)
			}
			if problem == nil != e.want {
				t.Errorf("%s.%s %.60q is described as allowed: %v (%.200v)", schema, e.member, e.value,
					problem == nil, problem)
			}
			a := d.send(t, "POST", calls[schema], body, as(d.key, "Idempotency-Key", fmt.Sprint(schema, i))...)
			if a.status == http.StatusForbidden || a.status != http.StatusBadRequest != e.want {
				t.Errorf("%s.%s %.60q is answered by %d %s", schema, e.member, e.value, a.status, a.body)
			}
		}
	}
	for value, want := range map[string]bool{"x": true, " ": false, "a\u202e": false, "á": true} {
		parameter := d.doc.Paths.Value("/v1/payment-links").Post.Parameters.GetByInAndName("header", "Idempotency-Key")
		if problem := parameter.Schema.Value.VisitJSONString(value); problem == nil != want {
			t.Errorf("the Idempotency-Key %q is described as allowed: %v", value, problem == nil)
		}
		if a := d.send(t, "POST", "/v1/payment-links", goodLink, as(d.key, "Idempotency-Key", value)...); a.status !=
			http.StatusBadRequest != want {
			t.Errorf("the Idempotency-Key %q is answered by %d %s", value, a.status, a.body)
		}
	}
}
