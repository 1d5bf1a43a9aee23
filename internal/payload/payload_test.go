package payload_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/internal/money"
	"garoupa/internal/payload"
	"garoupa/models"
)

// The contract's shapes for encoding/json. Our encoders must produce the same bytes.
type (
	checkout struct {
		ID          string            `json:"id"`
		Livemode    bool              `json:"livemode"`
		Status      string            `json:"status"`
		Amount      int64             `json:"amount"`
		Currency    string            `json:"currency"`
		Description string            `json:"description"`
		ExternalID  string            `json:"externalId"`
		CheckoutURL string            `json:"checkoutUrl"`
		CreatedAt   string            `json:"createdAt"`
		ExpiresAt   string            `json:"expiresAt"`
		PaidAt      *string           `json:"paidAt"`
		Customer    customer          `json:"customer"`
		Pix         pix               `json:"pix"`
		Settlement  settlement        `json:"settlement"`
		Metadata    map[string]string `json:"metadata"`
	}
	customer struct {
		Name     *string `json:"name"`
		Email    *string `json:"email"`
		Document *string `json:"document"`
	}
	pix struct {
		CopyPaste string `json:"copyPaste"`
		QRCodeURL string `json:"qrCodeUrl"`
	}
	settlement struct {
		Currency string  `json:"currency"`
		Status   string  `json:"status"`
		Amount   *string `json:"amount"`
	}
	event struct {
		ID        string `json:"id"`
		Type      string `json:"type"`
		CreatedAt string `json:"createdAt"`
		Livemode  bool   `json:"livemode"`
		Data      struct {
			Checkout checkout `json:"checkout"`
		} `json:"data"`
	}
)

var at = time.Date(2026, 11, 20, 12, 0, 0, 123_456_789, time.FixedZone("", -3*3600))

func pending() (models.Checkout, checkout) {
	return models.Checkout{
			ID: "chk_0123456789abcdef0123", Status: models.CheckoutPending, Amount: 1250,
			Description: "Café <b>& \"pão\"\n\\ 🐟\u2028\x7f", ExternalID: "order-1", Metadata: []byte(`{}`),
			CopyPaste: "000201", QRPNG: []byte("png"), CreatedAt: at, ExpiresAt: at.Add(time.Hour),
			SettlementStatus: models.SettlementPending,
		}, checkout{
			ID: "chk_0123456789abcdef0123", Status: "PENDING", Amount: 1250, Currency: "BRL",
			Description: "Café <b>& \"pão\"\n\\ 🐟\u2028\x7f", ExternalID: "order-1",
			CheckoutURL: "https://pay.example/pay/chk_0123456789abcdef0123",
			CreatedAt:   "2026-11-20T15:00:00.123Z", ExpiresAt: "2026-11-20T16:00:00.123Z",
			Pix:        pix{CopyPaste: "000201", QRCodeURL: "data:image/png;base64,cG5n"},
			Settlement: settlement{Currency: "BRL", Status: "PENDING"}, Metadata: map[string]string{},
		}
}

func settled() (models.Checkout, checkout) {
	c, want := pending()
	name, email, document, net := "Ana", "ana@example.com", "123", money.Cents(1238)
	paid, paidAt, amount := at.Add(time.Minute), "2026-11-20T15:01:00.123Z", "12.38"
	c.Environment, c.Status, c.PaidAt = models.Live, models.CheckoutPaid, &paid
	c.CustomerName, c.CustomerEmail, c.CustomerDocument, c.CustomerPhone = &name, &email, &document, []byte("+55")
	c.SettlementStatus, c.SettlementAmount = models.SettlementAvailable, &net
	c.Metadata = []byte(`{"a":"1","b":"2"}`)
	want.Livemode, want.Status, want.PaidAt = true, "PAID", &paidAt
	want.Customer = customer{Name: &name, Email: &email, Document: &document}
	want.Pix.QRCodeURL = "https://pay.example/qr/chk_0123456789abcdef0123.png"
	want.Settlement = settlement{Currency: "BRL", Status: "AVAILABLE", Amount: &amount}
	want.Metadata = map[string]string{"a": "1", "b": "2"}
	return c, want
}

func plain(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSpace(b.Bytes()))
}

func TestAppendCheckout(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string]func() (models.Checkout, checkout){"pending in test": pending,
		"settled in live": settled} {
		c, want := pair()
		got := payload.AppendCheckout(nil, &c, "https://pay.example")
		if diff := cmp.Diff(plain(t, want), string(got)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

func TestAppendEvent(t *testing.T) {
	t.Parallel()
	c, shape := settled()
	want := event{ID: "evt_1", Type: "checkout.paid", CreatedAt: "2026-11-20T15:00:00.123Z", Livemode: true}
	want.Data.Checkout = shape
	got := payload.AppendEvent(nil, "evt_1", "checkout.paid", at, &c, "https://pay.example")
	if diff := cmp.Diff(plain(t, want), string(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAppendError(t *testing.T) {
	t.Parallel()
	got := string(payload.AppendError(nil, "auth_error", "unauthorized", `No "key".`, "req_1"))
	want := `{"error":{"type":"auth_error","code":"unauthorized","message":"No \"key\".","requestId":"req_1"}}`
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "a\"b\\", "\x00\x1f\x7f", "\xff\xc0", "\u2028\u2029", "🐟"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := string(payload.AppendString(nil, s)), plain(t, s); got != want {
			t.Errorf("AppendString(%q) = %s, want %s", s, got, want)
		}
	})
}

func BenchmarkAppendCheckout(b *testing.B) {
	c, _ := settled()
	buf := make([]byte, 0, 2048)
	b.ReportAllocs()
	for b.Loop() {
		buf = payload.AppendCheckout(buf[:0], &c, "https://pay.example")
	}
}
