package dashboard

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strconv"
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
	return s.showNewLink(c, pages.NewLinkProps{ProductID: c.Query("product"), ExpiresIn: payments.DefaultExpiresIn,
		Key: rand.Text()})
}

func (s *dashboard) showNewLink(c *fiber.Ctx, props pages.NewLinkProps) error {
	products, err := s.offered(c, props.ProductID)
	if err != nil {
		return err
	}
	if props.Shell, err = s.Shell(c); err != nil {
		return err
	}
	props.Products, props.Expiries = productRows(products), linkExpiries
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
	props := pages.NewLinkProps{
		Key: page.Field(c, "key"), ProductID: page.Field(c, "productId"), SuccessURL: page.Field(c, "successUrl"),
		ReturnURL: page.Field(c, "returnUrl"),
	}
	// An invalid number is zero, which is not offered.
	props.ExpiresIn, _ = strconv.Atoi(page.Field(c, "expiresInSeconds"))
	in, problems := readNewLink(props, page.Visitor(c).Environment)
	if len(problems) > 0 {
		props.Errors = page.FormErrors(c, "link_", problems, "productId", "expiresInSeconds", "successUrl", "returnUrl")
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
	key, field := "", ""
	switch refusal.Of(err).Code {
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
	props.Errors = components.FieldErrors{{Field: field, Text: i18n.T(c.UserContext(), "problem."+key)}}
	c.Status(fiber.StatusUnprocessableEntity)
	return s.showNewLink(c, props)
}

// readNewLink checks the form by the API's rules for a payment link (contract 2.5;
// docs/rules.md, "Fields").
func readNewLink(form pages.NewLinkProps, environment models.Environment) (payments.NewPaymentLink, merchants.Invalid) {
	problems := merchants.Invalid{}
	if !payments.ValidProductID(form.ProductID) {
		problems["productId"] = merchants.Unknown
	}
	if !slices.Contains(linkExpiries, form.ExpiresIn) {
		problems["expiresInSeconds"] = merchants.Unknown
	}
	address := func(field, text string) *string {
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
	in := payments.NewPaymentLink{
		ProductSlug: form.ProductID, ExpiresIn: time.Duration(form.ExpiresIn) * time.Second,
		SuccessURL: address("successUrl", form.SuccessURL), ReturnURL: address("returnUrl", form.ReturnURL),
	}
	// The prefix separates it from the merchant's own keys of the API.
	in.IdempotencyKey = "dashboard:" + page.FormKey(form.Key)
	body := sha256.Sum256(fmt.Appendf(nil, "%q", []string{in.ProductSlug, strconv.Itoa(form.ExpiresIn),
		page.Text(in.SuccessURL), page.Text(in.ReturnURL)}))
	in.RequestHash = body[:]
	return in, problems
}
