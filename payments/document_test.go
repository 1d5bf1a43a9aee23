package payments_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

const buyerDocument = "529.982.247-25"

// withDocument creates a charge of a customer with the document.
func withDocument(t *testing.T, g *paymentstest.Gateway) *models.Checkout {
	t.Helper()
	name, document := "Carla Menezes", buyerDocument
	return g.Checkout(t, payments.NewCheckout{Customer: payments.Customer{Name: &name, Document: &document}})
}

// A customer's document lies in no column in plain, except in the bodies of events, which must be sent as they were
// written. Charges, lists and events show it all the same.
func TestDocument_Sealed(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	c := withDocument(t, g)
	if err := g.ConfirmPayment(t.Context(), models.Test, simulator.Pay(c.TxID, int64(c.Amount),
		g.Clock.Now())); err != nil {
		t.Fatal(err)
	}
	for _, column := range modelstest.Holding(t, g.DB, buyerDocument, "52998224725") {
		if !strings.HasPrefix(column, "events_") || !strings.HasSuffix(column, ".body") {
			t.Errorf("%s holds the document", column)
		}
	}
	read, err := g.Service.Checkout(t.Context(), g.Test, c.ID)
	if err != nil || read.CustomerDocument == nil || *read.CustomerDocument != buyerDocument {
		t.Errorf("read as %+v, %v", read, err)
	}
	page, err := g.Checkouts(t.Context(), g.Test, models.CheckoutFilter{Limit: 10})
	if err != nil || len(page.Rows) != 1 || *page.Rows[0].CustomerDocument != buyerDocument {
		t.Errorf("listed as %+v, %v", page, err)
	}
	told := modelstest.One[int](t, g.DB, "SELECT count(*) FROM events WHERE strpos(encode(body, 'escape'), $1) > 0",
		`"document":"`+buyerDocument+`"`)
	if told != 2 {
		t.Errorf("%d events show the document, want those of the creation and of the payment", told)
	}
}

// foundBy returns the ids of the charges that a member's search finds.
func foundBy(t *testing.T, g *paymentstest.Gateway, scope models.Scope, text string) (ids []string) {
	t.Helper()
	page, err := g.SearchCheckouts(t.Context(), scope, models.CheckoutSearch{Text: text, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range page.Rows {
		ids = append(ids, c.ID)
	}
	return ids
}

// A whole document finds its charges, however it is written, and only within the scope.
func TestSearchCheckouts_Document(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	c := withDocument(t, g)
	for text, want := range map[string][]string{
		buyerDocument: {c.ID}, "52998224725": {c.ID}, " 529 982 247 25 ": {c.ID},
		"5299822472": nil, "529.982.247-26": nil, "---": nil,
	} {
		if got := foundBy(t, g, g.Test, text); !slices.Equal(got, want) {
			t.Errorf("%q finds %v", text, got)
		}
		if got := foundBy(t, g, g.Live, text); len(got) > 0 {
			t.Errorf("%q finds %v in live", text, got)
		}
	}
	other := g.Merchant(t, "bia@example.com")
	if got := foundBy(t, g, other.Test, buyerDocument); len(got) > 0 {
		t.Errorf("another merchant finds %v", got)
	}
	theirs := withDocument(t, other)
	if got := foundBy(t, g, other.Test, buyerDocument); !slices.Equal(got, []string{theirs.ID}) {
		t.Errorf("another merchant finds %v of the own charges", got)
	}
	if n := modelstest.One[int](t, g.DB, "SELECT count(DISTINCT document_digest) FROM checkouts"); n != 2 {
		t.Error("the digests connect a person's purchases at two merchants")
	}
}

// What a program of an earlier version wrote is read as before, and sealed by the job; one row that another
// transaction holds waits for the next run. Two jobs at once do it once.
func TestSealDocuments(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	var ids []string
	for range 3 {
		ids = append(ids, withDocument(t, g).ID)
	}
	modelstest.Exec(t, g.DB, `UPDATE checkouts SET customer_document = $1, sealed_document = NULL,
		document_digest = NULL`, buyerDocument)
	shown := func() (n int) {
		for _, id := range ids {
			c, err := g.Service.Checkout(t.Context(), g.Test, id)
			if err == nil && c.CustomerDocument != nil && *c.CustomerDocument == buyerDocument {
				n++
			}
		}
		return n
	}
	plain := func() int {
		return modelstest.One[int](t, g.DB, "SELECT count(*) FROM checkouts WHERE customer_document IS NOT NULL")
	}
	if n := shown(); n != 3 {
		t.Errorf("%d of 3 plain documents are shown", n)
	}
	err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
		if _, err := models.LockCheckoutByID(tx, ids[0]); err != nil {
			return err
		}
		var jobs errgroup.Group
		for range 2 {
			jobs.Go(func() error { return g.SealDocuments(t.Context()) })
		}
		if err := jobs.Wait(); err != nil {
			t.Error(err)
		}
		if n := plain(); n != 1 {
			t.Errorf("%d documents are plain beside a locked row, want its own", n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.SealDocuments(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := plain(); n != 0 {
		t.Errorf("%d documents are plain in the end", n)
	}
	if n := shown(); n != 3 {
		t.Errorf("%d of 3 sealed documents are shown", n)
	}
	if got := foundBy(t, g, g.Test, buyerDocument); len(got) != 3 {
		t.Errorf("the document finds %v", got)
	}
}
