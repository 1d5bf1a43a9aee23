package hosted

import (
	"context"
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
)

// LinkProps is the hosted page of a payment link, GET and POST /l/{id}. Fields:
// name, email, quantity or amount, step, which is "less" or "more" to change the quantity, and token, which is the
// same each time one form is sent.
type LinkProps struct {
	Action           string // where the form posts to
	Token            string
	Live             bool
	MerchantName     string
	MerchantDocument string // formatted CNPJ or CPF; "" leaves it out
	Name             string // of the product
	Description      string
	Picture          base.ProductPicture
	PreviewImage     string      // absolute, of the large picture or elsewhere; messengers load it, this page does not
	Amount           money.Cents // of one unit; not used if Open
	Quantity         int         // chosen, at least 1
	MaxQuantity      int         // at 1 the page does not ask
	Step             string      // the button that was pressed
	Open             bool        // the buyer chooses an amount from Least to Most
	Least, Most      money.Cents
	TypedAmount      string    // as typed
	Left             int       // units of the stock; 0 without a stock
	EndsAt           time.Time // of the link; the zero time for never
	BuyerData        string    // one of models.BuyerData
	PaymentCycle     string    // of the product, one of models.PaymentCycles
	BuyerName        string    // as typed
	BuyerEmail       string
	Errors           components.FieldErrors
	ProviderError    bool   // the Pix code could not be obtained
	RequestID        string // the reference to quote then
	Demo             bool
	Legal            layouts.Legal
	Brand            base.PayBrand
}

// LinkInactiveProps is the 404 of a link that exists and cannot be used now.
type LinkInactiveProps struct {
	MerchantName string
	Name         string    // of the product
	Stopped      bool      // the merchant may not charge now; another link would not help
	EndedAt      time.Time // the link's end; the zero time if that is not why
	SoldOut      bool
	Held         bool   // open charges hold units, which may come back
	OpenPath     string // of the charge that this browser has open; "" for none
	Brand        base.PayBrand
	Demo         bool
	Legal        layouts.Legal
}

// texts returns why the link cannot be used, and what the buyer can do.
func (p LinkInactiveProps) texts(ctx context.Context) (title, body string) {
	switch {
	case p.Stopped:
		return i18n.T(ctx, "pay.stopped_title"), i18n.T(ctx, "link.stopped_body", p.MerchantName)
	case p.SoldOut && p.Held:
		return i18n.T(ctx, "link.held_title", p.Name), i18n.T(ctx, "link.held_body", p.MerchantName)
	case p.SoldOut:
		return i18n.T(ctx, "link.sold_out_title", p.Name), i18n.T(ctx, "link.sold_out_body", p.MerchantName)
	case !p.EndedAt.IsZero():
		return i18n.T(ctx, "link.ended_title", p.Name),
			i18n.T(ctx, "link.ended_body", i18n.DateTime(ctx, p.EndedAt), p.MerchantName)
	}
	return i18n.T(ctx, "link.inactive_title"), i18n.T(ctx, "link.inactive_body", p.MerchantName)
}

// off reports whether a button of the quantity can do nothing.
func (p LinkProps) off(step string) bool {
	return step == "less" && p.Quantity <= 1 || step == "more" && p.Quantity >= p.MaxQuantity
}

// total is what the chosen quantity costs.
func (p LinkProps) total() money.Cents { return p.Amount * money.Cents(max(p.Quantity, 1)) }

// price is what the page asks, in words.
func (p LinkProps) price(ctx context.Context) string {
	if p.Open {
		return i18n.T(ctx, "link.any_amount")
	}
	return i18n.Money(ctx, p.Amount)
}

// amountHint says which amounts the buyer may choose.
func (p LinkProps) amountHint(ctx context.Context) string {
	return i18n.T(ctx, "link.amount_hint", i18n.Money(ctx, p.Least), i18n.Money(ctx, p.Most))
}

// required reports whether the buyer has to say who pays.
func (p LinkProps) required() bool { return p.BuyerData == "REQUIRED" }

func (p LinkProps) frame(ctx context.Context) layouts.PayProps {
	price := p.Name + " · " + p.price(ctx)
	about := p.Description
	if about == "" {
		about = i18n.T(ctx, "pay.description", p.MerchantName)
	}
	title := base.FormTitle(ctx, price+" · "+p.MerchantName, p.Errors)
	if p.ProviderError {
		title = i18n.T(ctx, "form.error") + " " + title
	}
	return p.Brand.Frame(layouts.PayProps{
		Title: title, Description: i18n.T(ctx, "pay.description", p.MerchantName), Demo: p.Demo,
		Preview: &layouts.Preview{Title: price, Description: about, Image: p.PreviewImage, ImageWidth: p.Picture.Width,
			ImageHeight: p.Picture.Height},
	})
}

// document is the merchant's, with its name.
func (p LinkProps) document(ctx context.Context) string {
	if p.MerchantDocument == "" {
		return ""
	}
	return documentLabel(ctx, p.MerchantDocument) + " " + p.MerchantDocument
}
