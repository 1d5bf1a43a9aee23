package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/web/webtest"
)

const customersPage = "/app/clientes"

// chargeOf creates a charge of a customer.
func chargeOf(t *testing.T, s *webtest.Site, name, email, document string) *models.Checkout {
	t.Helper()
	s.Clock.Advance(time.Second)
	return s.Checkout(t, payments.NewCheckout{Amount: 49_90, ExpiresIn: 24 * time.Hour, Description: "Vaso azul",
		Customer: payments.Customer{Name: &name, Email: &email, Document: &document}})
}

// A member finds a customer by name, email address and document, sees what the customer bought and what is open, and
// charges again with a form that is filled in.
func TestCustomers(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	if a := c.Get(customersPage); !strings.Contains(a.Text(), "Nenhum cliente ainda") {
		t.Errorf("no customers: %s", a.Text())
	}
	paid := chargeOf(t, s, "Carla Menezes", "carla@example.com", "52998224725")
	if err := s.SimulatePayment(t.Context(), paid.ID); err != nil {
		t.Fatal(err)
	}
	open := chargeOf(t, s, "Carla Menezes", "carla@example.com", "529.982.247-25")
	chargeOf(t, s, "Bia", "bia@example.com", "11144477735")
	for query, want := range map[string]int{"": 2, "car": 1, "CARLA@": 1, "529.982.247-25": 1, "11144477735": 1,
		"menezes": 0} {
		if a := c.Get(customersPage + "?q=" + query); a.Find("tbody tr").Length() != want {
			t.Errorf("%q finds %d customers, want %d", query, a.Find("tbody tr").Length(), want)
		}
	}
	row := c.Get(customersPage + "?q=carla").Find("tbody tr")
	says := row.Find("td").Map(func(_ int, cell *goquery.Selection) string {
		return strings.Join(strings.Fields(cell.Text()), " ")
	})
	if diff := cmp.Diff([]string{"Carla Menezes carla@example.com", "529.982.247-25", "2", "R$ 49,90", "agora"},
		says); diff != "" {
		t.Errorf("the row: %s", diff)
	}
	href, _ := row.Find("a").Attr("href")
	a := c.Get(href)
	if value, _ := a.Find("#pay-0").Attr("value"); !strings.HasSuffix(value, "/pay/"+open.ID) {
		t.Errorf("the open charge is paid at %q", value)
	}
	if n := a.Find("#history + ul > li").Length(); n != 2 {
		t.Errorf("%d charges are listed, want 2", n)
	}
	if a.Find("form[action='"+buyerPage+"'] input[name=buyer]").AttrOr("value", "") != "529.982.247-25" {
		t.Error("the owner is not led to the buyer's data")
	}
	if link := c.Get("/app/cobrancas/" + paid.ID).Find("a[href^='/app/clientes/']"); link.Length() != 1 {
		t.Error("the charge does not lead to its customer")
	}
	for query, amount := range map[string]string{
		"customer=" + models.CustomerID(open.ID): "", "like=" + paid.ID: "49,90"} {
		form := c.Get("/app/cobrancas/nova?" + query)
		if form.Find("#customer_name").AttrOr("value", "") != "Carla Menezes" ||
			form.Find("#customer_email").AttrOr("value", "") != "carla@example.com" ||
			form.Find("#customer_document").AttrOr("value", "") == "" ||
			form.Find("#amount").AttrOr("value", "") != amount {
			t.Errorf("%s fills in %s", query, form.Find("main form").Text())
		}
	}
}

// A stranger's customer, one of the other environment, and one whose data were removed are not found, neither on
// their page nor by a form that their charge fills in.
func TestCustomers_Foreign(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	nobody := s.Checkout(t, payments.NewCheckout{})
	other := chargeOf(t, s, "Bia", "bia@example.com", "11144477735")
	modelstest.Exec(t, s.DB, "UPDATE checkouts SET livemode = true WHERE id = $1", other.ID)
	name := "Bia"
	stranger := s.Merchant(t, "caio@example.com").Checkout(t,
		payments.NewCheckout{Customer: payments.Customer{Name: &name}})
	for _, id := range []string{models.CustomerID(other.ID), models.CustomerID(nobody.ID),
		models.CustomerID(stranger.ID), "cus_0", "chk_" + nobody.ID[4:]} {
		for _, path := range []string{customersPage + "/" + id, "/app/cobrancas/nova?customer=" + id} {
			if a := c.Get(path); a.Status != http.StatusNotFound {
				t.Errorf("GET %s: %d", path, a.Status)
			}
		}
	}
	for _, id := range []string{other.ID, stranger.ID} {
		if a := c.Get("/app/cobrancas/nova?like=" + id); a.Status != http.StatusNotFound {
			t.Errorf("a copy of %s: %d", id, a.Status)
		}
	}
}

// The file has the rows of the list, with no formula in it.
func TestCustomers_File(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	chargeOf(t, s, "=HYPERLINK(1)", "ana@example.com", "52998224725")
	a := c.Get(customersPage + "/clientes.csv")
	if want := "\uFEFF\"Nome\";\"E-mail\";\"Documento\";\"Cobranças\";\"Cobranças pagas\";\"Total pago\";" +
		"\"Última compra\"\n\"'=HYPERLINK(1)\";\"ana@example.com\";" +
		"\"529.982.247-25\";"; !strings.HasPrefix(a.Body, want) {
		t.Errorf("the file is %s", a.Body)
	}
	if a := c.Get(customersPage + "/clientes.csv?q=ninguem"); strings.Count(a.Body, "\n") != 1 {
		t.Errorf("the file of a search is %s", a.Body)
	}
}
