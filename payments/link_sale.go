package payments

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"garoupa/internal/payload"
	"garoupa/internal/refusal"
	"garoupa/models"
)

// linkSale is what a checkout of a payment link is judged by when it is written.
type linkSale struct {
	choice  LinkChoice
	account *models.Account
	stocked bool // the link had a stock when it was read
}

// errLinkChanged reports that a link is not what a sale began with.
var errLinkChanged = errors.New("payments: the payment link changed during the sale")

// saleRefused wraps the reason why a sale that had begun was not written.
type saleRefused struct{ error }

// Unwrap returns the reason.
func (e saleRefused) Unwrap() error { return e.error }

// formSales is how often one form sells: each time the checkout of the time before is not open any more.
const formSales = 10

// UsePaymentLink creates a checkout of the link's product in its current state. Later calls with the same choice and
// form, at any instance, return that checkout while it is open (ShownStatus.Open). Once it is not, they create another
// one, the same for all of them and for RenewCheckout. The link's terms are judged under its lock when the checkout is
// written; its units are held from then on. Refusals: PaymentLinkNotFound (see LinkOffer), ProviderUnavailable. A
// choice that the link does not allow fails with ChoiceRefused.
func (s *Service) UsePaymentLink(ctx context.Context, id string, choice LinkChoice) (*models.Checkout, error) {
	for range formSales {
		c, created, err := s.sellNow(ctx, id, choice)
		if err != nil || created || !choice.once() {
			return c, err
		}
		public, err := models.PublicCheckoutByID(ctx, s.DB.Pool, c.ID)
		if err != nil {
			return nil, fmt.Errorf("payments: read the checkout of a form: %w", err)
		}
		if Shown(public, s.now()).Open() {
			return c, nil
		}
		choice.Form, choice.after = "", c.ID
	}
	choice.after = ""
	c, _, err := s.sellNow(ctx, id, choice)
	return c, err
}

// sellNow sells by a link as it is now. created is false for the checkout of an earlier call with the same choice and
// form, in its current state.
func (s *Service) sellNow(ctx context.Context, id string, choice LinkChoice) (
	c *models.Checkout, created bool, err error) {
	for range 2 { // the second time for a link that changed meanwhile
		link, err := s.PublicPaymentLink(ctx, id)
		if err != nil {
			return nil, false, err
		}
		if c, created, err = s.sell(ctx, link, choice); !errors.Is(err, errLinkChanged) {
			return c, created, err
		}
	}
	return nil, false, unreachable.Because(errLinkChanged)
}

func (s *Service) sell(
	ctx context.Context, link *models.PublicPaymentLink, choice LinkChoice,
) (c *models.Checkout, created bool, err error) {
	if link.BuyerData == models.BuyerDataOff {
		choice.Buyer = Customer{}
	}
	scope := models.Scope{ProjectID: link.ProjectID, Environment: link.Environment}
	refused := s.MayBuy(&link.PaymentLink, &link.Account, choice)
	in := linkCheckout(&link.PaymentLink, choice)
	in.sale = &linkSale{choice, &link.Account, link.Stock != nil}
	if choice.once() {
		said := fmt.Sprintf("%s %q %s %d %d %s", link.ID, choice.Form, choice.after, max(choice.Quantity, 1), in.Amount,
			in.Description)
		sum := sha256.Sum256([]byte(said))
		in.IdempotencyKey, in.RequestHash = hex.EncodeToString(sum[:]), sum[:]
	}
	if refused != nil { // the form may have sold the last unit itself
		earlier, err := s.earlier(ctx, scope, in)
		if err != nil || earlier.checkout != nil {
			return earlier.checkout, false, err
		}
		return nil, false, refused
	}
	c, created, err = s.CreateCheckout(ctx, scope, &link.Account, in)
	if outside, is := errors.AsType[OutOfBounds](err); is && refusal.Of(err).Code != refusal.PaymentLinkNotFound {
		return nil, false, noLink.Because(outside)
	}
	return c, created, err
}

// linkCheckout returns the checkout that a choice at a link makes.
func linkCheckout(link *models.PaymentLink, choice LinkChoice) NewCheckout {
	price, description := LinkPrice(link, choice)
	return NewCheckout{
		Amount: price, Description: description, ExternalID: link.ID, Customer: choice.Buyer,
		Metadata: linkMetadata(link, choice), ExpiresIn: time.Duration(link.ExpiresInSeconds) * time.Second,
		PaymentLinkID: &link.ID,
	}
}

func linkMetadata(link *models.PaymentLink, choice LinkChoice) []byte {
	metadata := append([]byte(`{"paymentLinkId":`), payload.AppendString(nil, link.ID)...)
	metadata = append(append(metadata, `,"productId":`...), payload.AppendString(nil, link.Product.Slug)...)
	if choice.Quantity > 1 {
		metadata = append(append(metadata, `,"quantity":`...), strconv.Quote(strconv.Itoa(choice.Quantity))...)
	}
	return append(metadata, '}')
}

// hold judges the sale of a checkout under the lock of its link, and writes into row how many units it holds. It
// fails with saleRefused.
func (s *Service) hold(tx *models.Tx, scope models.Scope, in *NewCheckout, row *models.NewCheckout) error {
	link, err := models.LockLinkForSale(tx, scope, *in.PaymentLinkID, in.sale.stocked)
	if err != nil {
		return err
	}
	err = s.MayBuy(link, in.sale.account, in.sale.choice)
	price, _ := LinkPrice(link, in.sale.choice)
	if changed := link.Stock != nil && !in.sale.stocked || price != row.Amount; err == nil && changed {
		err = errLinkChanged
	}
	if err != nil {
		// If the answer to an earlier commit was lost, the units of this very checkout may be the reason.
		if written, broken := models.CheckoutWritten(tx, row.ID); broken != nil || !written {
			return cmp.Or(broken, error(saleRefused{err}))
		}
	}
	if link.Stock != nil {
		units := max(in.sale.choice.Quantity, 1)
		row.Units = &units
	}
	return nil
}

// RenewCheckout creates another checkout of the payment link of a checkout that is ShownExpired, with the same choice.
// While the expired one is still PENDING, it holds its units. Later calls return the first result as UsePaymentLink
// does for a form. The refusals are those of UsePaymentLink, and CheckoutNotFound.
func (s *Service) RenewCheckout(ctx context.Context, id string) (*models.Checkout, error) {
	expired, err := models.PublicCheckoutByID(ctx, s.DB.Pool, id)
	if err == nil && (expired.PaymentLinkID == nil || Shown(expired, s.now()) != ShownExpired) {
		err = models.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("payments: renew %s: %w", id, noCheckout(err))
	}
	s.OpenDocument(&expired.Checkout)
	choice, err := renewalChoice(&expired.Checkout)
	if err != nil {
		return nil, fmt.Errorf("payments: renew %s: %w", id, err)
	}
	return s.UsePaymentLink(ctx, *expired.PaymentLinkID, choice)
}

// renewalChoice returns the choice that a checkout of a payment link was made with, for a checkout that follows it.
func renewalChoice(c *models.Checkout) (choice LinkChoice, err error) {
	var bought struct {
		Quantity string `json:"quantity"`
	}
	if err := json.Unmarshal(c.Metadata, &bought); err != nil {
		return choice, fmt.Errorf("payments: read the metadata of %s: %w", c.ID, err)
	}
	if bought.Quantity != "" {
		if choice.Quantity, err = strconv.Atoi(bought.Quantity); err != nil {
			return choice, fmt.Errorf("payments: read the quantity of %s: %w", c.ID, err)
		}
	}
	choice.after, choice.Amount = c.ID, c.Amount
	choice.Buyer = Customer{Name: c.CustomerName, Email: c.CustomerEmail, Document: c.CustomerDocument}
	return choice, nil
}
