package jobs_test

import (
	"net/http"
	"strings"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"garoupa/payments"
	"garoupa/webhook"
)

// During a rotation both secrets sign. After the old secret is retired, only the new one
// signs.
func TestDeliverWebhook_Rotated(t *testing.T) {
	t.Parallel()
	g := newGateway(t, quick...)
	r := newReceiver(t, answers(http.StatusOK))
	e, first := g.Endpoint(t, r.url)
	g.start(t)
	signed := func(secret, previous string) {
		t.Helper()
		g.checkout(t, payments.NewCheckout{})
		p := r.next(t)
		want := ""
		if previous != "" {
			want = webhook.Sign(previous, p.body)
		}
		if p.header.Get("x-svc-signature") != webhook.Sign(secret, p.body) ||
			p.header.Get("x-svc-signature-previous") != want {
			t.Errorf("signature %q, previous signature %q", p.header.Get("x-svc-signature"),
				p.header.Get("x-svc-signature-previous"))
		}
		for _, known := range []string{secret, previous} {
			if library, err := standardwebhooks.NewWebhook(known); known != "" &&
				(err != nil || library.Verify(p.body, p.header) != nil) {
				t.Errorf("webhook-signature is %q, of neither secret, %v", p.header.Get("webhook-signature"), err)
			}
		}
		if n := strings.Count(p.header.Get("webhook-signature"), "v1,"); n != 1 && previous == "" {
			t.Errorf("%d signatures without a previous secret", n)
		}
	}
	signed(first, "")
	second, err := g.Merchants.RotateSecret(t.Context(), g.Owner, g.Test, e.ID, first[len(first)-4:])
	if err != nil {
		t.Fatal(err)
	}
	signed(second, first)
	if err := g.Merchants.RetirePreviousSecret(t.Context(), g.Owner, g.Test, e.ID); err != nil {
		t.Fatal(err)
	}
	signed(second, "")
}
