package payload_test

import (
	"testing"
	"time"

	"garoupa/internal/payload"
	"garoupa/models"
)

// A body without its buyer is that of a charge without one, whatever texts imitate.
func TestWithoutBuyer(t *testing.T) {
	t.Parallel()
	name, email := `x","customer":{"name":"y"}`, "carla@example.com"
	c := models.Checkout{ID: "chk_1", Description: `"customer":{"name":null} "metadata":{}`, ExternalID: "x",
		CustomerName: &name, CustomerEmail: &email, Metadata: []byte(`{"customer":"{}","metadata":"{}"}`)}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	body := func(c models.Checkout) string {
		return string(payload.AppendEvent(nil, "evt_1", models.EventCheckoutPaid, at, &c, "https://pay.example"))
	}
	without := c
	without.CustomerName, without.CustomerEmail = nil, nil
	for keep, want := range map[bool]string{true: body(without), false: func() string {
		without.Metadata = []byte("{}")
		return body(without)
	}()} {
		got, err := payload.WithoutBuyer([]byte(body(c)), keep)
		if err != nil || string(got) != want {
			t.Errorf("keeping metadata %t: %s, %v; want %s", keep, got, err, want)
		}
	}
	for _, wrong := range []string{"", "{}", `{"data":{"checkout":{"customer":null,"metadata":{}}}}`} {
		if got, err := payload.WithoutBuyer([]byte(wrong), false); err == nil {
			t.Errorf("%q gives %s", wrong, got)
		}
	}
}
