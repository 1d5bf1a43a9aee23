package payload

import (
	"strconv"

	"garoupa/models"
)

// AppendPaymentLink appends a payment link (contract 2.6), with the product's current
// values. A link with terms that the contract does not know has members for these, too.
func AppendPaymentLink(dst []byte, l *models.PaymentLink, checkoutURL string) []byte {
	dst = append(dst, '{')
	dst = stringMember(dst, "paymentLinkId", l.ID)
	dst = boolMember(dst, "livemode", l.Environment == models.Live)
	dst = boolMember(dst, "active", l.Active)
	dst = stringMember(dst, "productId", l.Product.Slug)
	dst = strconv.AppendInt(member(dst, "amount"), int64(l.Product.Amount), 10)
	dst = stringMember(dst, "currency", "BRL")
	dst = stringMember(dst, "name", l.Product.Name)
	dst = nullableMember(dst, "description", l.Product.Description)
	dst = nullableMember(dst, "imageUrl", imageURL(&l.Product, checkoutURL))
	dst = stringMember(dst, "paymentCycle", l.Product.PaymentCycle)
	dst = strconv.AppendInt(member(dst, "expiresInSeconds"), int64(l.ExpiresInSeconds), 10)
	dst = nullableMember(dst, "successUrl", l.SuccessURL)
	dst = nullableMember(dst, "returnUrl", l.ReturnURL)
	dst = appendLinkTerms(dst, l)
	dst = timeMember(dst, "createdAt", l.CreatedAt)
	dst = timeMember(dst, "updatedAt", l.UpdatedAt)
	return append(dst, '}')
}

// appendLinkTerms appends the terms that differ from those of a link as the contract knows it.
func appendLinkTerms(dst []byte, l *models.PaymentLink) []byte {
	if l.BuyerData != models.BuyerDataOptional {
		dst = stringMember(dst, "buyerData", string(l.BuyerData))
	}
	if l.MaxQuantity != 1 {
		dst = strconv.AppendInt(member(dst, "maxQuantity"), int64(l.MaxQuantity), 10)
	}
	if open := l.OpenAmount; open != nil {
		dst = strconv.AppendInt(member(append(member(dst, "openAmount"), '{'), "minAmount"), int64(open.Min), 10)
		dst = append(strconv.AppendInt(member(dst, "maxAmount"), int64(open.Max), 10), '}')
	}
	if left := l.Left(); left != nil {
		dst = strconv.AppendInt(member(dst, "stock"), int64(*left), 10)
	}
	if l.EndsAt != nil {
		dst = timeMember(dst, "endsAt", *l.EndsAt)
	}
	return dst
}

// imageURL returns the address of a product's picture: on our host, or elsewhere if it was
// set before pictures could be uploaded.
func imageURL(p *models.Product, checkoutURL string) *string {
	if p.Picture.Hash == "" {
		return p.ImageURL
	}
	address := checkoutURL + "/fotos/" + p.Picture.Hash + ".jpg"
	return &address
}
