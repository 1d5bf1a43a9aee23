package api_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image/png"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/payments/paymentstest"
	"garoupa/pix"
)

// everything is a body with all members.
var everything = with(
	"currency", `"BRL"`,
	"customer",
	`{"name":" Bia Souza ","email":"bia@exemplo.com.br","document":"123.456.789-09","phone":"+55 (11) 98765-4321"}`,
	"metadata", `{"pedido":"42","canal":"loja \"azul\""}`,
	"expiresIn", `3600`,
)

// The answer has exactly the members of contract 2.3, each with its described value.
func TestCreateCheckout_Shape(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	made := s.create(t, everything)
	if made.status != 201 || made.header.Get("Content-Type") != "application/json" {
		t.Fatalf("got %d, %s, %s", made.status, made.header.Get("Content-Type"), made.body)
	}
	got := plain(t, made.body)
	code, image := checkPix(t, got)
	id, _ := got["id"].(string)
	if !regexp.MustCompile(`^chk_[0-9a-f]{20}$`).MatchString(id) {
		t.Errorf("the id is %q", id)
	}
	want := map[string]any{
		"id": id, "livemode": false, "status": "PENDING", "amount": json.Number("4990"), "currency": "BRL",
		"description": "Vaso Lua Nova", "externalId": "pedido-1",
		"checkoutUrl": paymentstest.CheckoutURL + "/pay/" + id,
		"createdAt":   "2026-03-01T12:00:00.000Z", "expiresAt": "2026-03-01T13:00:00.000Z", "paidAt": nil,
		"customer":   map[string]any{"name": "Bia Souza", "email": "bia@exemplo.com.br", "document": "123.456.789-09"},
		"pix":        map[string]any{"copyPaste": code, "qrCodeUrl": image},
		"settlement": map[string]any{"currency": "BRL", "status": "PENDING", "amount": nil},
		"metadata":   map[string]any{"pedido": "42", "canal": `loja "azul"`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if strings.Contains(strings.ReplaceAll(made.body, "-", ""), "987654321") {
		t.Error("the answer contains the phone number")
	}

	s.Clock.Advance(time.Minute)
	if err := s.SimulatePayment(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	want["status"], want["paidAt"] = "PAID", "2026-03-01T12:01:00.000Z"
	paid := s.send(t, "GET", "/v1/checkouts/"+id, "", "Authorization", "Bearer "+s.key)
	if diff := cmp.Diff(want, plain(t, paid.body)); diff != "" || paid.status != 200 {
		t.Errorf("read after the payment: %d (-want +got)\n%s", paid.status, diff)
	}
}

// Absent values are null, and the metadata an empty object.
func TestCreateCheckout_Absent(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for name, body := range map[string]string{
		"absent": with(),
		"null":   with("currency", "null", "customer", "null", "metadata", "null", "expiresIn", "null"),
	} {
		made := s.create(t, body)
		for from, a := range map[string]answer{
			"made": made,
			"read": s.send(t, "GET", "/v1/checkouts/"+made.id(t), "", "Authorization", "Bearer "+s.key),
		} {
			got := plain(t, a.body)
			nobody := map[string]any{"name": nil, "email": nil, "document": nil}
			if diff := cmp.Diff(nobody, got["customer"]); diff != "" {
				t.Errorf("%s, %s: customer (-want +got)\n%s", name, from, diff)
			}
			if diff := cmp.Diff(map[string]any{}, got["metadata"]); diff != "" {
				t.Errorf("%s, %s: metadata (-want +got)\n%s", name, from, diff)
			}
			if got["currency"] != "BRL" || got["expiresAt"] != "2026-03-01T12:30:00.000Z" {
				t.Errorf("%s, %s: %v until %v", name, from, got["currency"], got["expiresAt"])
			}
		}
	}
}

// A live checkout has livemode true, and its QR image has an address.
func TestCreateCheckout_Live(t *testing.T) {
	t.Parallel()
	bank := &institution{}
	s := newSiteWith(t, bank)
	bank.Provider = s.Simulator
	s.Approve(t)
	key := s.Key(t, s.Live, "CHECKOUT:CREATE")
	made := s.send(t, "POST", "/v1/checkouts", with(), "Authorization", "Bearer "+key)
	if made.status != 201 {
		t.Fatalf("got %d %s", made.status, made.body)
	}
	got := plain(t, made.body)
	image := paymentstest.CheckoutURL + "/qr/" + made.id(t) + ".png"
	if got["livemode"] != true || got["pix"].(map[string]any)["qrCodeUrl"] != image {
		t.Errorf("got %s", made.body)
	}
}

// checkPix reads and returns the code and the image of a test checkout.
func checkPix(t *testing.T, checkout map[string]any) (code, image string) {
	t.Helper()
	members, _ := checkout["pix"].(map[string]any)
	code, _ = members["copyPaste"].(string)
	image, _ = members["qrCodeUrl"].(string)
	if parsed, err := pix.Parse(code); err != nil || parsed.Amount != 4990 {
		t.Errorf("the code %q is decoded as %+v, %v", code, parsed, err)
	}
	raw, embedded := strings.CutPrefix(image, "data:image/png;base64,")
	file, err := base64.StdEncoding.DecodeString(raw)
	if !embedded || err != nil {
		t.Fatalf("the image %.40q: %v", image, err)
	}
	if _, err := png.Decode(bytes.NewReader(file)); err != nil {
		t.Errorf("the image: %v", err)
	}
	return code, image
}

// plain decodes an object, and keeps numbers as text.
func plain(t testing.TB, body string) map[string]any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	var got map[string]any
	if err := d.Decode(&got); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return got
}
