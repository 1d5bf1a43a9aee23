package dashboard_test

import (
	"image/png"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"garoupa/merchants"
	"garoupa/payments"
	"garoupa/web/webtest"
)

// A member makes a link, and one form makes one.
func TestLinks_Create(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	if a := c.Get("/app/links"); !strings.Contains(a.Text(), "Venda com um link") ||
		!strings.Contains(c.Get("/app/links/novo").Text(), "Primeiro, cadastre um produto") {
		t.Errorf("without products: %d", a.Status)
	}
	for _, slug := range []string{"vaso", "xicara", "parado"} {
		form := merchants.ProductForm{Slug: slug, Name: slug, Amount: 10_00, PaymentCycle: "ONE_TIME"}
		if _, err := s.Merchants.CreateProduct(t.Context(), s.Owner, s.Test, form); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Merchants.UpdateProduct(t.Context(), s.Owner, s.Test, "parado",
		merchants.ProductForm{Name: "parado", Amount: 1, PaymentCycle: "ONE_TIME"}); err != nil {
		t.Fatal(err)
	}
	a := c.Get("/app/links/novo?product=vaso")
	if a.Find("#productId option").Length() != 2 ||
		a.Find("#productId option[selected]").AttrOr("value", "") != "vaso" ||
		a.Find("#expiresInSeconds option[selected]").AttrOr("value", "") != "1800" {
		t.Error("the form offers other products, or chooses another")
	}
	key := a.Find("input[name=key]").AttrOr("value", "")
	form := []string{"key", key, "productId", "vaso", "expiresInSeconds", "3600", "successUrl",
		"https://loja.example/ok?{CHECKOUT_ID}", "returnUrl", " http://loja.example "}
	place := c.Post("/app/links", form...).Header.Get("Location")
	id := strings.TrimPrefix(place, "/app/links/")
	link, err := s.PaymentLink(t.Context(), s.Test, id)
	if err != nil {
		t.Fatalf("made %q: %v", place, err)
	}
	if link.Product.Slug != "vaso" || link.ExpiresInSeconds != 3600 ||
		*link.SuccessURL != "https://loja.example/ok?{CHECKOUT_ID}" || *link.ReturnURL != "http://loja.example" ||
		!link.Active {
		t.Errorf("made %+v", link)
	}
	if again := c.Post("/app/links", form...).Header.Get("Location"); again != place {
		t.Errorf("sent again, the form leads to %s", again)
	}
	form[3] = "xicara"
	a = c.Post("/app/links", form...)
	if a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Find("#errors").Text(), "já criou um link") ||
		a.Find("#productId option[selected]").AttrOr("value", "") != "xicara" {
		t.Errorf("changed and sent again: %d %q", a.Status, a.Find("#errors").Text())
	}
	form[1] = a.Find("input[name=key]").AttrOr("value", "")
	if other := c.Post("/app/links", form...).Header.Get("Location"); other == place || other == "" {
		t.Errorf("with the new key it leads to %q", other)
	}
	for _, odd := range []string{"", "\x00", "\xff", strings.Repeat("k", 300)} {
		form[1] = odd
		if a := c.Post("/app/links", form...); a.Status != http.StatusSeeOther {
			t.Errorf("the key %.10q: %d", odd, a.Status)
		}
	}
}

func TestLinks_Wrong(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t, nil)
	c := s.Member(t)
	s.Update(t, func(p *merchants.ProductForm) { p.Active = false })
	if _, err := s.Merchants.CreateProduct(t.Context(), s.Owner, s.Test,
		merchants.ProductForm{Slug: "bom", Name: "Bom", Amount: 1, PaymentCycle: "ONE_TIME"}); err != nil {
		t.Fatal(err)
	}
	long := "https://loja.example/" + strings.Repeat("x", 2048)
	for field, values := range map[string][]string{
		"productId":        {"", "vaso", "nope", "\x00", "\xff"}, // vaso is paused
		"expiresInSeconds": {"", "60", "901", "x"},
		"successUrl": {"x", "javascript:alert(1)", "//loja.example", "https:", "ftp://loja.example", long,
			"https://loja.example/\u202e", "https://bank.example@loja.example"},
		"returnUrl": {"x", "http://"},
	} {
		for _, value := range values {
			form := map[string]string{"productId": "bom", "expiresInSeconds": "900", "successUrl": "",
				"returnUrl": "", "key": "k"}
			form[field] = value
			var pairs []string
			for name, value := range form {
				pairs = append(pairs, name, value)
			}
			a := c.Post("/app/links", pairs...)
			if a.Status != http.StatusUnprocessableEntity || a.Find("#"+field+"-error").Length() != 1 ||
				a.Find("#errors li").Length() != 1 {
				t.Errorf("%s %.30q: %d %q", field, value, a.Status, a.Find("#errors").Text())
			}
		}
	}
}

// A link's page shows the way from visits to payments in a period, and the analytics which links and products sold.
func TestLinks_Figures(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t, nil)
	c := s.Member(t)
	buyer := s.Client(t)
	buyer.Header = http.Header{"Sec-Fetch-Mode": {"navigate"}}
	paid := s.Buy(t, buyer)
	buyer.HTTP.Jar = s.Client(t).HTTP.Jar // another browser
	buyer.Get(s.Path())
	buyer.HTTP.Jar = s.Client(t).HTTP.Jar
	buyer.Get(s.Path())
	if err := s.Service.SaveVisits(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.SimulatePayment(t.Context(), strings.TrimPrefix(paid, "/pay/")); err != nil {
		t.Fatal(err)
	}
	s.Buy(t, s.Client(t))
	page := "/app/links/" + s.Link
	a := c.Get(page)
	funnel := strings.Join(strings.Fields(a.Find("[aria-labelledby=funnel] > ul").Text()), " ")
	if funnel != "Visitas 3 Cobranças 2 66,7% das visitasPagas 1 100,0% das encerradas · 1 ainda em aberto" {
		t.Errorf("its use: %q", funnel)
	}
	if text := a.Find("[aria-labelledby=funnel]").Text(); !strings.Contains(text, "R$\u00a01.249,90") {
		t.Errorf("its money: %q", text)
	}
	before := c.Get(page + "?from=2026-02-01&until=2026-02-02").Find("[aria-labelledby=funnel]").Text()
	if !strings.Contains(before, "R$\u00a00,00") || strings.Contains(before, "%") {
		t.Errorf("before it: %q", before)
	}
	if wrong := c.Get(page + "?from=x"); wrong.Status != http.StatusUnprocessableEntity {
		t.Errorf("no day: %d", wrong.Status)
	}
	sold := c.Get("/app/analises")
	for id, href := range map[string]string{"products": "/app/produtos/vaso", "links": page} {
		section := sold.Find("[aria-labelledby=" + id + "-title]")
		text := strings.Join(strings.Fields(section.Text()), " ")
		if section.Find(`a[href="`+href+`"]`).Length() != 1 ||
			!strings.Contains(text, "R$ 1.249,90 3 visitas · 2 cobranças · 1 paga") {
			t.Errorf("%s: %q", id, text)
		}
	}
}

// The page of a link: its charges, its address as a code, on and off.
func TestLinks_Page(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t, nil)
	c := s.Member(t)
	paid := s.Buy(t, s.Client(t))
	if err := s.SimulatePayment(t.Context(), strings.TrimPrefix(paid, "/pay/")); err != nil {
		t.Fatal(err)
	}
	s.Buy(t, s.Client(t))
	other := s.Checkout(t, payments.NewCheckout{}) // not of the link
	page := "/app/links/" + s.Link
	a := c.Get(page)
	address := "http://localhost" + s.Path()
	if a.Find("#url").AttrOr("value", "") != address {
		t.Errorf("its address %q", a.Find("#url").AttrOr("value", ""))
	}
	if strings.Count(a.Body, "/app/cobrancas/chk_") != 2 || strings.Contains(a.Body, other.ID) {
		t.Error("its charges are not the link's")
	}
	if list := c.Get("/app/links"); !strings.Contains(list.Text(), "2 usos") ||
		!strings.Contains(list.Text(), "1 pago") {
		t.Error("the list does not count uses")
	}
	picture := c.Get(page + "/qr.png")
	if saw := readCode(t, picture.Body); saw != address || picture.Header.Get("Content-Type") != "image/png" {
		t.Errorf("a camera sees %q", saw)
	}
	drawing := c.Get(page + "/qr.svg")
	onPage := a.Find("svg[role=img] path").Last().AttrOr("d", "-")
	if drawing.Header.Get("Content-Type") != "image/svg+xml" || !strings.Contains(drawing.Body, onPage) ||
		!regexp.MustCompile(`^<svg xmlns="http://www.w3.org/2000/svg" `).MatchString(drawing.Body) {
		t.Errorf("the SVG: %.80s", drawing.Body)
	}
	for _, file := range []webtest.Answer{picture, drawing} {
		if !strings.HasPrefix(file.Header.Get("Content-Disposition"), "attachment") ||
			file.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s is not a download", file.Header.Get("Content-Type"))
		}
	}
	for _, step := range []struct {
		act, says string
		status    int
	}{{"/desativar", "Link desativado", http.StatusNotFound}, {"/desativar", "Link desativado", http.StatusNotFound},
		{"/ativar", "Link ativado", http.StatusOK}} {
		if a := c.Post(page + step.act); a.Status != http.StatusSeeOther ||
			!strings.Contains(c.Get(page).Text(), step.says) {
			t.Errorf("%s: %d", step.act, a.Status)
		}
		if a := s.Client(t).Get(s.Path()); a.Status != step.status {
			t.Errorf("after %s a buyer gets %d", step.act, a.Status)
		}
	}
	s.Update(t, func(p *merchants.ProductForm) { p.Active = false })
	if a := c.Get(page); !strings.Contains(a.Text(), "O produto deste link está pausado") ||
		a.Find("#share").Length() != 0 {
		t.Error("it does not say why it sells nothing")
	}
}

// readCode is what a camera sees in a picture, which is a code and nothing else: looking
// for the code first, the reader misses one in some hundreds.
func readCode(t *testing.T, file string) string {
	t.Helper()
	picture, err := png.Decode(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	bitmap, err := gozxing.NewBinaryBitmapFromImage(picture)
	if err != nil {
		t.Fatal(err)
	}
	saw, err := qrcode.NewQRCodeReader().Decode(bitmap,
		map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_PURE_BARCODE: true})
	if err != nil {
		t.Fatal(err)
	}
	return saw.GetText()
}
