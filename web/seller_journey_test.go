package web_test

import (
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"garoupa/internal/money"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// typist counts what a person types.
type typist struct {
	*browsertest.Page
	keys int
}

func (p *typist) Type(target, text string) {
	p.Page.Type(target, text)
	p.keys += utf8.RuneCountInString(text)
}

// typedIn90Seconds is how many keys a person strikes in 90 seconds at 40 words of five letters a minute.
const typedIn90Seconds = 300

// A merchant who has no developer sells by link: from signing up to the first payment there are less than 90 seconds
// of typing.
func TestSellByLink_Journey(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	seller := &typist{Page: browsertest.Open(t, s.URL+"/cadastro", browsertest.Options{})}
	seller.Type("#name", "Bruno Reis")
	seller.Type("#business", "Café do Bruno")
	seller.Type("#email", "bruno.reis@example.com")
	seller.Type("#password", "uma frase bem comprida")
	seller.Click("main form button.btn-primary")
	seller.WaitText("h1", "Confirme seu e-mail")
	seller.Click("main a[href='/app']")
	seller.Click("button[name=way][value=link]")
	seller.Click("main ol a[href='/app/produtos/novo']")
	seller.Type("#name", "Café torrado, 500 g")
	seller.Type("#amount", "49,90")
	seller.Click("main form button.btn-primary")
	seller.WaitText("h1", "Café torrado, 500 g")
	seller.Click("Criar link")
	seller.Click("main form button.btn-primary")
	seller.WaitVisible("Link criado. Copie e mande para quem vai pagar.")
	link := seller.Value("#url")

	buyer := browsertest.Open(t, s.URL+link[strings.Index(link, "/l/"):], browsertest.Options{})
	buyer.Click("main form button")
	buyer.WaitText("h1", "Pagar com Pix: R$ 49,90")
	buyer.Click("Simular pagamento")
	buyer.WaitText("h1", "Pagamento confirmado")
	seller.Goto(s.URL + "/app")
	seller.WaitVisible("R$ 49,90")
	if err := s.Service.SaveVisits(t.Context()); err != nil {
		t.Fatal(err)
	}
	seller.Goto(s.URL + "/app/analises")
	seller.WaitVisible("1 visita · 1 cobrança · 1 paga")
	if seller.keys > typedIn90Seconds {
		t.Errorf("the seller typed %d characters", seller.keys)
	}
}

// Two buyers send how much they give for the last unit at once: one pays it, the other reads that it is reserved, and
// then that it is sold.
func TestLastUnit_Journey(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	raffle := func(p *merchants.ProductForm) { p.Name = "Rifa da quermesse" }
	sale := s.SaleIn(t, s.Test, raffle, payments.NewPaymentLink{
		LinkTerms: models.LinkTerms{OpenAmount: &models.Range{Min: 5_00, Max: 50_00}, Stock: new(1)},
	})
	var buyers []*browsertest.Page
	for range 2 {
		buyer := browsertest.Open(t, s.URL+sale.Path(), browsertest.Options{})
		buyer.AllowConsole("status of 4")
		buyer.Type("#amount", "12,50")
		buyers = append(buyers, buyer)
	}
	var both sync.WaitGroup
	for _, buyer := range buyers {
		both.Go(func() { buyer.Click("main form button.btn-primary") })
	}
	both.Wait()
	if strings.Contains(buyers[1].URL(), "/pay/") {
		buyers[0], buyers[1] = buyers[1], buyers[0]
	}
	buyers[0].WaitText("h1", "Pagar com Pix: R$ 12,50")
	buyers[1].WaitText("h1", "Rifa da quermesse: esgotado por enquanto")
	buyers[1].Axe()
	buyers[0].Click("Simular pagamento")
	buyers[0].WaitText("h1", "Pagamento confirmado")
	buyers[1].Goto(s.URL + sale.Path())
	buyers[1].WaitText("h1", "Rifa da quermesse: esgotado")
	buyers[1].Axe()
}

// A member has the first page and the list of charges open side by side: both show a payment by themselves.
func TestTwoTabs_Journey(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	id := s.Checkout(t, payments.NewCheckout{Amount: money.Cents(1249_90)}).ID
	open := func(path string) *browsertest.Page {
		return browsertest.Open(t, s.URL+path, browsertest.Options{Viewport: browsertest.Desktop,
			Cookies: s.Member(t).Cookies()})
	}
	home, list := open("/app"), open("/app/cobrancas")
	home.True(`(document.querySelector("main").mine = true)`)
	list.WaitVisible("tr[data-key=" + id + "]")
	if err := s.SimulatePayment(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	list.WaitTrue(`"paid" in document.querySelector("tr[data-key=` + id + `]").dataset`)
	home.WaitTrue(`document.querySelector("main").mine &&
		document.querySelector("main").textContent.replaceAll("\u00a0", " ").includes("R$ 1.249,90")`)
}
