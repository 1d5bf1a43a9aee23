package dashboard

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// linkExpiries are the times to pay that the form offers, in seconds. The API accepts any from
// 900 to 86400 (contract 2.5).
var linkExpiries = []int{900, 1800, 3600, 86400}

// productsOffered is how many products the form of a link lists, newest first.
const productsOffered = 500

// newLink shows GET /app/links/novo, with the product that ?product= names chosen.
func (s *dashboard) newLink(c *fiber.Ctx) error {
	if !canCreateLink(page.Visitor(c)) {
		return c.Redirect("/app/links", fiber.StatusSeeOther)
	}
	if salesStopped(page.Visitor(c)) {
		return s.salesStop(c)
	}
	return s.showNewLink(c, pages.NewLinkProps{ProductID: c.Query("product"), Key: rand.Text(),
		Form: linkFormProps(pages.LinkFields{ExpiresIn: payments.DefaultExpiresIn,
			BuyerData: string(models.BuyerDataOptional), MaxQuantity: "1"})})
}

func (s *dashboard) showNewLink(c *fiber.Ctx, props pages.NewLinkProps) error {
	products, err := s.offered(c, props.ProductID)
	if err != nil {
		return err
	}
	if props.Form.Shell, err = s.Shell(c); err != nil {
		return err
	}
	if props.Products = productRows(products); len(props.Products) > 0 {
		slug := cmp.Or(props.ProductID, props.Products[0].Slug)
		props.Form.Preview = linkPreview(slug, props.Form.Fields)
		hasPreview(c)
	}
	return page.Render(c, pages.NewLink(props))
}

// offered returns the active products, including the chosen one even if it is too old for the
// list.
func (s *dashboard) offered(c *fiber.Ctx, chosen string) ([]models.Product, error) {
	products, err := models.Products(c.UserContext(), s.DB.Pool, page.Scope(c), false, nil, productsOffered)
	if err != nil {
		return nil, fmt.Errorf("dashboard: list products: %w", err)
	}
	listed := slices.ContainsFunc(products, func(p models.Product) bool { return p.Slug == chosen })
	if chosen != "" && !listed {
		older, err := s.product(c, chosen)
		if err == nil {
			products = append(products, *older)
		} else if !errors.Is(err, models.ErrNotFound) {
			return nil, err
		}
	}
	return slices.DeleteFunc(products, func(p models.Product) bool { return !p.Active }), nil
}

// createLink handles POST /app/links. A form creates one link, however often it is sent.
func (s *dashboard) createLink(c *fiber.Ctx) error {
	if !canCreateLink(page.Visitor(c)) {
		return c.Redirect("/app/links", fiber.StatusSeeOther)
	}
	props := pages.NewLinkProps{Key: page.Field(c, "key"), ProductID: page.Field(c, "productId"),
		Form: linkFormProps(typedLink(c))}
	in, problems := s.readNewLink(props, page.Visitor(c).Environment)
	if len(problems) > 0 {
		props.Form.Errors = page.FormErrors(c, "link_", problems, linkErrors...)
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showNewLink(c, props)
	}
	account, err := models.AccountByID(c.UserContext(), s.DB, page.Visitor(c).AccountID)
	if err != nil {
		return fmt.Errorf("dashboard: read account: %w", err)
	}
	by := page.Actor(c)
	in.By = &by
	link, _, err := s.Payments.CreatePaymentLink(c.UserContext(), page.Scope(c), account, in)
	if err != nil {
		return s.linkNotMade(c, props, err)
	}
	if err := s.Flash(c, "link_created"); err != nil {
		return err
	}
	return c.Redirect("/app/links/"+link.ID, fiber.StatusSeeOther)
}

// linkNotMade shows the form again with the reason why no link was created.
func (s *dashboard) linkNotMade(c *fiber.Ctx, props pages.NewLinkProps, err error) error {
	key, field, args := "", "", []any(nil)
	switch refusal.Of(err).Code {
	case refusal.InvalidRequestBody:
		outside, is := errors.AsType[payments.OutOfBounds](err)
		if !is {
			return err
		}
		key, field = "link_amount", "productId"
		if props.Form.Fields.Open {
			field = "openMin"
		}
		args = []any{i18n.Money(c.UserContext(), outside.Min), i18n.Money(c.UserContext(), outside.Max)}
	case refusal.ProductNotFound:
		key, field = "link_product", "productId"
	case refusal.IdempotencyConflict: // the member went back and changed the form
		key, props.Key = "link_repeated", rand.Text()
	case refusal.AccountSuspended:
		key = "account_suspended"
	case refusal.LiveOperationsBlocked:
		key = "live_blocked"
	default:
		return err
	}
	props.Form.Errors = components.FieldErrors{{Field: field, Text: i18n.T(c.UserContext(), "problem."+key, args...)}}
	c.Status(fiber.StatusUnprocessableEntity)
	return s.showNewLink(c, props)
}

// readNewLink checks the form.
func (s *dashboard) readNewLink(
	form pages.NewLinkProps, environment models.Environment,
) (payments.NewPaymentLink, merchants.Invalid) {
	fields, problems := s.readLinkFields(form.Form.Fields, environment, nil)
	if !payments.ValidProductID(form.ProductID) {
		problems["productId"] = merchants.Unknown
	}
	in := payments.NewPaymentLink{ProductSlug: form.ProductID, ExpiresIn: fields.ExpiresIn,
		SuccessURL: fields.SuccessURL, ReturnURL: fields.ReturnURL, LinkTerms: fields.LinkTerms}
	in.Stock = fields.Left
	// The prefix separates it from the merchant's own keys of the API.
	in.IdempotencyKey = "dashboard:" + page.FormKey(form.Key)
	body := sha256.Sum256(fmt.Appendf(nil, "%q %+q", in.ProductSlug, fmt.Sprint(form.Form.Fields)))
	in.RequestHash = body[:]
	return in, problems
}

// The bounds of a link for the counter, within those of the account. Members change them as those of every link.
const counterLeast, counterMost = 1_00, 5_000_00

// counterSlug is the identifier of the product that links for the counter sell.
const counterSlug = "balcao"

// createCounterLink handles POST /app/links/balcao: a link with an open amount, of a product for that purpose, which
// is made if there is none for sale. A form creates one link, however often it is sent.
func (s *dashboard) createCounterLink(c *fiber.Ctx) error {
	switch {
	case !canCreateLink(page.Visitor(c)):
		return c.Redirect("/app/links", fiber.StatusSeeOther)
	case salesStopped(page.Visitor(c)):
		return s.salesStop(c)
	}
	product, err := s.counterProduct(c)
	if err != nil {
		return err
	}
	account, err := models.AccountByID(c.UserContext(), s.DB, page.Visitor(c).AccountID)
	if err != nil {
		return fmt.Errorf("dashboard: read account: %w", err)
	}
	by, hash := page.Actor(c), sha256.Sum256([]byte(counterSlug))
	least, most := s.Payments.Bounds(account)
	amounts := models.Range{Min: max(counterLeast, least), Max: min(max(counterMost, least), most)}
	in := payments.NewPaymentLink{By: &by, ProductSlug: product.Slug,
		ExpiresIn: payments.DefaultExpiresIn * time.Second, RequestHash: hash[:],
		IdempotencyKey: "counter:" + page.FormKey(page.Field(c, "key")),
		LinkTerms: models.LinkTerms{BuyerData: models.BuyerDataOff,
			OpenAmount: &amounts}}
	link, _, err := s.Payments.CreatePaymentLink(c.UserContext(), page.Scope(c), account, in)
	switch code := refusal.Of(err).Code; {
	case err != nil && code == refusal.ProductNotFound: // it was turned off meanwhile
		return c.Redirect("/app/links", fiber.StatusSeeOther)
	case err != nil:
		return fmt.Errorf("dashboard: create a link for the counter: %w", err)
	}
	if err := s.Flash(c, "link_created"); err != nil {
		return err
	}
	return c.Redirect("/app/links/"+link.ID, fiber.StatusSeeOther)
}

// counterProduct returns the product for the counter, which it makes if none of those for that purpose is for sale.
func (s *dashboard) counterProduct(c *fiber.Ctx) (*models.Product, error) {
	slug := counterSlug
	for n := 2; ; n++ {
		product, err := s.product(c, slug)
		if err == nil && product.Active || err != nil && !errors.Is(err, models.ErrNotFound) {
			return product, err
		}
		if err != nil {
			break
		}
		if slug = fmt.Sprintf("%s-%d", counterSlug, n); n > maxSlugTries {
			slug = counterSlug + "-" + strings.ToLower(rand.Text())
		}
	}
	product, err := s.Merchants.CreateProduct(c.UserContext(), page.Actor(c), page.Scope(c), merchants.ProductForm{
		Slug: slug, Name: i18n.T(c.UserContext(), "links.counter_product"), Amount: counterLeast,
		PaymentCycle: models.PaymentCycles[0],
	})
	if problems, is := errors.AsType[merchants.Invalid](err); is && problems["slug"] == merchants.Taken {
		return s.product(c, slug) // another request was first
	}
	return product, err
}
