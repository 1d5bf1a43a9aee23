package dashboard_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/web/webtest"
)

const buyerPage = "/app/configuracoes/comprador"

// The owner finds a buyer, downloads what is stored, and removes it after typing the number of charges. A pending
// charge is counted, and stays.
func TestBuyer(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	email, document := "carla@example.com", "529.982.247-25"
	var ids []string
	for range 3 {
		charge := s.Checkout(t, payments.NewCheckout{Customer: payments.Customer{Email: &email, Document: &document}})
		ids = append(ids, charge.ID)
	}
	for _, id := range ids[:2] {
		if err := s.SimulatePayment(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if a := c.Post(buyerPage, "buyer", "12"); a.Status != http.StatusUnprocessableEntity ||
		a.Find("#buyer[aria-invalid=true]").Length() != 1 {
		t.Errorf("a wrong document: %d", a.Status)
	}
	if a := c.Post(buyerPage, "buyer", "11144477735"); !strings.Contains(a.Text(), "Nenhuma cobrança tem este dado") {
		t.Errorf("an unknown document: %s", a.Text())
	}
	a := c.Post(buyerPage, "buyer", "52998224725")
	if !strings.Contains(a.Find("#file").Text(), "3 cobranças") || !strings.Contains(a.Text(), "1 cobrança fica") {
		t.Errorf("found: %s", a.Text())
	}
	file := c.Post(buyerPage+"/arquivo", "buyer", "52998224725")
	var got struct{ Charges []json.RawMessage }
	if err := json.Unmarshal([]byte(file.Body), &got); err != nil || len(got.Charges) != 3 ||
		file.Header.Get("Content-Disposition") != `attachment; filename="dados-do-comprador.json"` {
		t.Errorf("the file: %v, %d charges, %v", err, len(got.Charges), file.Header)
	}
	for _, confirm := range []string{"", "3"} {
		a := c.Post(buyerPage+"/apagar", "buyer", document, "confirm", confirm)
		if a.Status != http.StatusUnprocessableEntity || a.Find("#confirm[aria-invalid=true]").Length() != 1 {
			t.Errorf("confirmed with %q: %d", confirm, a.Status)
		}
	}
	if a := c.Post(buyerPage+"/apagar", "buyer", document, "confirm", "2"); a.Status != http.StatusSeeOther {
		t.Errorf("confirmed: %d %s", a.Status, a.Text())
	}
	left := modelstest.One[[]string](t, s.DB, `SELECT array_agg(id) FROM checkouts WHERE sealed_document IS NOT NULL`)
	if len(left) != 1 || left[0] != ids[2] {
		t.Errorf("%v hold the document, want the pending one, %s", left, ids[2])
	}
	if a := c.Post(buyerPage+"/apagar", "buyer", document, "confirm", "0"); a.Status != http.StatusOK {
		t.Errorf("with nothing to remove: %d", a.Status)
	}
	if a := c.Get("/app/auditoria?subject=buyer"); !strings.Contains(a.Text(), "Dados do comprador apagados") ||
		!strings.Contains(a.Text(), "Dados do comprador baixados") || strings.Contains(a.Text(), "5299822") {
		t.Errorf("the audit log says %s", a.Text())
	}
	s.GiveRole(t, models.RoleAdmin)
	if a := c.Get("/app/configuracoes/empresa"); a.Find("a[href='"+buyerPage+"']").Length() != 0 {
		t.Error("an administrator is led to the page")
	}
}

// A file that cannot be finished breaks off, also for a browser that takes compressed answers, as the client does.
func TestBuyer_FileBreaksOff(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	email := "carla@example.com"
	s.Checkout(t, payments.NewCheckout{Customer: payments.Customer{Email: &email}})
	// The charges can be counted, and what belongs to them cannot be read.
	modelstest.Exec(t, s.DB, "ALTER TABLE disputes RENAME COLUMN cause TO gone")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.Base+buyerPage+"/arquivo",
		strings.NewReader(url.Values{"buyer": {email}}.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	response, err := c.HTTP.Do(request)
	if err != nil {
		return // it broke off before its first byte
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err == nil {
		t.Errorf("%d: the file ends as if it were whole, after %q", response.StatusCode, body)
	}
}

// Without a fresh proof of identity nothing is shown, saved or removed.
func TestBuyer_Proof(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	email := "carla@example.com"
	charge := s.Checkout(t, payments.NewCheckout{Customer: payments.Customer{Email: &email}})
	if err := s.SimulatePayment(t.Context(), charge.ID); err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, s.DB, "UPDATE sessions SET proven_at = proven_at - interval '1 hour'")
	for path, form := range map[string][]string{
		buyerPage: {"buyer", email}, buyerPage + "/arquivo": {"buyer", email},
		buyerPage + "/apagar": {"buyer", email, "confirm", "1"},
	} {
		a := c.Post(path, form...)
		if a.Find("input[name=garoupa_proof]").Length() != 1 {
			t.Errorf("%s: %d %s", path, a.Status, a.Text())
		}
		if got := a.Find("main form[data-download]").Length() == 1; got != strings.HasSuffix(path, "/arquivo") {
			t.Errorf("%s: the proof is answered with a file: %v", path, got)
		}
	}
	if n := modelstest.One[int](t, s.DB, "SELECT count(*) FROM checkouts WHERE customer_email IS NOT NULL"); n != 1 {
		t.Error("the buyer was removed without a proof")
	}
}
