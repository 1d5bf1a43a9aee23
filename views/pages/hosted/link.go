package hosted

import (
	"context"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
)

// LinkProps is the hosted page of a payment link, GET and POST /l/{id}. Fields:
// name, email, and token, which is the same each time one form is sent.
type LinkProps struct {
	Action           string // where the form posts to
	Token            string
	Live             bool
	MerchantName     string
	MerchantDocument string // formatted CNPJ or CPF; "" leaves it out
	Name             string // of the product
	Description      string
	Picture          base.ProductPicture
	PreviewImage     string // absolute, of the large picture or elsewhere; messengers load it, this page does not
	Amount           money.Cents
	PaymentCycle     string // of the product, one of models.PaymentCycles
	BuyerName        string // as typed
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
	Stopped      bool // the merchant may not charge now; another link would not help
	Brand        base.PayBrand
	Demo         bool
	Legal        layouts.Legal
}

// texts returns why the link cannot be used, and what the buyer can do.
func (p LinkInactiveProps) texts(ctx context.Context) (title, body string) {
	if p.Stopped {
		return i18n.T(ctx, "pay.stopped_title"), i18n.T(ctx, "link.stopped_body", p.MerchantName)
	}
	return i18n.T(ctx, "link.inactive_title"), i18n.T(ctx, "link.inactive_body", p.MerchantName)
}

func (p LinkProps) frame(ctx context.Context) layouts.PayProps {
	price := p.Name + " · " + i18n.Money(ctx, p.Amount)
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
