// Package hosted holds the pages that buyers see: the hosted checkout, payment links and help.
package hosted

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
)

// PayProps is the hosted checkout, GET /pay/{id}. It does not show who pays, because the
// address is made to be shared.
//
// Pay renders the whole page; PayState renders the part that changes with the status, for
// requests with "X-Fragment: state". The page listens to /pay/{id}/events (event "status",
// data = the new status) and reads its own address again whenever the status may have
// changed.
type PayProps struct {
	ID                string
	Address           string // of this page, absolute, for paper and for sharing
	PreviewImage      string // absolute, a square of 512 pixels; messengers load it, this page does not
	Query             string // "?lang=en" if the buyer chose a language, for the forms to keep
	Status            string // StatusPending and so on
	Live              bool
	Amount            money.Cents
	Description       string
	ExternalID        string
	MerchantName      string
	Recipient         string // who receives the money; "" leaves the row out
	RecipientDocument string // formatted CNPJ or CPF; "" leaves the row out
	RecipientKnown    bool   // the buyer's bank shows the recipient by this name and document
	Institution       string // the receiving institution; "" leaves the row out
	CopyPaste         string // the BR Code
	QR                components.QRProps
	CreatedAt         time.Time
	ExpiresAt         time.Time
	Now               time.Time // the server's clock; the countdown never trusts the phone's
	PaidAt            *time.Time
	EndToEndID        string      // of the payment; "" leaves the row out
	Refunded          money.Cents // what of the payment the buyer has again; 0 leaves the row out
	Thanks            Thanks
	Receipt           ReceiptForm
	ReturnURL         string // http(s), checked by the caller; "" shows no way back
	Brand             base.PayBrand
	FromLink          bool // made by a payment link: an expired one can be renewed
	// ProviderError is set when the Pix code, or another after an expired one, could
	// not be obtained. RequestID is shown as the reference to quote.
	ProviderError bool
	RequestID     string
	Demo          bool
	Legal         layouts.Legal
}

// Thanks is what the merchant says to who has paid.
type Thanks struct {
	Text  string // "" for none
	Label string // of a button
	URL   string // https, checked by the caller; "" for no button
}

// ReceiptForm asks where to send the receipt of a paid checkout, POST /pay/{id}/receipt. Fields: email, "" for the
// known address, and key, which sends one receipt however often the form is sent.
type ReceiptForm struct {
	Key    string // "" offers no mail
	Known  string // the address that came with the checkout, masked; "" for none
	Typed  string
	Sent   bool
	Errors components.FieldErrors
}

// stateUnavailable is shown in place of PENDING when there is no Pix code.
const stateUnavailable = "UNAVAILABLE"

// state decides what is shown.
func (p PayProps) state() string {
	if p.ProviderError && p.Status == base.StatusPending {
		return stateUnavailable
	}
	return p.Status
}

// action is where one of the page's forms posts to.
func (p PayProps) action(act string) string { return "/pay/" + p.ID + "/" + act + p.Query }

// title is the document's: the state first, since tabs cut the rest.
func (p PayProps) title(ctx context.Context) string {
	rest := i18n.Money(ctx, p.Amount) + " · " + p.MerchantName
	switch p.state() {
	case stateUnavailable:
		return i18n.T(ctx, "pay.tab_unavailable") + " · " + p.MerchantName
	case base.StatusPaid:
		return i18n.T(ctx, "pay.tab_paid") + " · " + rest
	case base.StatusExpired:
		return i18n.T(ctx, "pay.tab_expired") + " · " + rest
	case base.StatusCancelled:
		return i18n.T(ctx, "pay.tab_cancelled") + " · " + rest
	case base.StatusStopped:
		return i18n.T(ctx, "pay.tab_stopped") + " · " + rest
	case base.StatusMispaid:
		return i18n.T(ctx, "pay.tab_mispaid") + " · " + rest
	}
	return i18n.T(ctx, "pay.title") + " · " + rest
}

// preview leaves out the status, because messengers keep it, and what was ordered.
func (p PayProps) preview(ctx context.Context) *layouts.Preview {
	return &layouts.Preview{
		Title:       i18n.Money(ctx, p.Amount) + " · " + p.MerchantName,
		Description: i18n.T(ctx, "pay.description", p.MerchantName),
		Image:       p.PreviewImage, ImageWidth: 512, ImageHeight: 512,
	}
}

// announcement is read out when the page changes to this state.
func (p PayProps) announcement(ctx context.Context) string {
	switch p.state() {
	case base.StatusPaid:
		return i18n.T(ctx, "pay.paid_live")
	case base.StatusExpired:
		return i18n.T(ctx, "pay.expired_live")
	case base.StatusCancelled:
		return i18n.T(ctx, "pay.cancelled_live")
	case base.StatusStopped:
		return i18n.T(ctx, "pay.stopped_title")
	case base.StatusSlow:
		return i18n.T(ctx, "pay.slow")
	case base.StatusMispaid:
		return i18n.T(ctx, "pay.mispaid_live")
	}
	return ""
}

func (p PayProps) expiredBody(ctx context.Context) string {
	if p.FromLink {
		return i18n.T(ctx, "pay.expired_body_link")
	}
	return i18n.T(ctx, "pay.expired_body", p.MerchantName)
}

// documentLabel tells a CPF from a CNPJ by its length.
func documentLabel(ctx context.Context, document string) string {
	if len(document) <= len("000.000.000-00") {
		return i18n.T(ctx, "pay.cpf")
	}
	return i18n.T(ctx, "pay.cnpj")
}

// hostOf returns the host of an address, without parts that could look like another host.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// expiry returns the time of the expiry, with its day if that is not today.
func (p PayProps) expiry(ctx context.Context) string {
	if i18n.Day(p.ExpiresAt) == i18n.Day(p.Now) {
		return i18n.T(ctx, "pay.expires_at", i18n.Clock(ctx, p.ExpiresAt))
	}
	return i18n.T(ctx, "pay.expires_on", i18n.DateTime(ctx, p.ExpiresAt))
}

// urgent turns the countdown amber.
func (p PayProps) urgent() bool { return p.ExpiresAt.Sub(p.Now) <= 5*time.Minute }

// countdown writes what is left as 14:33, or 1:02:03 from an hour on.
func countdown(left time.Duration) string {
	s := max(0, int(left.Seconds()))
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s%3600/60, s%60)
	}
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}

// amountSize keeps an amount of any length on one line, on a screen of 320 pixels
// and with text at 200 %.
func amountSize(amount string) string {
	switch n := len([]rune(amount)); {
	case n <= 11:
		return "text-[min(2.5rem,11vw)]/[1.1] md:text-[3.25rem]/[1.05]"
	case n <= 14:
		return "text-[min(2rem,9vw)]/[1.15] md:text-[2.75rem]/[1.1]"
	}
	return "text-[min(1.625rem,7vw)]/[1.2] md:text-[2.25rem]/[1.1]"
}
