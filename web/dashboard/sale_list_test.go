package dashboard_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/thedatashed/xlsxreader"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
	"garoupa/web/webtest"
)

// sell makes a paid charge, and gives back some of it.
func sell(t *testing.T, s *webtest.Site, in payments.NewCheckout, refunded money.Cents) *models.Checkout {
	t.Helper()
	charge := s.Checkout(t, in)
	if err := s.ConfirmPayment(t.Context(), models.Test, simulator.Pay(charge.TxID, int64(charge.Amount),
		s.Clock.Now())); err != nil {
		t.Fatal(err)
	}
	if refunded > 0 {
		id := modelstest.One[string](t, s.DB, "SELECT id FROM payments WHERE checkout_id = $1", charge.ID)
		if _, err := s.RefundPayment(t.Context(), s.Staff(t), payments.NewRefund{PaymentID: id, Amount: refunded,
			Reason: paymentstest.Reason}); err != nil {
			t.Fatal(err)
		}
	}
	return charge
}

// The sales of a month are the same on the page, in its files and in the ledger: what was posted, not what a fee
// of today would be.
func TestSales(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	if a := c.Get("/app/saldo/vendas"); a.Status != http.StatusOK ||
		!strings.Contains(a.Text(), "Nenhuma venda ainda") {
		t.Errorf("without sales: %d %s", a.Status, a.Text())
	}
	s.SetFee(t, money.Fee{BasisPoints: 149, Fixed: 10})
	name := "=Bia \"Souza\"; filha"
	settled := sell(t, s, payments.NewCheckout{Amount: 1234_50, Customer: payments.Customer{Name: &name}}, 0)
	s.Clock.Advance(paymentstest.SettlementDelay)
	if _, err := s.SettleDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	back := sell(t, s, payments.NewCheckout{Amount: 100_00, ExternalID: "10482"}, 30_00)
	s.SetFee(t, money.Fee{})
	s.Clock.Advance(time.Second)
	sell(t, s, payments.NewCheckout{Amount: 5_00}, 0)

	books, err := s.Books(t.Context(), s.Account.ID, models.Test)
	if err != nil || books.Gross != 1339_50 || books.Refunded != 30_00 || books.Fee != 18_49+1_59 {
		t.Fatalf("%+v, %v", books, err)
	}
	month := "/app/saldo/vendas?from=2026-03-01&until=2026-03-31"
	a := c.Get(month)
	sum := strings.ReplaceAll(a.Find("#sum").Text(), "\u00a0", " ")
	for _, want := range []string{"3", "R$ 1.339,50", "−R$ 20,08", "−R$ 30,00", "R$ 1.289,42"} {
		if !strings.Contains(sum, want) {
			t.Errorf("the sum lacks %s: %s", want, sum)
		}
	}
	rows := a.Find("details[data-sale]")
	if rows.Length() != 3 {
		t.Fatalf("%d rows", rows.Length())
	}
	refunded := strings.Join(strings.Fields(rows.Eq(1).Text()), " ")
	for _, want := range []string{"10482", "Devolvido −R$ 30,00", "Líquido R$ 68,41", "livre em 01/03 09:00",
		"Pagamento recebido", "+R$ 100,00", "Tarifa do pagamento", "−R$ 1,59", "Devolução ao pagador"} {
		if !strings.Contains(refunded, want) {
			t.Errorf("the refunded sale lacks %s: %s", want, refunded)
		}
	}
	if first := rows.Eq(2).Text(); !strings.Contains(first, name) || !strings.Contains(first, "livre desde 01/03") ||
		!strings.Contains(first, "Liberado para saque") {
		t.Errorf("the settled sale is %s", first)
	}
	checkSaleFiles(t, c, month, name, []string{settled.ID, back.ID})
	for path, want := range map[string]string{
		"/app/saldo/vendas?from=2026-04-01":                  "Nenhuma venda nesse período",
		"/app/saldo/vendas?from=2026-04-01&until=2026-03-01": "Corrija as datas",
	} {
		if a := c.Get(path); !strings.Contains(a.Text(), want) {
			t.Errorf("%s: %d %s", path, a.Status, a.Text())
		}
	}
	if a := c.Get("/app/saldo/vendas.csv?from=x"); a.Status != http.StatusSeeOther {
		t.Errorf("a file of a wrong period is %d", a.Status)
	}
}

// checkSaleFiles checks that both files have the three sales of TestSales.
func checkSaleFiles(t *testing.T, c *webtest.Client, month, name string, ids []string) {
	t.Helper()
	query := strings.TrimPrefix(month, "/app/saldo/vendas")
	for lang, want := range map[string][]string{
		"pt-BR": {"Vendas", "vendas-test-2026-03-01-2026-03-31", "1234,50", "18,49", "30,00", "68,41"},
		"en":    {"Sales", "sales-test-2026-03-01-2026-03-31", "1234.50", "18.49", "30.00", "68.41"},
	} {
		c.Lang = lang
		response := download(c, "/app/saldo/vendas.csv"+query)
		raw, err := io.ReadAll(response.Body)
		if err != nil || !strings.Contains(response.Header.Get("Content-Disposition"), want[1]+".csv") {
			t.Fatalf("%s, %v", response.Header.Get("Content-Disposition"), err)
		}
		lines := records(t, lang, string(raw))
		if len(lines) != 4 || lines[3][1] != ids[0] || lines[3][5] != want[2] || lines[3][6] != want[3] ||
			lines[2][1] != ids[1] || lines[2][7] != want[4] || lines[2][8] != want[5] || lines[3][4] != "'"+name {
			t.Errorf("%s: %q", lang, lines)
		}
		rows := sheet(t, read(t, c, "/app/saldo/vendas.xlsx"+query, xlsxKind, want[1]+".xlsx"), want[0])
		var sums [4]int64 // gross, fee, refunded, net
		for _, row := range rows[1:] {
			for i := range sums {
				amount, exact := cents(row.Cells[5+i].Value)
				if !exact || row.Cells[5+i].Type != xlsxreader.TypeNumerical {
					t.Errorf("%+v", row.Cells[5+i])
				}
				sums[i] += amount
			}
		}
		if sums != [4]int64{1339_50, 20_08, 30_00, 1289_42} || rows[3].Cells[4].Value != name {
			t.Errorf("%s: the workbook sums to %v of %+v", lang, sums, rows)
		}
	}
	c.Lang = ""
}

// Sales have pages, which keep the period. Those who may not see the balance do not see the sales.
func TestSales_Pages(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	for i := range 27 {
		sell(t, s, payments.NewCheckout{Amount: 1_00, ExternalID: fmt.Sprintf("order-%d", i)}, 0)
	}
	first := c.Get("/app/saldo/vendas?from=2026-03-01")
	next := first.Find("a[rel=next]").AttrOr("href", "")
	if first.Find("details[data-sale]").Length() != 25 || !strings.Contains(next, "from=2026-03-01") {
		t.Fatalf("%d rows, then %s", first.Find("details[data-sale]").Length(), next)
	}
	if n := c.Get(next).Find("details[data-sale]").Length(); n != 2 {
		t.Errorf("the second page has %d rows", n)
	}
	for _, path := range []string{"/app/saldo/vendas", "/app/saldo/vendas.csv", "/app/saldo/vendas.xlsx"} {
		for role, want := range map[models.Role]int{models.RoleFinance: 200, models.RoleDeveloper: 403,
			models.RoleViewer: 403} {
			s.GiveRole(t, role)
			if got := download(c, path).StatusCode; got != want {
				t.Errorf("%s gets %d for %s", role, got, path)
			}
		}
		s.GiveRole(t, models.RoleOwner)
	}
	c.Post("/app/ambiente", "env", "live")
	if a := c.Get("/app/saldo/vendas"); !strings.Contains(a.Text(), "depende do acesso à produção") {
		t.Errorf("live before approval: %s", a.Text())
	}
	if got := download(c, "/app/saldo/vendas.csv").StatusCode; got != http.StatusSeeOther {
		t.Errorf("a live file before approval is %d", got)
	}
}

// The balance says when pending money is released.
func TestReleases(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	if n := c.Get("/app/saldo").Find("#releases").Length(); n != 0 {
		t.Errorf("%d calendars without sales", n)
	}
	s.SetFee(t, money.Fee{BasisPoints: 149, Fixed: 10})
	charge := sell(t, s, payments.NewCheckout{Amount: 100_00}, 30_00)
	sell(t, s, payments.NewCheckout{Amount: 10_00}, 0)
	for i, settles := range []string{"10 seconds", "1 day", "400 days"} {
		modelstest.Exec(t, s.DB, "UPDATE checkouts SET settles_at = paid_at + $1::interval WHERE id = $2", settles,
			charge.ID)
		a := c.Get("/app/saldo")
		says := strings.Join(strings.Fields(a.Find("#releases").Text()), " ")
		want := [][]string{
			{"Hoje 2 vendas R$ 78,16 Bruto R$ 110,00Tarifa −R$ 1,84Devolvido −R$ 30,00", "A liberarR$ 78,16"},
			{"Hoje 1 venda R$ 9,75", "Amanhã 1 venda R$ 68,41"},
			{"Hoje 1 venda R$ 9,75", "Segunda, 5 de abr. de 2027 1 venda R$ 68,41"},
		}[i]
		for _, text := range want {
			if !strings.Contains(says, text) {
				t.Errorf("%s: the calendar lacks %q: %s", settles, text, says)
			}
		}
	}
	s.Clock.Advance(paymentstest.SettlementDelay)
	if _, err := s.SettleDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	says := strings.Join(strings.Fields(c.Get("/app/saldo").Find("#releases").Text()), " ")
	if !strings.Contains(says, "ainda não sacadas nem devolvidas: 1 venda R$ 9,75") {
		t.Errorf("after a settlement: %s", says)
	}
}

// Money that a refund took has left the balance: nothing says that it was withdrawn.
func TestSales_Left(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	s.SetFee(t, money.Fee{})
	sold := sell(t, s, payments.NewCheckout{Amount: 100_00}, 0)
	s.Clock.Advance(paymentstest.SettlementDelay)
	if _, err := s.SettleDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	id := modelstest.One[string](t, s.DB, "SELECT id FROM payments")
	if _, err := s.RefundPayment(t.Context(), s.Staff(t), payments.NewRefund{PaymentID: id, Amount: 100_00,
		Reason: paymentstest.Reason}); err != nil {
		t.Fatal(err)
	}
	if covered, err := s.CoverDue(t.Context()); err != nil || covered != 1 {
		t.Fatalf("%d are covered, %v", covered, err)
	}
	for path, says := range map[string]string{"/app/cobrancas/" + sold.ID: "Já saiu do saldo",
		"/app/saldo/vendas": "já saiu", "/app/cobrancas/cobrancas.csv": "Já saiu", "/app/saldo/vendas.csv": "Já saiu"} {
		got := c.Get(path).Text()
		if !strings.Contains(got, says) || strings.Contains(strings.ToLower(got), "sacado") {
			t.Errorf("%s does not say %q, or says that it was withdrawn: %s", path, says, got)
		}
	}
	if badge := c.Get("/app/cobrancas/" + sold.ID).Find("#settlement + span").Text(); badge != "Já saiu" {
		t.Errorf("the badge says %q", badge)
	}
}
