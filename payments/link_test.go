package payments_test

import (
	"bytes"
	"regexp"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"garoupa/banks/bankstest"
	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

func product(t *testing.T, g *paymentstest.Gateway, scope models.Scope) *models.Product {
	t.Helper()
	p, err := g.Merchants.CreateProduct(t.Context(), g.Owner, scope,
		merchants.ProductForm{Slug: "vaso", Name: "Vaso", Amount: 1249_90, PaymentCycle: "ONE_TIME"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func newLink(key string) payments.NewPaymentLink {
	return payments.NewPaymentLink{ProductSlug: "vaso", ExpiresIn: 30 * time.Minute, IdempotencyKey: key,
		RequestHash: bytes.Repeat([]byte("h"), 32)}
}

func TestCreatePaymentLink(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	if _, _, err := g.CreatePaymentLink(t.Context(), g.Test, g.Account,
		newLink("k")); refusal.Of(err).Code != refusal.ProductNotFound {
		t.Errorf("without a product: %v", err)
	}
	p := product(t, g, g.Test)

	// Ten concurrent requests with one key create one link.
	ids := make([]string, 10)
	var made atomic.Int32
	var group errgroup.Group
	for i := range ids {
		group.Go(func() error {
			l, created, err := g.CreatePaymentLink(t.Context(), g.Test, g.Account, newLink("k"))
			if err != nil {
				return err
			}
			if ids[i] = l.ID; created {
				made.Add(1)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if id != ids[0] || !regexp.MustCompile(`^plink_[0-9a-f]{16}$`).MatchString(id) {
			t.Fatalf("ids %v", ids)
		}
	}
	if made.Load() != 1 || count(t, g, "payment_links") != 1 {
		t.Errorf("created is true for %d requests; there are %d links", made.Load(), count(t, g, "payment_links"))
	}
	if want := "plink_" + g.Vault.Digest(g.Test.ProjectID, "test", "k")[:16]; ids[0] != want {
		t.Errorf("id %s is not derived from its key: want %s", ids[0], want)
	}

	other := newLink("k")
	other.RequestHash = bytes.Repeat([]byte("x"), 32)
	if _, _, err := g.CreatePaymentLink(t.Context(), g.Test, g.Account,
		other); refusal.Of(err).Code != refusal.IdempotencyConflict {
		t.Errorf("another body: %v", err)
	}
	off := merchants.ProductForm{Name: p.Name, Amount: p.Amount, PaymentCycle: p.PaymentCycle}
	if err := g.Merchants.UpdateProduct(t.Context(), g.Owner, g.Test, "vaso", off); err != nil {
		t.Fatal(err)
	}
	if _, _, err := g.CreatePaymentLink(t.Context(), g.Test, g.Account,
		newLink("k2")); refusal.Of(err).Code != refusal.ProductNotFound {
		t.Errorf("with a product that is off: %v", err)
	}
	if l, created, err := g.CreatePaymentLink(t.Context(), g.Test, g.Account, newLink("k")); err != nil || created ||
		l.ID != ids[0] {
		t.Errorf("a retry after the product was turned off: %v, %v", created, err)
	}
	if _, _, err := g.CreatePaymentLink(t.Context(), g.Live, g.Account,
		newLink("k")); refusal.Of(err).Code != refusal.Forbidden {
		t.Errorf("in live before the approval: %v", err)
	}
}

// A link charges the product's current price.
func TestUsePaymentLink(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	p := product(t, g, g.Test)
	link, _, err := g.CreatePaymentLink(t.Context(), g.Test, g.Account, newLink("k"))
	if err != nil {
		t.Fatal(err)
	}
	change := merchants.ProductForm{Name: "Vaso azul", Amount: 99_00, PaymentCycle: p.PaymentCycle, Active: true}
	if err := g.Merchants.UpdateProduct(t.Context(), g.Owner, g.Test, "vaso", change); err != nil {
		t.Fatal(err)
	}
	c, err := g.UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{})
	if err != nil || c.Amount != 99_00 || c.Description != "Vaso azul" || c.ExternalID != link.ID ||
		string(c.Metadata) != `{"paymentLinkId":"`+link.ID+`","productId":"vaso"}` ||
		!c.ExpiresAt.Equal(c.CreatedAt.Add(30*time.Minute)) {
		t.Errorf("made %+v, %v", c, err)
	}

	if _, err := g.RenewCheckout(t.Context(), c.ID); refusal.Of(err).Code != refusal.CheckoutNotFound {
		t.Errorf("a pending checkout was renewed: %v", err)
	}
	if err := g.SimulateExpiry(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	if again, err := g.RenewCheckout(t.Context(), c.ID); err != nil || again.ID == c.ID ||
		*again.PaymentLinkID != link.ID {
		t.Errorf("renewed: %+v, %v", again, err)
	}

	for name, change := range map[string]string{
		"product off":       "UPDATE products SET active = false",
		"link off":          "UPDATE payment_links SET active = false",
		"account suspended": "UPDATE accounts SET suspended = true",
		"account blocked":   "UPDATE accounts SET live_blocked = true",
	} {
		modelstest.Exec(t, g.DB, "UPDATE products SET active = true")
		modelstest.Exec(t, g.DB, "UPDATE payment_links SET active = true")
		modelstest.Exec(t, g.DB, "UPDATE accounts SET suspended = false, live_blocked = false")
		if _, err := g.UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{}); err != nil {
			t.Fatalf("before %s: %v", name, err)
		}
		before := count(t, g, "checkouts")
		modelstest.Exec(t, g.DB, change)
		if _, err := g.UsePaymentLink(t.Context(), link.ID,
			payments.LinkChoice{}); refusal.Of(err).Code != refusal.PaymentLinkNotFound {
			t.Errorf("%s: %v", name, err)
		}
		if count(t, g, "checkouts") != before {
			t.Errorf("%s: a checkout was created", name)
		}
	}
}

// A buyer's form creates one checkout, at any instance and however often it is sent. Its key
// does not collide with keys of API clients.
func TestUsePaymentLink_Form(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	product(t, g, g.Test)
	link, _, err := g.CreatePaymentLink(t.Context(), g.Test, g.Account, newLink("k"))
	if err != nil {
		t.Fatal(err)
	}
	instances := []*payments.Service{g.Service, payments.New(g.Options)}
	ids := make([]string, 20)
	var group errgroup.Group
	for i := range ids {
		group.Go(func() error {
			c, err := instances[i%2].UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{Form: "form"})
			if err == nil {
				ids[i] = c.ID
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if len(slices.Compact(ids)) != 1 || count(t, g, "checkouts") != 1 {
		t.Errorf("one form created %v", ids)
	}
	var key string
	if err := g.DB.Pool.QueryRow(t.Context(), `SELECT key FROM idempotency_keys
		WHERE operation = 'link_checkout'`).Scan(&key); err != nil {
		t.Fatal(err)
	}
	if c := g.Checkout(t, payments.NewCheckout{IdempotencyKey: key}); c.ID == ids[0] {
		t.Error("a client's key returned a buyer's checkout")
	}
}

// A link whose amounts the account may not charge would sell nothing, so it is refused when it is made. Part of an open
// amount is enough.
func TestCreatePaymentLink_OutOfBounds(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	p := product(t, g, g.Test)
	least, most := g.Bounds(g.Account)
	modelstest.Exec(t, g.DB, "UPDATE products SET amount = $1", most+1)
	made := func(key string, open *models.Range) error {
		in := newLink(key)
		in.OpenAmount = open
		_, _, err := g.CreatePaymentLink(t.Context(), g.Test, g.Account, in)
		return err
	}
	refused(t, "a price above the bounds", made("a", nil), refusal.InvalidRequestBody)
	refused(t, "an open amount above them", made("b", &models.Range{Min: most + 1, Max: most + 2}),
		refusal.InvalidRequestBody)
	if err := made("c", &models.Range{Min: most, Max: most + 2}); err != nil {
		t.Errorf("an open amount that begins at the most: %v", err)
	}
	modelstest.Exec(t, g.DB, "UPDATE products SET amount = $1", most)
	if err := made("a", nil); err != nil || least > p.Amount {
		t.Errorf("the most: %v", err)
	}
}

// A form whose charge is not open any more sells once more, however often it is sent at once, to whatever instance, and
// a renewal beside it leads to the same charge. So it is each time, for the last unit as well.
func TestUsePaymentLink_FormAgain(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	product(t, g, g.Test)
	instances := []*payments.Service{g.Service, payments.New(g.Options)}
	for name, ends := range map[string]func(id string) error{
		"expired":   func(id string) error { return g.SimulateExpiry(t.Context(), id) },
		"cancelled": func(id string) error { return g.CancelCheckout(t.Context(), g.Owner, g.Test, id) },
	} {
		link := linkWith(t, g, g.Test, models.LinkTerms{Stock: new(1)})
		use := func(from *payments.Service) (*models.Checkout, error) {
			return from.UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{Form: name, Quantity: 1})
		}
		first, err := use(g.Service)
		if err != nil {
			t.Fatal(err)
		}
		for last, turn := first.ID, 2; turn < 5; turn++ {
			if err := ends(last); err != nil {
				t.Fatal(err)
			}
			ids := make([]string, 6)
			var group errgroup.Group
			for i := range ids {
				group.Go(func() error {
					c, err := use(instances[i%2])
					if name == "expired" && i > 2 {
						c, err = instances[i%2].RenewCheckout(t.Context(), first.ID)
					}
					if err == nil {
						ids[i] = c.ID
					}
					return err
				})
			}
			if err := group.Wait(); err != nil {
				t.Fatalf("%s: turn %d: %v", name, turn, err)
			}
			if same := slices.Compact(ids); len(same) != 1 || same[0] == last {
				t.Errorf("%s: turn %d: one form has the charges %v after %s", name, turn, ids, last)
			}
			units(t, g, link, 0, 1, 0, 0)
			if n := modelstest.One[int](t, g.DB, "SELECT count(*) FROM checkouts WHERE payment_link_id = $1",
				link.ID); n != turn {
				t.Errorf("%s: turn %d: %d charges", name, turn, n)
			}
			last = ids[0]
		}
	}
}

// At a bank, a form that sells the last unit once more makes one charge, although it is sent several times at once.
func TestUsePaymentLink_FormAgainAtBank(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	product(t, h.Gateway, h.Live)
	link := linkWith(t, h.Gateway, h.Live, models.LinkTerms{Stock: new(1)})
	use := func() (*models.Checkout, error) {
		return h.UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{Form: "one"})
	}
	first, err := use()
	if err != nil {
		t.Fatal(err)
	}
	h.Later(30 * time.Minute)
	h.Tend(t)
	if n := expireDue(t, h); n != 1 {
		t.Fatalf("%d checkouts expired", n)
	}
	ids := make([]string, 4)
	var group errgroup.Group
	for i := range ids {
		group.Go(func() error {
			c, err := use()
			if err == nil {
				ids[i] = c.ID
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if same := slices.Compact(ids); len(same) != 1 || same[0] == first.ID {
		t.Errorf("one form has the charges %v after %s", ids, first.ID)
	}
	states := modelstest.One[string](t, h.DB, "SELECT string_agg(status, ' ' ORDER BY status) FROM bank_charges")
	if states != "LAPSED OPEN" {
		t.Errorf("the charges at the bank are %s", states)
	}
}

// A form that has sold often goes on: then each press makes a charge.
func TestUsePaymentLink_FormOften(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	product(t, g, g.Test)
	link := linkWith(t, g, g.Test, models.LinkTerms{})
	seen := map[string]bool{}
	for range 13 {
		c, err := g.UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{Form: "one"})
		if err != nil || seen[c.ID] {
			t.Fatalf("%+v, %v after %v", c, err, seen)
		}
		seen[c.ID] = true
		if err := g.SimulateExpiry(t.Context(), c.ID); err != nil {
			t.Fatal(err)
		}
	}
}

// A charge is renewed from the moment when its time is over, and holds its units until it has expired.
func TestRenewCheckout_Pending(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	product(t, g, g.Test)
	link := linkWith(t, g, g.Test, models.LinkTerms{Stock: new(1)})
	first, err := g.UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{})
	if err != nil {
		t.Fatal(err)
	}
	g.Clock.Advance(first.ExpiresAt.Sub(g.Clock.Now()))
	_, err = g.RenewCheckout(t.Context(), first.ID)
	if is, held := soldOut(err); !is || !held {
		t.Errorf("while it holds the last unit: %v", err)
	}
	if n, err := g.ExpireDue(t.Context()); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if again, err := g.RenewCheckout(t.Context(), first.ID); err != nil || again.ID == first.ID {
		t.Errorf("renewed: %+v, %v", again, err)
	}
	units(t, g, link, 0, 1, 0, 0)
}
