package pages_test

import (
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"garoupa/views/i18n"
	"garoupa/views/pages"
	"garoupa/views/pages/hosted"
)

// What each state of the hosted checkout says and lets the buyer do.
func TestPay(t *testing.T) {
	t.Parallel()
	type outcome struct {
		Status, Title, Heading string
		Actions                []string // of forms, and where links to the store lead
		Code, QR               bool
	}
	money := "R$ 1.249,90 · Ateliê Aurora"
	for name, want := range map[string]outcome{
		"pending": {"PENDING", "Pagar com Pix · " + money, "Pagar com Pix: R$ 1.249,90", nil, true, true},
		"test": {"PENDING", "Pagar com Pix · " + money, "Pagar com Pix: R$ 1.249,90",
			[]string{"/pay/chk_8f2b7a103c1c4f0e9d7a/simulate", "/pay/chk_8f2b7a103c1c4f0e9d7a/expire"}, true, true},
		"paid": {"PAID", "Pago · " + money, "Pagamento confirmado", []string{"https://loja.test/obrigado"},
			false, false},
		"paid in test":    {"PAID", "Pago · " + money, "Pagamento confirmado", nil, false, false},
		"expired":         {"EXPIRED", "Código vencido · " + money, "Este código Pix venceu", nil, false, false},
		"expired in test": {"EXPIRED", "Código vencido · " + money, "Este código Pix venceu", nil, false, false},
		"expired link": {"EXPIRED", "Código vencido · " + money, "Este código Pix venceu",
			[]string{"/pay/chk_8f2b7a103c1c4f0e9d7a/renew", "https://loja.test/"}, false, false},
		"pending link": {"PENDING", "Pagar com Pix · " + money, "Pagar com Pix: R$ 1.249,90",
			[]string{"https://loja.test/carrinho?x=1"}, true, true},
		"not renewed": {"EXPIRED", "Código vencido · " + money, "Este código Pix venceu",
			[]string{"/pay/chk_8f2b7a103c1c4f0e9d7a/renew"}, false, false},
		"cancelled": {"CANCELLED", "Cobrança cancelada · " + money, "Cobrança cancelada",
			[]string{"https://loja.test/"}, false, false},
		"unavailable": {"UNAVAILABLE", "Erro · Ateliê Aurora", "Não foi possível gerar o Pix agora", nil, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := render(t, i18n.Portuguese, hosted.Pay(payStates()[name]))
			got := outcome{
				Status: doc.Find("#state").AttrOr("data-status", ""), Title: text(doc.Find("title")),
				Heading: text(doc.Find("h1")),
				Code:    doc.Find("input#code").AttrOr("value", "") == pending().CopyPaste,
				QR:      doc.Find("svg[role=img]").Length() == 1,
			}
			doc.Find("form, main a[rel=noreferrer]").Each(func(_ int, s *goquery.Selection) {
				got.Actions = append(got.Actions, s.AttrOr("action", s.AttrOr("href", "")))
			})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if tab := doc.Find("#state").AttrOr("data-title", ""); strings.Join(strings.Fields(tab),
				" ") != want.Title {
				t.Errorf("the script would set the title to %q", tab)
			}
		})
	}
}

// The part that the script replaces is the same as in the whole page.
func TestPayState(t *testing.T) {
	t.Parallel()
	for name, p := range payStates() {
		for _, lang := range languages {
			whole, part := render(t, lang, hosted.Pay(p)), render(t, lang, hosted.PayState(p))
			inWhole, _ := goquery.OuterHtml(whole.Find("#state"))
			alone, _ := goquery.OuterHtml(part.Find("#state"))
			if diff := cmp.Diff(inWhole, alone); diff != "" || alone == "" {
				t.Errorf("%s: (-page +fragment)\n%s", name, diff)
			}
			if part.Find("script, link, title").Length() > 0 {
				t.Errorf("%s: the fragment is a whole page", name)
			}
		}
	}
}

// Facts that are not known leave no empty row.
func TestPay_Recipient(t *testing.T) {
	t.Parallel()
	rows := func(name string) []string {
		var keys []string
		render(t, i18n.Portuguese,
			hosted.Pay(payStates()[name])).Find("section[aria-labelledby=recipient] dt").Each(func(_ int,
			s *goquery.Selection) {
			keys = append(keys, text(s))
		})
		return keys
	}
	for name, want := range map[string][]string{
		"pending": {"Quem recebe", "CNPJ", "Instituição", "Total"},
		"cpf":     {"Quem recebe", "CPF", "Instituição", "Total"},
		"bare":    {"Total"},
	} {
		if diff := cmp.Diff(want, rows(name)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// The receipt has what a bank would ask for, and is stamped in test.
func TestPay_Receipt(t *testing.T) {
	t.Parallel()
	receipt := func(name string) string {
		return text(render(t, i18n.Portuguese, hosted.Pay(payStates()[name])).Find("section[aria-labelledby=receipt]"))
	}
	for _, want := range []string{"20 de nov. de 2026, 21:47", "Vaso Lua Nova", "10482", "Ateliê Aurora Ltda",
		"12.345.678/0001-90", "Banco Liquidante", "E12345678202611210047a1B2c3D4e5F", "chk_8f2b7a103c1c4f0e9d7a"} {
		if !strings.Contains(receipt("paid"), want) {
			t.Errorf("the receipt has no %q: %s", want, receipt("paid"))
		}
	}
	if strings.Contains(receipt("paid"), "TESTE") || !strings.Contains(receipt("paid in test"), "TESTE · sem valor") {
		t.Error("the stamp of test receipts is on the wrong one")
	}
}

// The countdown starts from the server's clock and turns amber in the last five
// minutes.
func TestPay_Countdown(t *testing.T) {
	t.Parallel()
	for left, want := range map[time.Duration]string{
		30 * time.Minute: "30:00", 5 * time.Minute: "05:00 urgent", 61 * time.Second: "01:01 urgent", 0: "00:00 urgent",
		-time.Hour: "00:00 urgent",
		time.Hour:  "1:00:00", 24 * time.Hour: "24:00:00", 5*time.Minute + time.Second: "05:01",
	} {
		p := pending()
		p.ExpiresAt = now.Add(left)
		doc := render(t, i18n.Portuguese, hosted.Pay(p))
		got := text(doc.Find("[data-count]"))
		if doc.Find("[data-expiry][data-urgent]").Length() == 1 {
			got += " urgent"
		}
		if got != want {
			t.Errorf("%s left: %q, want %q", left, got, want)
		}
		if doc.Find("#state").AttrOr("data-now", "") != "2026-11-21T00:47:00Z" {
			t.Error("the script does not learn the server's time")
		}
	}
}

// Buyers without script, and screen readers, get the time of the expiry, with its day if
// that is not today.
func TestPay_ExpiryDay(t *testing.T) {
	t.Parallel()
	for left, want := range map[time.Duration]string{
		2 * time.Hour: "Vence às 23:47", 3 * time.Hour: "Vence em 21 de nov. de 2026, 00:47",
		24 * time.Hour: "Vence em 21 de nov. de 2026, 21:47",
	} {
		p := pending()
		p.ExpiresAt = now.Add(left)
		doc := render(t, i18n.Portuguese, hosted.Pay(p))
		for _, part := range []string{"[data-expiry] > .no-js", "[data-expiry] .sr-only"} {
			if got := text(doc.Find(part)); got != want {
				t.Errorf("%s left: %s says %q, want %q", left, part, got, want)
			}
		}
	}
}

// The buyer sees which host a way back leads to, and what has the look of another
// host is not shown as one.
func TestPay_ReturnHost(t *testing.T) {
	t.Parallel()
	for _, status := range []string{pages.StatusPending, pages.StatusPaid, pages.StatusExpired, pages.StatusCancelled} {
		p := pending()
		p.Status, p.ReturnURL = status, "https://banco.test:pix@loja.test:8443/banco.test"
		doc := render(t, i18n.Portuguese, hosted.Pay(p))
		link := doc.Find("main a[rel=noreferrer]")
		if link.Length() != 1 || link.AttrOr("href", "") != p.ReturnURL || text(link) != "Voltar para Ateliê Aurora" ||
			!strings.Contains(doc.Text(), "Abre loja.test:8443") {
			t.Errorf("%s: %q leads to %q", status, text(link), link.AttrOr("href", ""))
		}
	}
}

// A renewal that the institution did not take says so, with what to quote.
func TestPay_NotRenewed(t *testing.T) {
	t.Parallel()
	doc := render(t, i18n.Portuguese, hosted.Pay(payStates()["not renewed"]))
	if got := text(doc.Find("[role=alert]")); !strings.HasPrefix(got, "Não foi possível gerar o Pix agora") ||
		!strings.Contains(doc.Text(), "req_4f0e") {
		t.Errorf("it says %q", got)
	}
}

// An address that is not http(s) never becomes a link.
func TestPay_ReturnURL(t *testing.T) {
	t.Parallel()
	for _, status := range []string{pages.StatusPaid, pages.StatusExpired, pages.StatusCancelled} {
		p := pending()
		p.Status, p.ReturnURL = status, "javascript:alert(1)"
		html, _ := render(t, i18n.Portuguese, hosted.Pay(p)).Html()
		if strings.Contains(html, "javascript:") {
			t.Errorf("%s links to a script", status)
		}
	}
}

// A 404 shows the brand of no merchant, and says not to pay.
func TestPayNotFound(t *testing.T) {
	t.Parallel()
	doc := render(t, i18n.Portuguese, pages.PayNotFound(pages.ErrorProps{Status: 404, RequestID: "req_4f0e"}))
	if got := text(doc.Find("main")); got != "Não encontramos esta cobrançaConfira o link com quem enviou. Não pague "+
		"por um link que você não esperava. Referência req_4f0e" {
		t.Errorf("main = %q", got)
	}
	if doc.Find("script").Length() > 0 {
		t.Error("an error page needs no script")
	}
}

func TestError(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{
		403: "Você não tem acesso a esta página", 404: "Não encontramos esta página", 429: "Muitas tentativas",
		400: "Não conseguimos processar o envio", 409: "Não conseguimos processar o envio",
		500: "Algo falhou do nosso lado",
		503: "Algo falhou do nosso lado", 0: "Algo falhou do nosso lado",
	} {
		if got := text(render(t, i18n.Portuguese,
			pages.Error(pages.ErrorProps{Status: status})).Find("h1")); got != want {
			t.Errorf("%d: %q, want %q", status, got, want)
		}
	}
}
