package server_test

import (
	"runtime"
	"testing"

	"garoupa/internal/faulttest"
	"garoupa/internal/server"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// A connection that is cut during a request is an outage, and a creation with an
// idempotency key happens once.
func TestOutage_CutAtTheCommit(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	proxy := faulttest.NewProxy(t, address(g))
	base := "http://" + listen(t, newSiteThrough(t, g, proxy.URL(), func(*server.Options) {}))
	link, product := g.Key(t, g.Test, models.Permissions...), merchants.ProductForm{
		Slug: "vaso", Name: "Vaso", Amount: 100, PaymentCycle: "ONE_TIME",
	}
	if _, err := g.Merchants.CreateProduct(t.Context(), g.Owner, g.Test, product); err != nil {
		t.Fatal(err)
	}
	// The first use of a key from an address is recorded beside the request, in a transaction of its own.
	call(base, link, "", "/v1/balance", "")
	for modelstest.One[int](t, g.DB,
		"SELECT count(*) FROM audit_log WHERE action = 'api_key.used_from_new_address'") == 0 {
		runtime.Gosched()
	}
	proxy.LoseAnswers(1, "commit")
	const body = `{"productId":"vaso"}`
	first := call(base, link, "k", "/v1/payment-links", body)
	again := call(base, link, "k", "/v1/payment-links", body)
	if proxy.Lost() > 0 && !first.isOutage() || again.status != 200 && again.status != 201 {
		t.Errorf("lost %d answers: %d %s, then %d %s", proxy.Lost(), first.status, first.body, again.status, again.body)
	}
}
