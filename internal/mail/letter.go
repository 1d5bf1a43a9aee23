// Package mail writes mails to people and sends them by SMTP. The facts of a mail are in
// its row (models.Mail); its texts are in the catalogs, under "mail".
package mail

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"garoupa/internal/auth/vault"
	"garoupa/internal/money"
	"garoupa/internal/taxid"
	"garoupa/models"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	"garoupa/views/mails"
)

// kind describes one kind of mail: its params, and the page of the dashboard that its
// button opens, "" for a mail without a button.
type kind struct {
	params []string
	path   string
}

const (
	accountPage      = "/app/producao" // shows the switches of an account, with their reasons
	companyPage      = "/app/configuracoes/empresa"
	securityPage     = "/app/configuracoes/seguranca"
	destinationsPage = "/app/saques/destinos"
	withdrawalPage   = "/app/saques/{withdrawal}"
	termsPart        = "/app/saldo#terms"
	bankAccountPage  = "/ops/bancos/{bank}"
	disputePage      = "/app/disputas/{dispute}"
	staffDisputePage = "/ops/disputas/{dispute}"
	ownBankPage      = "/app/conta-bancaria"
	noticesPage      = "/app/configuracoes/avisos"
	monthSales       = "/app/saldo/vendas?from={first}&until={last}"
	monthStatement   = "/app/saldo?from={first}&until={last}"
)

// kinds describes each kind of mail. The texts of a kind are "mail.<kind>_subject",
// "mail.<kind>_body", whose lines are paragraphs, and "mail.<kind>_action" for the button.
// Params appear in the texts and in the path in braces.
var kinds = map[string]kind{
	models.MailVerifyEmail:         {[]string{"name", "token"}, "/verificar-email?token={token}"},
	models.MailInvite:              {[]string{"inviter", "account", "role", "token"}, "/convite/{token}"},
	models.MailResetPassword:       {[]string{"name", "token"}, "/redefinir-senha?token={token}"},
	models.MailOwnerChanged:        {[]string{"account", "owner", "before"}, "/app/equipe"},
	models.MailPasswordChanged:     {[]string{"name", "at"}, securityPage},
	models.MailNewDevice:           {[]string{"name", "at", "ip", "browser", "token"}, "/nao-fui-eu?token={token}"},
	models.MailEmailChange:         {[]string{"name", "token"}, "/confirmar-email?token={token}"},
	models.MailEmailChangeAsked:    {[]string{"name", "email", "at"}, "/esqueci-senha"},
	models.MailEmailChanged:        {[]string{"name", "email", "at"}, ""},
	models.MailEmailTaken:          {[]string{"name", "email"}, "/entrar"},
	models.MailTOTPEnrolled:        {[]string{"name", "at"}, securityPage},
	models.MailTOTPDisabled:        {[]string{"name", "at"}, securityPage},
	models.MailRecoveryCodeUsed:    {[]string{"name", "at"}, securityPage},
	models.MailLogInGuesses:        {[]string{"name", "at"}, securityPage},
	models.MailWrongCodes:          {[]string{"name", "at"}, securityPage},
	models.MailPasskeyAdded:        {[]string{"name", "passkey", "at"}, securityPage},
	models.MailPasskeyRemoved:      {[]string{"name", "passkey", "at"}, securityPage},
	models.MailIdentityLinked:      {[]string{"name", "at"}, securityPage},
	models.MailIdentityUnlinked:    {[]string{"name", "at"}, securityPage},
	models.MailWebhookFailing:      {[]string{"name", "host", "at", "endpoint"}, "/app/webhooks/{endpoint}"},
	models.MailWebhookDisabled:     {[]string{"name", "host", "at", "endpoint"}, "/app/webhooks/{endpoint}"},
	models.MailTestWebhookFailing:  {[]string{"name", "host", "at", "endpoint"}, "/app/webhooks/{endpoint}"},
	models.MailTestWebhookDisabled: {[]string{"name", "host", "at", "endpoint"}, "/app/webhooks/{endpoint}"},
	models.MailWebhookGone:         {[]string{"name", "host", "at", "endpoint"}, "/app/webhooks/{endpoint}"},
	models.MailTestWebhookGone:     {[]string{"name", "host", "at", "endpoint"}, "/app/webhooks/{endpoint}"},
	models.MailAccessApproved:      {[]string{"name", "account"}, "/app/producao"},
	models.MailAccessRejected:      {[]string{"name", "account"}, "/app/producao"},
	models.MailAccessReturned:      {[]string{"name", "account"}, "/app/producao"},
	models.MailAccessRevoked:       {[]string{"name", "account"}, "/app/producao"},

	models.MailAccountSuspended:     {[]string{"name", "account", "reason"}, accountPage},
	models.MailAccountResumed:       {[]string{"name", "account", "reason"}, accountPage},
	models.MailLiveBlocked:          {[]string{"name", "account", "reason"}, accountPage},
	models.MailLiveUnblocked:        {[]string{"name", "account", "reason"}, accountPage},
	models.MailWithdrawalsBlocked:   {[]string{"name", "account", "reason"}, accountPage},
	models.MailWithdrawalsUnblocked: {[]string{"name", "account", "reason"}, accountPage},

	models.MailNameApproved: {[]string{"name", "account", "new_name"}, companyPage},
	models.MailNameRefused:  {[]string{"name", "account", "new_name", "reason"}, companyPage},

	models.MailFeeChanged: {[]string{
		"name", "account", "fee_before", "fee", "withdrawal_fee_before", "withdrawal_fee", "at", "reason",
	}, termsPart},
	models.MailLimitsChanged: {[]string{
		"name", "account", "min_amount", "max_amount", "settlement_delay", "destination_hold",
		"webhook_endpoints", "at", "reason",
	}, termsPart},

	models.MailBankAccountChanged: {[]string{
		"name", "bank_name", "bank_change", "by", "certificate", "at", "bank",
	}, bankAccountPage},
	models.MailBankCertificateEnds: {[]string{"name", "bank_name", "certificate", "at", "bank"}, bankAccountPage},
	models.MailBankSilent:          {[]string{"name", "bank_name", "at", "bank"}, bankAccountPage},
	models.MailPayoutUnknown: {[]string{"name", "amount", "destination", "at", "withdrawal"},
		"/ops/saques/{withdrawal}"},

	models.MailOwnBankProposed: {[]string{"name", "account", "bank_name", "bank"}, bankAccountPage},
	models.MailOwnBankChanged: {[]string{"name", "account", "bank_name", "bank_change", "certificate", "at"},
		ownBankPage},
	models.MailOwnBankCertificateEnds: {[]string{"name", "account", "bank_name", "certificate", "at", "bank"},
		ownBankPage},

	models.MailDestinationRequested: {[]string{"name", "account", "destination", "at"}, destinationsPage},
	models.MailDestinationApproved:  {[]string{"name", "account", "destination", "at"}, destinationsPage},
	models.MailDestinationRejected:  {[]string{"name", "account", "destination", "at"}, destinationsPage},
	models.MailWithdrawalCompleted: {[]string{"name", "account", "amount", "destination", "withdrawal"},
		withdrawalPage},
	models.MailWithdrawalRejected: {[]string{"name", "account", "amount", "destination", "withdrawal"}, withdrawalPage},
	models.MailWithdrawalFailed:   {[]string{"name", "account", "amount", "destination", "withdrawal"}, withdrawalPage},
	models.MailWithdrawalReturned: {[]string{"name", "account", "amount", "destination", "withdrawal"}, withdrawalPage},

	models.MailDisputeOpened:      {[]string{"name", "account", "amount", "at", "dispute"}, disputePage},
	models.MailDisputeDue:         {[]string{"name", "account", "amount", "at", "dispute"}, disputePage},
	models.MailDisputeOpenedStaff: {[]string{"name", "account", "amount", "at", "dispute"}, staffDisputePage},
	models.MailDisputeDueStaff:    {[]string{"name", "account", "amount", "at", "dispute"}, staffDisputePage},

	models.MailKeyEnds: {[]string{"name", "key_name", "key", "at"}, "/app/chaves"},

	models.MailChargePaid: {[]string{"name", "account", "amount", "description", "order", "at", "charge"},
		"/app/cobrancas/{charge}"},
	models.MailChargesPaid: {[]string{"name", "account", "count", "alone", "amount", "at", "until"},
		"/app/cobrancas?status=PAID"},

	models.MailMonthClosed: {[]string{
		"name", "account", "month", "sales", "opening", "gross", "fees", "refunds", "withdrawals", "closing", "first",
		"last",
	}, monthSales},

	models.MailReceipt: {[]string{
		"merchant", "amount", "paid_at", "refunded", "recipient", "recipient_document", "end_to_end_id",
		"description", "order",
		"payer", "charge",
	}, "/pay/{charge}"},
}

// facts are the params of a kind that are shown one per line, each with the label
// "mail.fact_<param>", and with "<param>_before" if the mail has it. A mail may lack some.
var facts = map[string][]string{
	models.MailNewDevice: {"browser", "ip", "at"},

	models.MailBankAccountChanged: {"bank_change", "bank_name", "certificate", "by", "at"},

	models.MailBankCertificateEnds: {"bank_name", "certificate", "at"},

	models.MailOwnBankProposed:        {"account", "bank_name"},
	models.MailOwnBankChanged:         {"bank_change", "bank_name", "certificate"},
	models.MailOwnBankCertificateEnds: {"bank_name", "certificate"},

	models.MailKeyEnds: {"key_name", "key"},

	models.MailChargePaid: {"amount", "description", "order", "at", "charge"},
	models.MailFeeChanged: {"fee", "withdrawal_fee"},
	models.MailReceipt: {"amount", "paid_at", "refunded", "description", "order", "recipient", "recipient_document",
		"payer", "end_to_end_id", "charge"},
	models.MailMonthClosed: {"sales", "opening", "gross", "fees", "refunds", "withdrawals", "closing"},
	models.MailLimitsChanged: {"min_amount", "max_amount", "settlement_delay", "destination_hold",
		"webhook_endpoints"},
}

// further are the pages that mails lead to besides that of their button, with the text "mail.<kind>_further".
var further = map[string]string{models.MailMonthClosed: monthStatement}

// maxParam bounds a param in characters, because other people choose names. The reasons of
// staff and the merchant's description and order number have longer limits.
const maxParam = 200

var longest = map[string]int{"reason": 500, "description": 500, "order": 255}

// Writer writes the texts of mails.
type Writer struct {
	Vault  *vault.Vault
	AppURL string // the dashboard's address, without a slash at the end

	CheckoutURL string // the hosted pages' address, without a slash at the end

	// SupportURL is where people reach the operator of the installation, a page or
	// mailto:…; "" if there is none.
	SupportURL string
}

// Letter is a mail as its reader sees it.
type Letter struct {
	Subject, Text, HTML string
	URL                 string // opened by its button; "" without one
}

// Write returns the texts of a mail. It fails for an unknown kind.
func (w *Writer) Write(ctx context.Context, m *models.Mail) (Letter, error) {
	k, known := kinds[m.Kind]
	if !known {
		return Letter{}, fmt.Errorf("mail: no kind %q", m.Kind)
	}
	lang, _ := i18n.Parse(m.Language)
	ctx = i18n.With(ctx, lang)
	fill := params(ctx, m.Params)
	p := mails.LetterProps{
		Subject:    fill.Replace(i18n.T(ctx, "mail."+m.Kind+"_subject")),
		Paragraphs: strings.Split(fill.Replace(i18n.T(ctx, "mail."+m.Kind+"_body")), "\n"),
		Footer:     i18n.T(ctx, "mail.footer", w.AppURL),
		Support:    w.support(ctx),
		Notices:    w.notices(ctx, m.Kind),
		Brand:      layouts.Brand,
		Home:       w.AppURL,
	}
	for _, name := range facts[m.Kind] {
		if _, has := m.Params[name]; !has {
			continue
		}
		value := fill.Replace("{" + name + "}")
		if _, has := m.Params[name+"_before"]; has {
			value = i18n.T(ctx, "mail.fact_change", fill.Replace("{"+name+"_before}"), value)
		}
		p.Facts = append(p.Facts, mails.Fact{Name: i18n.T(ctx, "mail.fact_"+name), Value: value})
	}
	if k.path != "" {
		p.Action = fill.Replace(i18n.T(ctx, "mail."+m.Kind+"_action"))
		p.URL = w.AppURL + w.inLink(m.Params).Replace(k.path)
	}
	if path := further[m.Kind]; path != "" {
		p.Further = fill.Replace(i18n.T(ctx, "mail."+m.Kind+"_further"))
		p.FurtherURL = w.AppURL + w.inLink(m.Params).Replace(path)
	}
	if m.Kind == models.MailReceipt {
		w.toBuyer(ctx, &p, m, fill)
	}
	html := &strings.Builder{}
	if err := mails.Letter(p).Render(ctx, html); err != nil {
		return Letter{}, fmt.Errorf("mail: write %s: %w", m.Kind, err)
	}
	return Letter{Subject: p.Subject, Text: plain(p), HTML: html.String(), URL: p.URL}, nil
}

// toBuyer makes a letter one of the merchant to a buyer, who knows nothing of a dashboard.
func (w *Writer) toBuyer(ctx context.Context, p *mails.LetterProps, m *models.Mail, fill *strings.Replacer) {
	p.Brand, p.Home = fill.Replace("{merchant}"), w.CheckoutURL
	p.URL = w.CheckoutURL + w.inLink(m.Params).Replace(kinds[m.Kind].path)
	p.Footer, p.Support = i18n.T(ctx, "mail.footer_buyer", layouts.Brand), ""
	if m.Params["contact"] != "" {
		p.Support = fill.Replace(i18n.T(ctx, "mail.contact"))
	}
	if m.Params["test"] != "" {
		p.Paragraphs = append([]string{i18n.T(ctx, "mail.test_receipt")}, p.Paragraphs...)
	}
	if m.Params["thanks"] != "" || m.Params["thanks_url"] != "" {
		p.Note = &mails.Note{Title: fill.Replace(i18n.T(ctx, "mail.thanks")),
			Lines: strings.Split(m.Params["thanks"], "\n"), Label: fill.Replace("{thanks_label}"),
			URL: m.Params["thanks_url"]}
	}
}

// support returns the line that names the support address, or "".
func (w *Writer) support(ctx context.Context) string {
	if w.SupportURL == "" {
		return ""
	}
	return i18n.T(ctx, "mail.support", strings.TrimPrefix(w.SupportURL, "mailto:"))
}

// notices returns the line that says where to turn this kind of mail off, or "" for mails
// that cannot be turned off.
func (w *Writer) notices(ctx context.Context, kind string) string {
	switch kind {
	case models.MailChargePaid, models.MailChargesPaid:
		return i18n.T(ctx, "mail.notices", w.AppURL+noticesPage)
	case models.MailMonthClosed:
		return i18n.T(ctx, "mail.notices_off", w.AppURL+noticesPage)
	}
	return ""
}

// params replaces the braces of a text. Values become one short line each, so that they
// cannot look like markup or another paragraph.
func params(ctx context.Context, values map[string]string) *strings.Replacer {
	var pairs []string
	for name, value := range values {
		switch name {
		case "token":
			continue // only a link may contain it
		case "fee", "fee_before", "withdrawal_fee", "withdrawal_fee_before":
			fee, _ := money.ParseFee(value)
			value = i18n.Fee(ctx, fee)
		case "settlement_delay", "destination_hold":
			seconds, _ := strconv.ParseInt(value, 10, 64)
			value = i18n.Span(ctx, time.Duration(seconds)*time.Second)
		case "amount", "refunded", "min_amount", "max_amount", "opening", "gross", "fees", "refunds", "withdrawals",
			"closing":
			cents, _ := strconv.ParseInt(value, 10, 64)
			value = i18n.Money(ctx, money.Cents(cents))
		case "at":
			at, _ := time.Parse(time.RFC3339, value)
			value = i18n.DateTime(ctx, at)
		case "paid_at":
			at, _ := time.Parse(time.RFC3339, value)
			value = i18n.Instant(ctx, at)
		case "recipient_document":
			value = taxid.Format(value)
		case "until":
			until, _ := time.Parse(time.RFC3339, value)
			value = i18n.Clock(ctx, until)
		case "month":
			month, _ := time.Parse(time.RFC3339, value)
			value = i18n.MonthOfYear(ctx, month)
		case "count", "sales":
			n, _ := strconv.Atoi(value)
			value = i18n.Number(ctx, n)
		case "bank_change":
			value = i18n.T(ctx, "mail.bank_"+value)
		case "role":
			value = i18n.T(ctx, "role."+value)
		default:
			value = strings.Join(strings.Fields(value), " ")
			most := cmp.Or(longest[name], maxParam)
			if runes := []rune(value); len(runes) > most {
				value = string(runes[:most]) + "…"
			}
		}
		pairs = append(pairs, "{"+name+"}", value)
	}
	return strings.NewReplacer(pairs...)
}

// inLink replaces the braces of a path. Ids need no escaping.
func (w *Writer) inLink(values map[string]string) *strings.Replacer {
	var pairs []string
	for name, value := range values {
		if name == "token" {
			value = w.Vault.Token(value)
		}
		pairs = append(pairs, "{"+name+"}", value)
	}
	return strings.NewReplacer(pairs...)
}

// plain returns the letter for mail programs that show no HTML.
func plain(p mails.LetterProps) string {
	parts := p.Paragraphs
	if len(p.Facts) > 0 {
		lines := make([]string, len(p.Facts))
		for i, f := range p.Facts {
			lines[i] = f.Name + ": " + f.Value
		}
		parts = append(parts, strings.Join(lines, "\n"))
	}
	if p.Action != "" {
		parts = append(parts, p.Action+":\n"+p.URL)
	}
	if p.Further != "" {
		parts = append(parts, p.Further+":\n"+p.FurtherURL)
	}
	if p.Note != nil {
		note := p.Note.Title + "\n" + strings.TrimSpace(strings.Join(p.Note.Lines, "\n"))
		if p.Note.URL != "" {
			note += "\n" + p.Note.Label + ": " + p.Note.URL
		}
		parts = append(parts, note)
	}
	foot := "-- \n" + p.Footer
	if p.Support != "" {
		foot += "\n" + p.Support
	}
	if p.Notices != "" {
		foot += "\n" + p.Notices
	}
	return strings.Join(append(parts, foot), "\n\n") + "\n"
}
