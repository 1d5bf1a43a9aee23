package dashboard

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// linkErrors are the fields of a link's form in order.
var linkErrors = []string{"productId", "buyerData", "openMin", "maxQuantity", "stock", "endsAt", "expiresInSeconds",
	"successUrl", "returnUrl"}

// linkFormProps returns the form of a link with these fields.
func linkFormProps(fields pages.LinkFields) pages.LinkFormProps {
	props := pages.LinkFormProps{Fields: fields, Expiries: linkExpiries}
	for _, kind := range models.BuyerDataKinds {
		props.Kinds = append(props.Kinds, string(kind))
	}
	if fields.ExpiresIn > 0 && !slices.Contains(linkExpiries, fields.ExpiresIn) { // the API accepts others
		props.Expiries = append([]int{fields.ExpiresIn}, linkExpiries...)
	}
	return props
}

// typedLink reads the fields of a link's form as typed.
func typedLink(c *fiber.Ctx) pages.LinkFields {
	return linkFields(func(name string) string { return page.Field(c, name) })
}

// linkFields returns the fields of a link's form, which it reads by name.
func linkFields(field func(name string) string) pages.LinkFields {
	fields := pages.LinkFields{
		SuccessURL: field("successUrl"), ReturnURL: field("returnUrl"),
		BuyerData:   cmp.Or(field("buyerData"), string(models.BuyerDataOptional)),
		MaxQuantity: cmp.Or(strings.TrimSpace(field("maxQuantity")), "1"), Open: field("open") != "",
		OpenMin: field("openMin"), OpenMax: field("openMax"),
		Stock: strings.TrimSpace(field("stock")), StockWas: field("stockWas"), EndsAt: field("endsAt"),
	}
	// An invalid number is zero, which is not offered.
	fields.ExpiresIn, _ = strconv.Atoi(field("expiresInSeconds"))
	return fields
}

// readLinkFields checks the fields by the API's rules for a payment link (contract 2.5; docs/rules.md,
// "Fields"). had is the link as it is, nil for a new one.
func (s *dashboard) readLinkFields(
	fields pages.LinkFields, environment models.Environment, had *models.PaymentLink,
) (merchants.LinkForm, merchants.Invalid) {
	problems := merchants.Invalid{}
	known := slices.Contains(linkExpiries, fields.ExpiresIn)
	var hadEnd *time.Time
	if had != nil {
		known = known || fields.ExpiresIn == had.ExpiresInSeconds
		hadEnd = had.EndsAt
	}
	if !known {
		problems["expiresInSeconds"] = merchants.Unknown
	}
	in := merchants.LinkForm{ExpiresIn: time.Duration(fields.ExpiresIn) * time.Second,
		SuccessURL: linkAddress(problems, "successUrl", fields.SuccessURL, environment),
		ReturnURL:  linkAddress(problems, "returnUrl", fields.ReturnURL, environment),
		KeepStock:  had != nil && fields.Stock == fields.StockWas}
	in.BuyerData = models.BuyerData(fields.BuyerData)
	in.MaxQuantity, _ = strconv.Atoi(fields.MaxQuantity)
	if fields.Open {
		least, _ := page.ReadPrice(fields.OpenMin) // an invalid price is zero, which is refused
		most, _ := page.ReadPrice(fields.OpenMax)
		in.OpenAmount = &models.Range{Min: least, Max: most}
	}
	if fields.Stock != "" {
		left, err := strconv.Atoi(fields.Stock)
		if err != nil {
			left = -1 // refused
		}
		in.Left = &left
	}
	if fields.EndsAt != "" {
		ends, err := i18n.ParseMoment(fields.EndsAt)
		if err != nil {
			problems["endsAt"] = merchants.Malformed
		}
		in.EndsAt = &ends
	}
	terms := in.LinkTerms
	terms.Stock = in.Left
	for _, term := range payments.LinkTermsProblems(&terms, hadEnd, s.Now()) {
		if term == "openAmount" {
			term = "openMin" // the field
		}
		problems[term] = merchants.Malformed
	}
	return in, problems
}

// linkAddress reads an address for buyers, nil for none.
func linkAddress(problems merchants.Invalid, field, text string, environment models.Environment) *string {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	switch err := payments.CheckReturnURL(text, environment); {
	case errors.Is(err, payments.ErrInsecureURL):
		problems[field] = page.InsecureURL
	case errors.Is(err, payments.ErrUserURL):
		problems[field] = page.UserURL
	case err != nil:
		problems[field] = merchants.Malformed
	}
	return &text
}

// linkTerms is how a link sells, for pages.
func (s *dashboard) linkTerms(l *models.PaymentLink) pages.LinkTerms {
	terms := pages.LinkTerms{BuyerData: string(l.BuyerData), MaxQuantity: l.MaxQuantity, Oversold: l.Oversold(),
		Ended: l.Ended(s.Now())}
	if l.OpenAmount != nil {
		terms.Open, terms.Least, terms.Most = true, l.OpenAmount.Min, l.OpenAmount.Max
	}
	if left := l.Left(); left != nil {
		terms.Stocked, terms.Left = true, *left
	}
	if l.EndsAt != nil {
		terms.EndsAt = *l.EndsAt
	}
	return terms
}

// editLink shows GET /app/links/:id/editar.
func (s *dashboard) editLink(c *fiber.Ctx) error {
	link, err := s.paymentLink(c)
	if err != nil {
		return err
	}
	fields := pages.LinkFields{ExpiresIn: link.ExpiresInSeconds, SuccessURL: page.Text(link.SuccessURL),
		ReturnURL: page.Text(link.ReturnURL), BuyerData: string(link.BuyerData),
		MaxQuantity: strconv.Itoa(link.MaxQuantity), Open: link.OpenAmount != nil}
	if open := link.OpenAmount; open != nil {
		fields.OpenMin, fields.OpenMax = page.TypedPrice(c, open.Min), page.TypedPrice(c, open.Max)
	}
	if left := link.Left(); left != nil {
		fields.Stock = strconv.Itoa(*left)
		fields.StockWas = fields.Stock
	}
	if link.EndsAt != nil {
		fields.EndsAt = i18n.FieldMoment(*link.EndsAt)
	}
	return s.showEditLink(c, link, linkFormProps(fields))
}

func (s *dashboard) showEditLink(c *fiber.Ctx, link *models.PaymentLink, form pages.LinkFormProps) error {
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	form.Shell, form.Unfolded = shell, true
	form.Preview = linkPreview(link.Product.Slug, form.Fields)
	hasPreview(c)
	return page.Render(c, pages.EditLink(pages.EditLinkProps{ID: link.ID, Product: link.Product.Name, Form: form}))
}

// updateLink handles POST /app/links/:id.
func (s *dashboard) updateLink(c *fiber.Ctx) error {
	link, err := s.paymentLink(c)
	if err != nil {
		return err
	}
	fields := typedLink(c)
	in, problems := s.readLinkFields(fields, page.Visitor(c).Environment, link)
	if len(problems) > 0 {
		form := linkFormProps(fields)
		form.Errors = page.FormErrors(c, "link_", problems, linkErrors...)
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showEditLink(c, link, form)
	}
	if err := s.Merchants.UpdatePaymentLink(c.UserContext(), page.Actor(c), page.Scope(c), link.ID, in); err != nil {
		return err
	}
	if err := s.Flash(c, "link_saved"); err != nil {
		return err
	}
	return c.Redirect("/app/links/"+link.ID, fiber.StatusSeeOther)
}
