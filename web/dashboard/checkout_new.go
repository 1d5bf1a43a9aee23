package dashboard

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/input"
	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// moreRows is how many rows of metadata the form adds at a time.
const moreRows = 3

// newCheckoutForm shows GET /app/cobrancas/nova.
func (s *dashboard) newCheckoutForm(c *fiber.Ctx) error {
	if needsAccess(page.Visitor(c)) {
		return c.Redirect("/app/cobrancas", fiber.StatusSeeOther)
	}
	if salesStopped(page.Visitor(c)) {
		return s.salesStop(c)
	}
	first := firstCheckout{ExpiresIn: payments.DefaultExpiresIn * time.Second}
	var err error
	if like := c.Query("like"); like != "" {
		first, err = s.likeCheckout(c, like)
	} else if customer := c.Query("customer"); customer != "" {
		first.Customer, err = s.customerFields(c, customer)
	}
	if err != nil {
		return err
	}
	return s.startCheckout(c, first)
}

// firstCheckout is what the form of a new charge begins with. All of it may be left out.
type firstCheckout struct {
	Amount      money.Cents
	Description string
	Customer    pages.CustomerFields
	Metadata    map[string]string
	ExpiresIn   time.Duration
}

// startCheckout shows the form of a new charge with first filled in, and a new order number.
func (s *dashboard) startCheckout(c *fiber.Ctx, first firstCheckout) error {
	props := pages.NewCheckoutProps{Key: rand.Text(), Description: first.Description, Customer: first.Customer,
		ExternalID: strings.ReplaceAll(i18n.Day(s.Now()), "-", "") + "-" + suggestion()}
	if first.Amount > 0 {
		props.Amount = page.TypedPrice(c, first.Amount)
	}
	props.Expiry = strconv.Itoa(int(first.ExpiresIn / time.Second))
	if !slices.Contains(pages.Expiries, props.Expiry) {
		props.Expiry, props.Minutes = pages.ExpiryOther, strconv.Itoa(int(first.ExpiresIn/time.Minute))
	}
	for _, name := range slices.Sorted(maps.Keys(first.Metadata)) {
		props.Metadata = append(props.Metadata, components.KeyValueRow{Key: name, Value: first.Metadata[name]})
	}
	for len(props.Metadata) < pages.FirstRows {
		props.Metadata = append(props.Metadata, components.KeyValueRow{})
	}
	return s.showNewCheckout(c, props)
}

// likeCheckout returns what a charge of the visitor's project and environment was made with, for another one. The
// phone number stays sealed, and the order number belongs to the first. The refusal is CheckoutNotFound.
func (s *dashboard) likeCheckout(c *fiber.Ctx, id string) (firstCheckout, error) {
	was, err := s.Payments.Checkout(c.UserContext(), page.Scope(c), id)
	if err != nil {
		return firstCheckout{}, err
	}
	first := firstCheckout{Amount: was.Amount, Description: was.Description,
		ExpiresIn: was.ExpiresAt.Sub(was.CreatedAt),
		Customer: pages.CustomerFields{Name: page.Text(was.CustomerName), Email: page.Text(was.CustomerEmail),
			Document: page.Text(was.CustomerDocument)}}
	if err := json.Unmarshal(was.Metadata, &first.Metadata); err != nil {
		return firstCheckout{}, fmt.Errorf("dashboard: read metadata: %w", err)
	}
	return first, nil
}

// customerFields returns who a customer is, for another charge. The phone number stays sealed. The refusal is that
// of [payments.Service.Customer].
func (s *dashboard) customerFields(c *fiber.Ctx, id string) (pages.CustomerFields, error) {
	known, err := s.Payments.Customer(c.UserContext(), page.Scope(c), id)
	if err != nil {
		return pages.CustomerFields{}, err
	}
	return pages.CustomerFields{Name: page.Text(known.Name), Email: page.Text(known.Email),
		Document: page.Text(known.Document)}, nil
}

// suggestion returns the end of a suggested order id: letters and digits that are not confused
// when read aloud.
func suggestion() string {
	return strings.NewReplacer("I", "8", "L", "9", "O", "A").Replace(rand.Text()[:6])
}

func (s *dashboard) showNewCheckout(c *fiber.Ctx, props pages.NewCheckoutProps) (err error) {
	if props.Shell, err = s.Shell(c); err != nil {
		return err
	}
	props.MoreRows = len(props.Metadata) < payments.MaxMetadata
	props.Preview = previewAddress(previewPath, map[string]string{"amount": props.Amount,
		"description": props.Description})
	hasPreview(c)
	return page.Render(c, pages.NewCheckout(props))
}

// createCheckout handles POST /app/cobrancas. A form creates one checkout, however often it is
// sent.
func (s *dashboard) createCheckout(c *fiber.Ctx) error {
	if needsAccess(page.Visitor(c)) {
		return c.Redirect("/app/cobrancas", fiber.StatusSeeOther)
	}
	props := typedCheckout(c)
	if page.Field(c, "metadata_more") != "" {
		props.Metadata = append(props.Metadata, make([]components.KeyValueRow,
			min(moreRows, payments.MaxMetadata-len(props.Metadata)))...)
		return s.showNewCheckout(c, props)
	}
	account, err := models.AccountByID(c.UserContext(), s.DB, page.Visitor(c).AccountID)
	if err != nil {
		return fmt.Errorf("dashboard: read account: %w", err)
	}
	form := checkoutForm{s: s, c: c, account: account, typed: &props}
	in := form.read()
	if len(props.Errors) > 0 {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showNewCheckout(c, props)
	}
	by := page.Actor(c)
	in.By = &by
	checkout, created, err := s.Payments.CreateCheckout(c.UserContext(), page.Scope(c), account, in)
	if outside, is := errors.AsType[payments.OutOfBounds](err); is {
		form.outOfBounds(outside.Min, outside.Max)
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showNewCheckout(c, props)
	} else if err != nil {
		return s.checkoutNotMade(c, props, err)
	}
	if created {
		if err := s.Flash(c, "checkout_created"); err != nil {
			return err
		}
	}
	place := "/app/cobrancas/" + checkout.ID
	if page.Field(c, "send") != "" {
		place += "?send=1"
	}
	return c.Redirect(place, fiber.StatusSeeOther)
}

// checkoutNotMade shows the form again with the reason why no checkout was created.
func (s *dashboard) checkoutNotMade(c *fiber.Ctx, props pages.NewCheckoutProps, err error) error {
	key := ""
	switch refusal.Of(err).Code {
	case refusal.IdempotencyConflict: // the member went back and changed the form
		key, props.Key = "checkout_repeated", rand.Text()
	case refusal.AccountSuspended:
		key = "account_suspended"
	case refusal.LiveOperationsBlocked:
		key = "live_blocked"
	case refusal.ProviderUnavailable:
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

// typedCheckout returns the values of the form.
func typedCheckout(c *fiber.Ctx) pages.NewCheckoutProps {
	props := pages.NewCheckoutProps{
		Key: page.Field(c, "key"), Amount: page.Field(c, "amount"), Description: page.FormText(c, "description"),
		ExternalID: page.Field(c, "externalId"),
		Expiry:     page.Field(c, "expiry"), Minutes: page.Field(c, "minutes"),
		Customer: pages.CustomerFields{
			Name: page.Field(c, "customer_name"), Email: page.Field(c, "customer_email"),
			Document: page.Field(c, "customer_document"), Phone: page.Field(c, "customer_phone"),
		},
	}
	for i := range payments.MaxMetadata {
		n := strconv.Itoa(i)
		if !c.Request().PostArgs().Has("metadata_key_" + n) {
			break
		}
		props.Metadata = append(props.Metadata, components.KeyValueRow{Key: page.Field(c, "metadata_key_"+n),
			Value: page.Field(c, "metadata_value_"+n)})
	}
	for len(props.Metadata) < pages.FirstRows {
		props.Metadata = append(props.Metadata, components.KeyValueRow{})
	}
	return props
}

// checkoutForm reads a form by the rules of the API (docs/rules.md, "Fields") and collects the
// errors in typed.Errors.
type checkoutForm struct {
	s       *dashboard
	c       *fiber.Ctx
	account *models.Account
	typed   *pages.NewCheckoutProps
}

func (f checkoutForm) wrong(field, problem string, args ...any) {
	f.typed.Errors = append(f.typed.Errors, components.FieldError{Field: field,
		Text: i18n.T(f.c.UserContext(), "problem."+problem, args...)})
}

// outOfBounds adds the error that names the amounts that the account may charge.
func (f checkoutForm) outOfBounds(least, most money.Cents) {
	f.wrong("amount", "checkout_amount", i18n.Money(f.c.UserContext(), least), i18n.Money(f.c.UserContext(), most))
}

func (f checkoutForm) read() payments.NewCheckout {
	amount, err := page.ReadPrice(f.typed.Amount)
	if err != nil || !payments.ValidAmount(amount) {
		least, most := f.s.Payments.Bounds(f.account)
		f.outOfBounds(least, most)
	}
	in := payments.NewCheckout{
		Amount:      amount,
		Description: f.text("description", f.typed.Description, payments.ValidDescription),
		ExternalID:  f.text("externalId", f.typed.ExternalID, payments.ValidExternalID),
		ExpiresIn:   f.expiresIn(), Customer: f.customer(), Metadata: f.metadata(),
	}
	// The prefix separates it from the merchant's own keys of the API.
	in.IdempotencyKey = "dashboard:" + page.FormKey(f.typed.Key)
	customer := f.typed.Customer
	body := sha256.Sum256(fmt.Appendf(nil, "%d %d %q", in.Amount, in.ExpiresIn, []string{
		in.Description, in.ExternalID, string(in.Metadata), customer.Name, customer.Email, customer.Document,
		customer.Phone,
	}))
	in.RequestHash = body[:]
	return in
}

// text reads a required text.
func (f checkoutForm) text(field, typed string, valid func(string) bool) string {
	s := input.Trim(typed)
	switch {
	case s == "":
		f.wrong(field, "checkout_"+field+"_empty")
	case !valid(s):
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
		seconds, _ := strconv.Atoi(f.typed.Expiry) // one of the offered values
		return time.Duration(seconds) * time.Second
	}
	minutes, err := strconv.Atoi(strings.TrimSpace(f.typed.Minutes))
	if err != nil || minutes < payments.MinExpiresIn/60 || minutes > payments.MaxExpiresIn/60 {
		f.wrong("minutes", "checkout_minutes")
	}
	return time.Duration(minutes) * time.Minute
}

// customer reads the customer: none, or a name with a way to contact them.
func (f checkoutForm) customer() payments.Customer {
	optional := func(field, typed string, valid func(string) bool) *string {
		s := input.Trim(typed)
		if s == "" {
			return nil
		}
		if !valid(s) {
			f.wrong("customer_"+field, "checkout_customer_"+field)
		}
		return &s
	}
	typed := f.typed.Customer
	customer := payments.Customer{
		Name:     optional("name", typed.Name, payments.ValidCustomerName),
		Email:    optional("email", typed.Email, payments.ValidCustomerEmail),
		Document: optional("document", typed.Document, payments.ValidCustomerDocument),
		Phone:    optional("phone", typed.Phone, payments.ValidCustomerPhone),
	}
	switch {
	case customer.Name == nil && customer.Reachable():
		f.wrong("customer_name", "checkout_customer_nameless")
	case customer.Name != nil && !customer.Reachable():
		f.wrong("customer_email", "checkout_customer_unreachable")
	}
	return customer
}

// metadata returns the filled rows as a JSON object with its members in order.
func (f checkoutForm) metadata() []byte {
	object := map[string]string{}
	for i := range f.typed.Metadata {
		row := &f.typed.Metadata[i]
		name, value := strings.TrimSpace(row.Key), strings.TrimSpace(row.Value)
		if name == "" && value == "" {
			continue
		}
		_, twice := object[name]
		if twice || !payments.ValidMetadataName(name) || !payments.ValidMetadataValue(value) {
			row.Error = i18n.T(f.c.UserContext(), "problem.checkout_metadata")
			f.typed.Errors = append(f.typed.Errors,
				components.FieldError{Field: "metadata_key_" + strconv.Itoa(i), Text: row.Error})
			continue
		}
		object[name] = value
	}
	body, err := json.Marshal(object)
	if err != nil { // encoding a map of strings cannot fail
		return []byte("{}")
	}
	return body
}
