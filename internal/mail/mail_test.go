package mail_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"html"
	"net/http/httptest"
	netmail "net/mail"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"garoupa/internal/auth/vault"
	"garoupa/internal/mail"
	"garoupa/internal/mail/mailtest"
	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/views/i18n"
)

var at = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newWriter(t *testing.T) *mail.Writer {
	t.Helper()
	v, err := vault.New([]byte(strings.Repeat("k", vault.MinKeyLength)))
	if err != nil {
		t.Fatal(err)
	}
	return &mail.Writer{Vault: v, AppURL: "https://app.example", CheckoutURL: "https://pay.example",
		SupportURL: "mailto:suporte@example.com"}
}

func newSender(t *testing.T, address string) *mail.Sender {
	t.Helper()
	server, err := mail.ParseServer(address)
	if err != nil {
		t.Fatal(err)
	}
	return &mail.Sender{Writer: newWriter(t), Server: server,
		From: netmail.Address{Name: "Garoupa", Address: "pix@garoupa.example"}}
}

// certified returns the certificate of a server on 127.0.0.1, and the roots that trust it.
func certified(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return server.TLS.Certificates[0], roots
}

func invite(language string) *models.Mail {
	return &models.Mail{
		ID: "mail_00000000000000000001", To: "bia@example.com", Language: language, Kind: models.MailInvite,
		CreatedAt: at,
		Params: map[string]string{"inviter": "Ana <b>Lima</b>", "account": "Ateliê {token}\r\nBcc: x@y.example",
			"role": "FINANCE", "token": "tok_00000000000000000001"},
	}
}

// A mail has its text in the reader's language, as text and as HTML, and a name that people
// chose cannot become markup.
func TestSend(t *testing.T) {
	t.Parallel()
	certificate, roots := certified(t)
	server := mailtest.New(t, mailtest.Options{TLS: &tls.Config{Certificates: []tls.Certificate{certificate}}})
	s := newSender(t, "smtp://ana:hunter2@"+server.Address)
	s.Roots = roots
	link := "https://app.example/convite/" + s.Vault.Token("tok_00000000000000000001")
	for language, want := range map[string][]string{
		"pt-BR": {"Convite para a equipe de Ateliê {token} Bcc: x@y.example", "com o papel Financeiro", "Ver convite"},
		"en": {"You are invited to join Ateliê {token} Bcc: x@y.example", "with the Finance role",
			"View invitation"},
	} {
		if err := s.Send(t.Context(), invite(language)); err != nil {
			t.Fatal(err)
		}
		m := server.Next(t)
		if m.Subject != want[0] || m.From != "pix@garoupa.example" || m.To != "bia@example.com" ||
			m.Login != "ana hunter2" || m.Header.Get("Bcc") != "" {
			t.Errorf("%s: %q from %s to %s as %q, %v", language, m.Subject, m.From, m.To, m.Login, m.Header)
		}
		if m.Header.Get("Message-ID") != "<mail_00000000000000000001@garoupa.example>" ||
			m.Header.Get("Auto-Submitted") != "auto-generated" {
			t.Errorf("%s: the header is %v", language, m.Header)
		}
		for _, part := range []string{want[1], want[2], link} {
			if !strings.Contains(m.Text, part) || !strings.Contains(m.HTML, part) {
				t.Errorf("%s: %q is missing in\n%s\n%s", language, part, m.Text, m.HTML)
			}
		}
		if strings.Contains(m.HTML, "<b>") || !strings.Contains(m.HTML, `lang="`+language+`"`) ||
			strings.Contains(m.HTML, "<script") {
			t.Errorf("%s: the HTML is %s", language, m.HTML)
		}
	}
}

// Mails to a remote server are encrypted or not sent; mails to a nearby server are
// encrypted if possible.
func TestSend_TLS(t *testing.T) {
	t.Parallel()
	certificate, roots := certified(t)
	server := mailtest.New(t, mailtest.Options{TLS: &tls.Config{Certificates: []tls.Certificate{certificate}}})
	s := newSender(t, "smtp://"+server.Address)
	if err := s.Send(t.Context(), invite("en")); err == nil {
		t.Error("a certificate without a trusted root was accepted")
	}
	s.Roots = roots
	if err := s.Send(t.Context(), invite("en")); err != nil {
		t.Fatal(err)
	}
	if m := server.Next(t); !m.Encrypted {
		t.Error("the mail was sent without TLS")
	}
	server.None(t)

	open := mailtest.New(t, mailtest.Options{})
	if err := newSender(t, "smtp://ana:hunter2@"+open.Address).Send(t.Context(), invite("en")); err == nil {
		t.Error("the password was sent without TLS")
	}
	open.None(t)

	for host, near := range map[string]bool{
		"smtp://127.0.0.1": true, "smtp://[::1]:25": true, "smtp://10.1.2.3": true, "smtp://mailpit:1025": true,
		"smtp://localhost":    true,
		"smtp://mail.example": false, "smtp://203.0.113.9": false, "smtp://[2001:db8::1]": false,
	} {
		parsed, err := mail.ParseServer(host)
		if err != nil || mail.Near(parsed) != near {
			t.Errorf("%s: near is %v, %v", host, !near, err)
		}
	}
}

// The error of a mail contains neither the address nor the server's words.
func TestSend_Refused(t *testing.T) {
	t.Parallel()
	for _, answer := range []*smtp.SMTPError{
		{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "<bia@example.com> unknown"},
		{Code: 450, EnhancedCode: smtp.EnhancedCode{4, 2, 1}, Message: "<bia@example.com> is busy"},
	} {
		permanent := answer.Code >= 500
		server := mailtest.New(t, mailtest.Options{Refuse: func(string) *smtp.SMTPError { return answer }})
		err := newSender(t, "smtp://"+server.Address).Send(t.Context(), invite("en"))
		server.None(t)
		failed, ok := errors.AsType[*mail.Failure](err)
		if !ok || failed.Permanent != permanent || strings.Contains(err.Error(), "bia") ||
			!strings.Contains(err.Error(), strconv.Itoa(answer.Code)) {
			t.Errorf("%s: %v", answer, err)
		}
	}
	gone := newSender(t, "smtp://127.0.0.1:1")
	if failed, ok := errors.AsType[*mail.Failure](gone.Send(t.Context(), invite("en"))); !ok || failed.Permanent {
		t.Errorf("no server: %v", failed)
	}
}

// Every kind has its texts in both languages, and they use only the params of the kind.
func TestKinds(t *testing.T) {
	t.Parallel()
	w := newWriter(t)
	for kind, params := range mail.Kinds {
		for _, language := range []i18n.Lang{i18n.Portuguese, i18n.English} {
			m := &models.Mail{Kind: kind, Language: string(language), Params: map[string]string{}}
			for _, name := range params {
				m.Params[name] = map[string]string{"amount": "123456", "refunded": "456", "at": at.Format(time.RFC3339),
					"paid_at": at.Format(time.RFC3339), "role": "ADMIN"}[name]
			}
			letter, err := w.Write(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			if strings.ContainsAny(letter.Text+letter.URL, "{}") || strings.Contains(letter.Text, "mail."+kind) ||
				letter.Subject == "" {
				t.Errorf("%s in %s:\n%s\n%s", kind, language, letter.Subject, letter.Text)
			}
			forMembers := kind != models.MailReceipt // buyers turn to the merchant
			if strings.Contains(letter.Text, ": suporte@example.com") != forMembers ||
				strings.Contains(letter.HTML, ": suporte@example.com") != forMembers {
				t.Errorf("%s in %s names no one to contact:\n%s", kind, language, letter.Text)
			}
		}
	}
	if _, err := w.Write(t.Context(), &models.Mail{Kind: "nope"}); err == nil {
		t.Error("an unknown kind was written")
	}
}

// The mail of changed fees shows those that change, before and after.
func TestFeeChanged(t *testing.T) {
	t.Parallel()
	w := newWriter(t)
	for language, want := range map[string]string{
		"pt-BR": "Motivo: x\n\nTarifa de saque: de zero para " + i18n.Fee(i18n.With(t.Context(), "pt-BR"),
			money.Fee{BasisPoints: 50, Fixed: 1_00}) + "\n\n",
		"en": "Reason: x\n\nWithdrawal fee: from zero to " + i18n.Fee(i18n.With(t.Context(), "en"),
			money.Fee{BasisPoints: 50, Fixed: 1_00}) + "\n\n",
	} {
		letter, err := w.Write(t.Context(), &models.Mail{Kind: models.MailFeeChanged, Language: language,
			Params: map[string]string{
				"name": "Ana", "account": "Ateliê", "withdrawal_fee_before": "0.00%", "withdrawal_fee": "0.50% + 1.00",
				"at": at.Format(time.RFC3339), "reason": "x",
			}})
		if err != nil || !strings.Contains(letter.Text, want) {
			t.Errorf("%s: %s, %v", language, letter.Text, err)
		}
	}
}

// The mail of a paid charge names the charge, in the reader's language and Brasília's time,
// and links to the charge and to the setting that turns such mails off. The merchant's text
// cannot become markup.
func TestChargePaid(t *testing.T) {
	t.Parallel()
	w := newWriter(t)
	money := func(lang i18n.Lang, cents money.Cents) string { return i18n.Money(i18n.With(t.Context(), lang), cents) }
	clock := func(lang i18n.Lang, at time.Time) string { return i18n.Clock(i18n.With(t.Context(), lang), at) }
	if clock("pt-BR", at) != "09:00" {
		t.Errorf("noon in Greenwich is %s in São Paulo", clock("pt-BR", at))
	}
	const link, off = "https://app.example/app/cobrancas/chk_1", "https://app.example/app/configuracoes/avisos"
	for language, want := range map[string][]string{
		"pt-BR": {"Cobrança de " + money("pt-BR", 249_90) + " paga: Ateliê", "Valor: " + money("pt-BR", 249_90),
			"Descrição: {order} <b>x</b>", "Pedido: pedido-1042", "Paga em: 1 de mar. de 2026, " + clock("pt-BR", at),
			"Cobrança: chk_1", link, off},
		"en": {"Charge of " + money("en", 249_90) + " paid: Ateliê", "Amount: " + money("en", 249_90),
			"Description: {order} <b>x</b>", "Order: pedido-1042", "Paid on: Mar 1, 2026, " + clock("en", at),
			"Charge: chk_1", link, off},
	} {
		letter, err := w.Write(t.Context(), &models.Mail{Kind: models.MailChargePaid, Language: language,
			Params: map[string]string{
				"name": "Ana", "account": "Ateliê", "account_id": "acc_1", "amount": "24990",
				"description": "{order}\n<b>x</b>", "order": "pedido-1042",
				"at": at.Format(time.RFC3339), "charge": "chk_1",
			}})
		if err != nil || letter.Subject != want[0] || letter.URL != link {
			t.Errorf("%s: %q leads to %s, %v", language, letter.Subject, letter.URL, err)
		}
		for _, part := range want[1:] {
			_, value, _ := strings.Cut(part, ": ")
			if !strings.Contains(letter.Text, part) || !strings.Contains(letter.HTML, html.EscapeString(value)) {
				t.Errorf("%s: %q is missing in\n%s\n%s", language, part, letter.Text, letter.HTML)
			}
		}
	}
	for language, want := range map[string]string{
		"pt-BR": "De 1 de mar. de 2026, " + clock("pt-BR", at) + " a " + clock("pt-BR", at.Add(time.Hour)) +
			", 1.234 cobranças da conta Ateliê foram pagas: " + money("pt-BR", 123456_78) + " no total.",
		"en": "From Mar 1, 2026, " + clock("en", at) + " to " + clock("en", at.Add(time.Hour)) +
			", 1,234 charges of the account Ateliê were paid: " + money("en", 123456_78) + " in total.",
	} {
		letter, err := w.Write(t.Context(), &models.Mail{Kind: models.MailChargesPaid, Language: language,
			Params: map[string]string{
				"name": "Ana", "account": "Ateliê", "count": "1234", "alone": "20", "amount": "12345678",
				"at": at.Format(time.RFC3339), "until": at.Add(time.Hour).Format(time.RFC3339),
			}})
		if err != nil || !strings.Contains(letter.Text, want) || !strings.Contains(letter.Text, off) {
			t.Errorf("%s: %s, %v", language, letter.Text, err)
		}
	}
}

// The mail of a month names it, adds up, and leads to its sales and its statement.
func TestMonthClosed(t *testing.T) {
	t.Parallel()
	w := newWriter(t)
	money := func(lang i18n.Lang, cents money.Cents) string { return i18n.Money(i18n.With(t.Context(), lang), cents) }
	for language, want := range map[string][]string{
		"pt-BR": {"Fechamento de março de 2026: Ateliê", "Vendas: 1.234", "Recebido: " + money("pt-BR", 99_00),
			"Saldo no fim do mês: " + money("pt-BR", 88_00), "Saques: " + money("pt-BR", 0)},
		"en": {"March 2026 is closed: Ateliê", "Sales: 1,234", "Received: " + money("en", 99_00),
			"Balance at the end: " + money("en", 88_00), "Withdrawals: " + money("en", 0)},
	} {
		letter, err := w.Write(t.Context(), &models.Mail{Kind: models.MailMonthClosed, Language: language,
			Params: map[string]string{
				"name": "Ana", "account": "Ateliê", "month": "2026-03-01T03:00:00Z", "sales": "1234", "opening": "0",
				"gross": "9900", "fees": "100", "refunds": "1000", "withdrawals": "0", "closing": "8800",
				"first": "2026-03-01", "last": "2026-03-31",
			}})
		if err != nil || letter.Subject != want[0] {
			t.Errorf("%s: %s, %v", language, letter.Subject, err)
		}
		for _, text := range append(want[1:], w.AppURL+"/app/saldo/vendas?from=2026-03-01&until=2026-03-31",
			w.AppURL+"/app/saldo?from=2026-03-01&until=2026-03-31", "/app/configuracoes/avisos") {
			if !strings.Contains(letter.Text, text) {
				t.Errorf("%s: %q is missing in\n%s", language, text, letter.Text)
			}
		}
		if !strings.Contains(letter.HTML, `href="`+w.AppURL+`/app/saldo?from=2026-03-01&amp;until=2026-03-31"`) {
			t.Errorf("%s: no link to the statement in %s", language, letter.HTML)
		}
	}
}

// A receipt is the merchant's letter to a buyer: it names neither dashboard nor operator, and has the second of the
// payment and the merchant's words, which cannot become markup.
func TestReceipt(t *testing.T) {
	t.Parallel()
	w := newWriter(t)
	params := map[string]string{
		"merchant": "Ateliê <b>", "amount": "4990", "refunded": "990",
		"paid_at":   at.Add(7 * time.Second).Format(time.RFC3339),
		"recipient": "Ateliê Aurora Ltda", "recipient_document": "45723174000110", "end_to_end_id": "E1",
		"description": "Vaso", "charge": "chk_1", "thanks": "Chega\n<i>logo</i> {charge}", "thanks_label": "Ver",
		"thanks_url": "https://loja.example/p?a=1&b=2", "contact": "ajuda@loja.example", "test": "true",
	}
	for language, want := range map[string][]string{
		"pt-BR": {"1 de mar. de 2026, 09:00:07", "Devolvido: R$\u00a09,90", "45.723.174/0001-10", "E1",
			"Mensagem de Ateliê <b>\nChega\n<i>logo</i> " +
				"{charge}\nVer: https://loja.example/p?a=1&b=2", "ajuda@loja.example", "TESTE"},
		"en": {"Mar 1, 2026, ", ":00:07", "Message from Ateliê <b>", "TEST"},
	} {
		letter, err := w.Write(t.Context(), &models.Mail{Kind: models.MailReceipt, Language: language, Params: params})
		if err != nil || letter.URL != "https://pay.example/pay/chk_1" || strings.Contains(letter.HTML, "<i>") ||
			strings.Contains(letter.HTML, "<b>") || strings.Contains(letter.Text+letter.HTML, "app.example") {
			t.Errorf("%s: %s leads to %s, %v", language, letter.HTML, letter.URL, err)
		}
		for _, part := range want {
			if !strings.Contains(letter.Text, part) {
				t.Errorf("%s: %q is missing in\n%s", language, part, letter.Text)
			}
		}
	}
}
