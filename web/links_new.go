package web

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// linkExpiries are the times to pay that the form offers, in seconds. The API takes
// any from 900 to 86400 (contract 2.5).
var linkExpiries = []int{900, 1800, 3600, 86400}

// defaultLinkExpiry is the contract's.
const defaultLinkExpiry = 1800

// productsOffered is how many products the form of a link lists, newest first.
const productsOffered = 500

// insecure is what is wrong with an http address in live.
const insecure merchants.Problem = "insecure"

// newLink shows GET /app/links/novo, with the product that ?produto= names chosen.
func (s *server) newLink(c *fiber.Ctx) error {
	if !canCreateLink(visitor(c)) {
		return c.Redirect("/app/links", fiber.StatusSeeOther)
	}
	return s.showNewLink(c, pages.NewLinkProps{ProductID: c.Query("produto"), ExpiresIn: defaultLinkExpiry, Key: rand.Text()})
}

func (s *server) showNewLink(c *fiber.Ctx, props pages.NewLinkProps) error {
	products, err := s.offered(c, props.ProductID)
	if err != nil {
		return err
	}
	if props.Shell, err = s.shell(c); err != nil {
		return err
	}
	props.Products, props.Expiries = productRows(products), linkExpiries
	return render(c, pages.NewLink(props))
}

// offered are the active products, with the chosen one among them however old it is.
func (s *server) offered(c *fiber.Ctx, chosen string) ([]models.Product, error) {
	products, err := models.Products(c.UserContext(), s.DB.Pool, scope(c), nil, productsOffered)
	if err != nil {
		return nil, fmt.Errorf("web: list products: %w", err)
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

// createLink handles POST /app/links. However often one form is sent, it makes one
// link.
func (s *server) createLink(c *fiber.Ctx) error {
	if !canCreateLink(visitor(c)) {
		return c.Redirect("/app/links", fiber.StatusSeeOther)
	}
	props := pages.NewLinkProps{
		Key: c.FormValue("key"), ProductID: c.FormValue("productId"), SuccessURL: c.FormValue("successUrl"), ReturnURL: c.FormValue("returnUrl"),
	}
	props.ExpiresIn, _ = strconv.Atoi(c.FormValue("expiresInSeconds")) // zero is none of those offered
	in, problems := readNewLink(props, visitor(c).Livemode)
	if len(problems) > 0 {
		props.Errors = errorsOf(c, "link_", problems, "productId", "expiresInSeconds", "successUrl", "returnUrl")
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showNewLink(c, props)
	}
	account, err := models.AccountByID(s.DB.WithContext(c.UserContext()), visitor(c).AccountID)
	if err != nil {
		return fmt.Errorf("web: read account: %w", err)
	}
	link, _, err := s.Payments.CreatePaymentLink(c.UserContext(), scope(c), account, in)
	if err != nil {
		return s.linkNotMade(c, props, err)
	}
	if err := s.flash(c, "link_created"); err != nil {
		return err
	}
	return c.Redirect("/app/links/"+link.ID, fiber.StatusSeeOther)
}

// linkNotMade shows the form again with what kept the link from being made.
func (s *server) linkNotMade(c *fiber.Ctx, props pages.NewLinkProps, err error) error {
	key, field := "", ""
	switch fault.Of(err).Code {
	case fault.ProductNotFound:
		key, field = "link_product", "productId"
	case fault.IdempotencyConflict: // the member went back and changed the form
		key, props.Key = "link_repeated", rand.Text()
	case fault.AccountSuspended:
		key = "account_suspended"
	case fault.LiveOperationsBlocked:
		key = "live_blocked"
	default:
		return err
	}
	props.Errors = components.FieldErrors{{Field: field, Text: i18n.T(c.UserContext(), "problem."+key)}}
	c.Status(fiber.StatusUnprocessableEntity)
	return s.showNewLink(c, props)
}

// readNewLink checks the form against the rules of the fields (contract 2.5,
// decisions 3).
func readNewLink(form pages.NewLinkProps, livemode bool) (payments.NewPaymentLink, merchants.Invalid) {
	problems := merchants.Invalid{}
	if form.ProductID == "" || !plain(form.ProductID) {
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
		u, err := url.Parse(text)
		switch {
		case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || len(text) > 2048 || !plain(text):
			problems[field] = merchants.Malformed
		case livemode && u.Scheme != "https":
			problems[field] = insecure
		}
		return &text
	}
	in := payments.NewPaymentLink{
		ProductSlug: form.ProductID, ExpiresIn: time.Duration(form.ExpiresIn) * time.Second,
		SuccessURL: address("successUrl", form.SuccessURL), ReturnURL: address("returnUrl", form.ReturnURL),
	}
	key := form.Key
	if key == "" || len(key) > maxKey || !plain(key) {
		key = rand.Text()
	}
	in.IdempotencyKey = "dashboard:" + key // the merchant's own, over the API, share the space
	body := sha256.Sum256(fmt.Appendf(nil, "%q", []string{in.ProductSlug, strconv.Itoa(form.ExpiresIn), text(in.SuccessURL), text(in.ReturnURL)}))
	in.RequestHash = body[:]
	return in, problems
}

// maxKey is the length of the longest key of a form that counts.
const maxKey = 100
