package models_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

// someone creates a charge of a customer; "" leaves a field out.
func someone(t *testing.T, g *paymentstest.Gateway, name, email, document string) *models.Checkout {
	t.Helper()
	given := func(text string) *string {
		if text == "" {
			return nil
		}
		return &text
	}
	g.Clock.Advance(time.Second)
	return g.Checkout(t, payments.NewCheckout{Amount: 10_00, ExpiresIn: 24 * time.Hour,
		Customer: payments.Customer{Name: given(name), Email: given(email), Document: given(document)}})
}

func gather(t *testing.T, g *paymentstest.Gateway) {
	t.Helper()
	if err := g.GatherCustomers(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// listed returns a line for each customer that a search finds, of all its pages.
func listed(t *testing.T, g *paymentstest.Gateway, text string) (lines []string) {
	t.Helper()
	search := models.CustomerSearch{Text: text, Limit: 2}
	for {
		found, err := g.SearchCustomers(t.Context(), g.Test, search)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range found.Rows {
			var known []string
			for _, text := range []*string{c.Name, c.Email, c.Document} {
				if text != nil {
					known = append(known, *text)
				}
			}
			lines = append(lines, fmt.Sprintf("%s: %d, %d paid, %s", strings.Join(known, " "), c.Charges, c.Paid,
				c.PaidAmount.Decimal()))
		}
		if search.After = found.Next; search.After == nil {
			return lines
		}
	}
}

// Customers are told apart by document, then email address, then name, and are the same before and after they are
// gathered, and when some are.
func TestSearchCustomers(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	someone(t, g, "Ana Souza", "ana@example.com", "")
	someone(t, g, "Carla", "carla@example.com", "529.982.247-25")
	paid := someone(t, g, "Carla Menezes", "outra@example.com", "52998224725")
	someone(t, g, "Só Nome", "", "")
	someone(t, g, "só nome", "", "")
	someone(t, g, "", "", "")
	someone(t, g, "Ana S.", "ANA@example.com", "")
	if err := g.ConfirmPayment(t.Context(), models.Test, simulator.Pay(paid.TxID, 10_00, g.Clock.Now())); err != nil {
		t.Fatal(err)
	}
	all := []string{
		"Ana S. ANA@example.com: 2, 0 paid, 0.00",
		"só nome: 2, 0 paid, 0.00",
		"Carla Menezes outra@example.com 52998224725: 2, 1 paid, 10.00",
	}
	check := func(when string, want []string) {
		t.Helper()
		for text, want := range map[string][]string{"": want, "ana": want[:1], "ANA@ex": want[:1],
			"529.982.247-25": want[len(want)-1:], "car": want[len(want)-1:], "ca": nil, "menezes": nil, "%": nil} {
			if diff := cmp.Diff(want, listed(t, g, text)); diff != "" {
				t.Errorf("%s, %q: %s", when, text, diff)
			}
		}
	}
	check("not gathered", all)
	g.Clock.Advance(3 * time.Hour)
	gather(t, g)
	check("gathered", all)
	someone(t, g, "Bia", "bia@example.com", "")
	someone(t, g, "Ana Souza", "ana@example.com", "")
	all = []string{"Ana Souza ana@example.com: 3, 0 paid, 0.00", "Bia bia@example.com: 1, 0 paid, 0.00", all[1], all[2]}
	check("some gathered", all)
	g.Clock.Advance(10 * time.Minute)
	gather(t, g)
	gather(t, g)
	check("gathered again", all)
	if n := modelstest.One[int](t, g.DB, "SELECT count(*) FROM customers"); n != len(all) {
		t.Errorf("%d customers are gathered, want %d", n, len(all))
	}
}

// Charges of the past are gathered too: those before the first run, those that a history added, and those that were
// written long after their time, once they are paid.
func TestGatherCustomers_Past(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	someone(t, g, "Ana", "ana@example.com", "")
	g.Clock.Advance(40 * 24 * time.Hour)
	someone(t, g, "Bia", "bia@example.com", "")
	g.Clock.Advance(30 * 24 * time.Hour)
	late := someone(t, g, "Caio", "caio@example.com", "")
	g.Clock.Advance(3 * time.Hour)
	modelstest.Exec(t, g.DB, "UPDATE checkouts SET project_id = $2 WHERE id = $1", late.ID, g.Live.ProjectID)
	count := func() int { return modelstest.One[int](t, g.DB, "SELECT count(*) FROM customers") }
	modelstest.Exec(t, g.DB, "UPDATE checkouts SET customer_email = NULL, customer_name = NULL WHERE id = $1", late.ID)
	gather(t, g)
	if n := count(); n != 2 {
		t.Errorf("%d customers are gathered, want 2", n)
	}
	modelstest.Exec(t, g.DB, "ALTER TABLE checkouts DISABLE TRIGGER checkouts_customer")
	modelstest.Exec(t, g.DB, "UPDATE checkouts SET customer_name = 'Caio' WHERE id = $1", late.ID)
	gather(t, g)
	if n := count(); n != 2 {
		t.Errorf("%d customers are gathered, want 2", n)
	}
	if err := g.ConfirmPayment(t.Context(), models.Test, simulator.Pay(late.TxID, 10_00, g.Clock.Now())); err != nil {
		t.Fatal(err)
	}
	gather(t, g)
	if n := count(); n != 3 {
		t.Errorf("%d customers are gathered once the late charge is paid, want 3", n)
	}
	modelstest.Exec(t, g.DB, "DELETE FROM customers")
	if err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
		return models.GatherAgain(tx, g.Clock.Now().Add(-100*24*time.Hour))
	}); err != nil {
		t.Fatal(err)
	}
	gather(t, g)
	if n := count(); n != 3 {
		t.Errorf("%d customers are gathered anew, want 3", n)
	}
}

// A customer goes with the data of its charges, whatever code removes them, and stays while some are left.
func TestCustomers_Forgotten(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	older := someone(t, g, "Ana", "ana@example.com", "")
	latest := someone(t, g, "Ana Souza", "ana@example.com", "")
	sealed := someone(t, g, "Carla", "", "529.982.247-25")
	g.Clock.Advance(3 * time.Hour)
	gather(t, g)
	forget := func(c *models.Checkout) {
		t.Helper()
		modelstest.Exec(t, g.DB, `UPDATE checkouts SET customer_name = NULL, customer_email = NULL,
			customer_document = NULL, sealed_document = NULL, document_digest = NULL WHERE id = $1`, c.ID)
	}
	forget(latest)
	want := []string{"Carla 529.982.247-25: 1, 0 paid, 0.00", "Ana ana@example.com: 1, 0 paid, 0.00"}
	if diff := cmp.Diff(want, listed(t, g, "")); diff != "" {
		t.Error(diff)
	}
	if _, err := g.Customer(t.Context(), g.Test, models.CustomerID(latest.ID)); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("the customer of a charge without data: %v", err)
	}
	forget(older)
	forget(sealed)
	if n := modelstest.One[int](t, g.DB, "SELECT count(*) FROM customers"); n != 0 {
		t.Errorf("%d customers are left of charges without data", n)
	}
}

// planOf returns the plan of the last statement of search.
func planOf(t *testing.T, g *paymentstest.Gateway, search models.CustomerSearch) string {
	t.Helper()
	q := &explained{Querier: g.DB.Pool}
	search.Limit = 26
	if _, err := models.SearchCustomers(t.Context(), q, g.Test, search); err != nil {
		t.Fatal(err)
	}
	return q.plan
}

// aStep is the index by which a step of a plan reads charges or customers, or a step without one.
var aStep = regexp.MustCompile(`Scan(?: Backward)?(?: using| on) ((?:checkouts|customers)\w*)`)

// reads returns the indexes that a plan reads, in order, and the tables that it reads without one.
func reads(plan string) []string {
	var names []string
	for _, step := range aStep.FindAllStringSubmatch(plan, -1) {
		names = append(names, step[1])
	}
	slices.Sort(names)
	return names
}

// A list of customers reads a page of their index, and the charges of those on the page by the indexes of documents,
// addresses and names, whatever the number of charges. So does the page of a customer.
func TestSearchCustomers_Plan(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	manyCustomers(t, g, 20_000, 10_000)
	theirs := []string{"checkouts_by_customer_email", "checkouts_by_document", "checkouts_by_name_alone",
		"checkouts_pkey"}
	list := append([]string{"checkouts_by_page"}, theirs...)
	check := func(what any, plan string, want ...string) {
		t.Helper()
		slices.Sort(want)
		if diff := cmp.Diff(want, reads(plan)); diff != "" {
			t.Errorf("%+v: %s in %s", what, diff, plan)
		}
	}
	page := slices.Concat(list, []string{"customers_by_page"})
	found := slices.Concat(list, []string{"customers_pkey"})
	for _, s := range []models.CustomerSearch{{}, {After: &models.Position{
		CreatedAt: g.Clock.Now().Add(-5 * time.Hour), ID: "chk_"}}} {
		check(s, planOf(t, g, s), page...)
	}
	check("name", planOf(t, g, models.CustomerSearch{Text: "pessoa 1199"}), append(found, "customers_by_name")...)
	check("address", planOf(t, g, models.CustomerSearch{Text: "p11@exa"}), append(found, "customers_by_email")...)

	q := &explained{Querier: g.DB.Pool}
	c, err := models.CustomerByID(t.Context(), q, g.Test, "cus_00000000000000000001")
	if err != nil {
		t.Fatal(err)
	}
	check("customer", q.plan, append(theirs, "checkouts_pkey", "customers_pkey")...)
	if _, err := models.CustomerCheckouts(t.Context(), q, g.Test, c, models.CheckoutFilter{Limit: 26}); err != nil {
		t.Fatal(err)
	}
	check("charges", q.plan, append(theirs, "checkouts_pkey")...)
}

// manyCustomers writes charges of customers, one a second until now, and gathers them.
func manyCustomers(t testing.TB, g *paymentstest.Gateway, charges, people int) {
	t.Helper()
	modelstest.Exec(t, g.DB, `INSERT INTO checkouts (id, project_id, livemode, amount, description, external_id,
			customer_name, customer_email, txid, copy_paste, created_at, expires_at)
		SELECT 'chk_' || lpad(to_hex(n), 20, '0'), $1, false, 1000, 'Vaso', 'x' || n, 'Pessoa ' || n % $3,
			'p' || n % $3 || '@example.com', lpad(n::text, 30, '0'), 'code',
			$4::timestamptz - (n || ' seconds')::interval, $4::timestamptz
		FROM generate_series(1, $2::integer) n`, g.Test.ProjectID, charges, people, g.Clock.Now())
	modelstest.Exec(t, g.DB, `INSERT INTO customers (project_id, livemode, key, checkout_id, last_at, name, email)
		SELECT DISTINCT ON (key) project_id, livemode,
			customer_key(NULL, NULL, customer_email, customer_name) AS key, id, created_at, customer_name,
			customer_email FROM checkouts ORDER BY key, created_at DESC`)
	modelstest.Exec(t, g.DB, "UPDATE customers_until SET since = $1, until = $1", g.Clock.Now())
	modelstest.Exec(t, g.DB, "ANALYZE checkouts, customers")
}
