package web

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/api"
	"garoupa/fault"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// moreRows is how many rows of metadata are added to the form at a time.
const moreRows = 3

// newCheckoutForm shows GET /app/cobrancas/nova.
func (s *server) newCheckoutForm(c *fiber.Ctx) error {
	if needsAccess(visitor(c)) {
		return c.Redirect("/app/cobrancas", fiber.StatusSeeOther)
	}
	today := strings.ReplaceAll(i18n.Day(s.Now()), "-", "")
	return s.showNewCheckout(c, pages.NewCheckoutProps{
		Key: rand.Text(), Expiry: strconv.Itoa(api.DefaultExpiresIn), ExternalID: today + "-" + suggestion(),
		Metadata: make([]components.KeyValueRow, pages.FirstRows),
	})
}

// suggestion ends a suggested order: letters and digits that nobody mixes up when they
// are read out.
func suggestion() string {
	return strings.NewReplacer("I", "8", "L", "9", "O", "A").Replace(rand.Text()[:6])
}

func (s *server) showNewCheckout(c *fiber.Ctx, props pages.NewCheckoutProps) (err error) {
	if props.Shell, err = s.shell(c); err != nil {
		return err
	}
	props.MoreRows = len(props.Metadata) < api.MaxMetadata
	return render(c, pages.NewCheckout(props))
}

// createCheckout handles POST /app/cobrancas. However often one form is sent, it
// makes one checkout.
func (s *server) createCheckout(c *fiber.Ctx) error {
	if needsAccess(visitor(c)) {
		return c.Redirect("/app/cobrancas", fiber.StatusSeeOther)
	}
	props := typedCheckout(c)
	if c.FormValue("metadata_more") != "" {
		props.Metadata = append(props.Metadata, make([]components.KeyValueRow, min(moreRows, api.MaxMetadata-len(props.Metadata)))...)
		return s.showNewCheckout(c, props)
	}
	account, err := models.AccountByID(s.DB.WithContext(c.UserContext()), visitor(c).AccountID)
	if err != nil {
		return fmt.Errorf("web: read account: %w", err)
	}
	form := checkoutForm{c: c, account: account, typed: &props}
	in := form.read()
	if len(props.Errors) > 0 {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showNewCheckout(c, props)
	}
	checkout, created, err := s.Payments.CreateCheckout(c.UserContext(), scope(c), account, in)
	if err != nil {
		return s.checkoutNotMade(c, props, err)
	}
	if created {
		if err := s.flash(c, "checkout_created"); err != nil {
			return err
		}
	}
	return c.Redirect("/app/cobrancas/"+checkout.ID, fiber.StatusSeeOther)
}

// checkoutNotMade shows the form again with what kept the checkout from being made.
func (s *server) checkoutNotMade(c *fiber.Ctx, props pages.NewCheckoutProps, err error) error {
	key := ""
	switch fault.Of(err).Code {
	case fault.IdempotencyConflict: // the member went back and changed the form
		key, props.Key = "checkout_repeated", rand.Text()
	case fault.AccountSuspended:
		key = "account_suspended"
	case fault.LiveOperationsBlocked:
		key = "live_blocked"
	case fault.ProviderUnavailable:
		key = "provider_unavailable"
		c.Status(fiber.StatusServiceUnavailable)
	default:
		return err
	}
	props.Errors = components.FieldErrors{{Text: i18n.T(c.UserContext(), "problem."+key)}}
	if c.Response().StatusCode() == fiber.StatusOK {
		c.Status(fiber.StatusUnprocessableEntity)
	}
	return s.showNewCheckout(c, props)
}

// typedCheckout is the form as it was filled in.
func typedCheckout(c *fiber.Ctx) pages.NewCheckoutProps {
	props := pages.NewCheckoutProps{
		Key: c.FormValue("key"), Amount: c.FormValue("amount"), Description: formText(c, "description"), ExternalID: c.FormValue("externalId"),
		Expiry: c.FormValue("expiry"), Minutes: c.FormValue("minutes"),
		Customer: pages.CustomerFields{
			Name: c.FormValue("customer_name"), Email: c.FormValue("customer_email"),
			Document: c.FormValue("customer_document"), Phone: c.FormValue("customer_phone"),
		},
	}
	for i := range api.MaxMetadata {
		n := strconv.Itoa(i)
		if !c.Request().PostArgs().Has("metadata_key_" + n) {
			break
		}
		props.Metadata = append(props.Metadata, components.KeyValueRow{Key: c.FormValue("metadata_key_" + n), Value: c.FormValue("metadata_value_" + n)})
	}
	for len(props.Metadata) < pages.FirstRows {
		props.Metadata = append(props.Metadata, components.KeyValueRow{})
	}
	return props
}

// checkoutForm reads a form by the rules of the API (decisions, 3) and gathers what
// is wrong with it in typed.Errors.
type checkoutForm struct {
	c       *fiber.Ctx
	account *models.Account
	typed   *pages.NewCheckoutProps
}

func (f checkoutForm) wrong(field, problem string, args ...any) {
	f.typed.Errors = append(f.typed.Errors, components.FieldError{Field: field, Text: i18n.T(f.c.UserContext(), "problem."+problem, args...)})
}

func (f checkoutForm) read() payments.NewCheckout {
	amount, err := readPrice(f.typed.Amount)
	if err != nil || amount < f.account.MinAmount || amount > f.account.MaxAmount {
		f.wrong("amount", "checkout_amount", i18n.Money(f.c.UserContext(), f.account.MinAmount), i18n.Money(f.c.UserContext(), f.account.MaxAmount))
	}
	in := payments.NewCheckout{
		Amount: amount, Description: f.text("description", "description", f.typed.Description), ExternalID: f.text("externalId", "externalId", f.typed.ExternalID),
		ExpiresIn: f.expiresIn(), Customer: f.customer(), Metadata: f.metadata(),
	}
	key := f.typed.Key
	if key == "" || len(key) > maxKey || !plain(key) {
		key = rand.Text()
	}
	in.IdempotencyKey = "dashboard:" + key // the merchant's own, over the API, share the space
	customer := f.typed.Customer
	body := sha256.Sum256(fmt.Appendf(nil, "%d %d %q", in.Amount, in.ExpiresIn, []string{
		in.Description, in.ExternalID, string(in.Metadata), customer.Name, customer.Email, customer.Document, customer.Phone,
	}))
	in.RequestHash = body[:]
	return in
}

// text reads a text that the checkout cannot do without.
func (f checkoutForm) text(field, member, typed string) string {
	s := strings.TrimSpace(typed)
	if !api.Accepts(member, s) {
		f.wrong(field, "checkout_"+field)
	}
	return s
}

func (f checkoutForm) expiresIn() time.Duration {
	if !slices.Contains(pages.Expiries, f.typed.Expiry) {
		f.wrong("expiry", "link_expiry")
		return 0
	}
	if f.typed.Expiry != pages.ExpiryOther {
		seconds, _ := strconv.Atoi(f.typed.Expiry) // one of ours
		return time.Duration(seconds) * time.Second
	}
	minutes, err := strconv.Atoi(strings.TrimSpace(f.typed.Minutes))
	if err != nil || minutes < api.MinExpiresIn/60 || minutes > api.MaxExpiresIn/60 {
		f.wrong("minutes", "checkout_minutes")
	}
	return time.Duration(minutes) * time.Minute
}

// customer reads who is to pay: nobody, or a name with a way to reach them.
func (f checkoutForm) customer() payments.Customer {
	optional := func(field, typed string) *string {
		s := strings.TrimSpace(typed)
		if s == "" {
			return nil
		}
		if !api.Accepts("customer."+field, s) {
			f.wrong("customer_"+field, "checkout_customer_"+field)
		}
		return &s
	}
	typed := f.typed.Customer
	customer := payments.Customer{
		Name: optional("name", typed.Name), Email: optional("email", typed.Email),
		Document: optional("document", typed.Document), Phone: optional("phone", typed.Phone),
	}
	reachable := customer.Email != nil || customer.Document != nil || customer.Phone != nil
	switch {
	case customer.Name == nil && reachable:
		f.wrong("customer_name", "checkout_customer_nameless")
	case customer.Name != nil && !reachable:
		f.wrong("customer_email", "checkout_customer_unreachable")
	}
	return customer
}

// metadata reads the rows that are filled in as a JSON object with its members in
// order.
func (f checkoutForm) metadata() []byte {
	object := map[string]string{}
	for i := range f.typed.Metadata {
		row := &f.typed.Metadata[i]
		name, value := strings.TrimSpace(row.Key), strings.TrimSpace(row.Value)
		if name == "" && value == "" {
			continue
		}
		_, twice := object[name]
		if twice || !api.Accepts("metadata.name", name) || !api.Accepts("metadata.value", value) {
			row.Error = i18n.T(f.c.UserContext(), "problem.checkout_metadata")
			f.typed.Errors = append(f.typed.Errors, components.FieldError{Field: "metadata_key_" + strconv.Itoa(i), Text: row.Error})
			continue
		}
		object[name] = value
	}
	body, err := json.Marshal(object)
	if err != nil { // a map of strings always can
		return []byte("{}")
	}
	return body
}
