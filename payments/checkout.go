package payments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/internal/money"
	"garoupa/internal/payload"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/pix/psp"
	"garoupa/pix/qr"
)

// NewCheckout is a merchant's request for a checkout. The caller must have checked it by the
// rules of the fields (docs/rules.md, "Fields").
type NewCheckout struct {
	By             *models.Actor // a member, who must be able to Sell; nil for an API key and for a buyer at a link
	Amount         money.Cents
	Description    string
	ExternalID     string
	Customer       Customer
	Metadata       []byte // a JSON object of strings, {} for none
	ExpiresIn      time.Duration
	IdempotencyKey string    // "" for none
	RequestHash    []byte    // SHA-256 of the canonical body; needed with a key
	PaymentLinkID  *string   // the link that creates it; nil without one
	sale           *linkSale // what the link sells by; nil without one
}

// operation returns the scope of the IdempotencyKey: clients of the API and buyers at links
// choose their keys independently.
func (in *NewCheckout) operation() string {
	if in.PaymentLinkID != nil {
		return models.OperationLinkCheckout
	}
	return models.OperationCheckout
}

// Customer is the payer, as described by the merchant. A nil field is unknown.
type Customer struct {
	Name, Email, Document *string
	Phone                 *string // stored sealed and never shown
}

// CreateCheckout creates a pending checkout with its Pix code and writes the event
// checkout.created. A request with the IdempotencyKey of an earlier one returns the earlier
// checkout in its current state, and created is false. Concurrent requests with one key create
// one checkout. Refusals: IdempotencyConflict, InvalidRequestBody (the account's limits, with
// the cause OutOfBounds), Forbidden, AccountSuspended, LiveOperationsBlocked,
// ProviderUnavailable. After ProviderUnavailable, a request with the same key resumes the same
// checkout.
func (s *Service) CreateCheckout(ctx context.Context, scope models.Scope, account *models.Account,
	in NewCheckout) (c *models.Checkout, created bool, err error) {
	if in.By != nil {
		if err := s.maySell(ctx, *in.By, scope); err != nil {
			return nil, false, err
		}
	}
	if refusal := s.refusal(scope, account, in); refusal != nil {
		earlier, err := s.earlier(ctx, scope, in)
		if err != nil || earlier.checkout != nil {
			return earlier.checkout, false, err
		}
		return nil, false, refusal
	}
	if s.atBank(scope.Environment) {
		return s.createAtBank(ctx, scope, account, in)
	}
	resume, err := s.reserve(ctx, scope, in)
	if err != nil || resume.checkout != nil {
		return resume.checkout, false, err
	}
	for range 2 { // the second time for a bound key whose request got no code
		row, made, err := s.attempt(ctx, scope, account, in, resume)
		if err != nil {
			c, err := s.earlierSale(ctx, scope, in, err)
			return c, false, err
		}
		if made {
			return &row.Checkout, true, nil
		}
		if resume, err = s.earlier(ctx, scope, in); err != nil {
			return nil, false, err
		}
		if resume.checkout != nil {
			created, err := s.madeBy(ctx, row, resume.checkout)
			return resume.checkout, created, err
		}
	}
	return nil, false, errors.New("payments: the idempotency key names no checkout")
}

// maySell refuses a member who cannot Sell, before a code is requested from the institution.
// The role at the moment when the checkout is written decides.
func (s *Service) maySell(ctx context.Context, by models.Actor, scope models.Scope) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error { return projectMember(tx, by, scope, models.Sell) })
	if err != nil {
		return fmt.Errorf("payments: create a checkout: %w", err)
	}
	return nil
}

// madeBy reports whether writing row created c, the checkout of row's key. If the answer to a
// write was lost, the repeated write finds its own key taken.
func (s *Service) madeBy(ctx context.Context, row *models.NewCheckout, c *models.Checkout) (bool, error) {
	if c.ID != row.ID {
		return false, nil
	}
	made, err := models.EventWritten(ctx, s.DB.Pool, row.Created.ID)
	if err != nil {
		return false, fmt.Errorf("payments: look up the event of %s: %w", c.ID, err)
	}
	return made, nil
}

// refusal returns the reason why the account may not create a charge now, or nil.
func (s *Service) refusal(scope models.Scope, account *models.Account, in NewCheckout) error {
	if err := s.withinBounds(account, in.Amount); err != nil {
		return err
	}
	return gate(account.AccountSwitches, scope.Environment)
}

// gate refuses what the account's access and switches forbid in live (docs/rules.md,
// "Account switches").
func gate(a models.AccountSwitches, environment models.Environment) error {
	switch {
	case environment == models.Test:
		return nil
	case a.ProductionAccess != models.AccessApproved:
		return notApproved
	case a.Suspended:
		return suspended
	case a.LiveBlocked:
		return refusal.New(refusal.LiveOperationsBlocked,
			"Live operations of this account are blocked. Its members see the reason in the dashboard.")
	}
	return nil
}

// MayCharge reports whether the account may take new payments in the environment. If it may
// not, the pages of open checkouts do not show the Pix code either. Money that arrives
// nevertheless is booked as usual.
func MayCharge(a models.AccountSwitches, environment models.Environment) bool {
	return gate(a, environment) == nil
}

// attempt requests the charge from the institution and writes the checkout. made is false
// if the key is taken.
func (s *Service) attempt(
	ctx context.Context, scope models.Scope, account *models.Account, in NewCheckout, resume earlier,
) (row *models.NewCheckout, made bool, err error) {
	row = s.newRow(scope, in, resume)
	if err = s.issue(ctx, account, in, row); errors.Is(err, psp.ErrUnavailable) {
		return row, false, s.unavailable(ctx, scope, in, row, err)
	} else if err != nil {
		return nil, false, err
	}
	var queued bool
	if made, queued, err = s.write(ctx, scope, &in, row); err != nil {
		return nil, false, fmt.Errorf("payments: insert checkout: %w", err)
	}
	if queued {
		s.Wake()
	}
	if made {
		s.Tell(scope.Changes())
	}
	return row, made, nil
}

// issue requests the charge of a new checkout from the institution, and completes the row with its code and with the
// body of its event. It fails with psp.ErrUnavailable.
func (s *Service) issue(ctx context.Context, account *models.Account, in NewCheckout, row *models.NewCheckout) error {
	issued, err := s.putCharge(ctx, row.Environment, psp.Charge{
		TxID: row.TxID, Amount: int64(in.Amount), ExpiresIn: in.ExpiresIn,
		MerchantName: account.Name, City: account.City, Description: in.Description,
	})
	if err != nil {
		return fmt.Errorf("payments: put charge of %s: %w", row.ID, err)
	}
	row.CopyPaste = issued.CopyPaste
	if row.Environment == models.Test {
		if row.QRPNG, err = qr.SmallPNG(issued.CopyPaste); err != nil {
			return fmt.Errorf("payments: draw the code of %s: %w", row.ID, err)
		}
	}
	row.Created.Body = payload.AppendEvent(nil, row.Created.ID, models.EventCheckoutCreated, row.CreatedAt,
		&row.Checkout, s.CheckoutURL)
	return nil
}

// write writes a checkout. Those of API keys are written together with others. One of a
// member, who must be able to Sell, and one of a payment link is written in its own transaction,
// which locks the member's role or the link. If the link does not sell it now, write fails with
// saleRefused.
func (s *Service) write(
	ctx context.Context, scope models.Scope, in *NewCheckout, row *models.NewCheckout,
) (made, queued bool, err error) {
	if in.By == nil && in.sale == nil {
		return s.writer.Write(ctx, row)
	}
	may := func(tx *models.Tx) error {
		if in.sale != nil {
			return s.hold(tx, scope, in, row)
		}
		return projectMember(tx, *in.By, scope, models.Sell)
	}
	err = models.UntilAnswered(ctx, func() error {
		return s.DB.InTx(ctx, func(tx *models.Tx) error {
			if err := may(tx); err != nil {
				return err
			}
			made, queued, err = models.InsertCheckout(tx, row)
			return err
		})
	})
	return made, queued, err
}

// earlierSale returns err, unless a sale was refused whose form has sold before: then it
// returns that checkout.
func (s *Service) earlierSale(
	ctx context.Context, scope models.Scope, in NewCheckout, err error,
) (*models.Checkout, error) {
	if _, refused := errors.AsType[saleRefused](err); !refused {
		return nil, err
	}
	if earlier, broken := s.earlier(ctx, scope, in); broken != nil || earlier.checkout != nil {
		return earlier.checkout, broken
	}
	return nil, err
}

func (s *Service) putCharge(ctx context.Context, environment models.Environment,
	charge psp.Charge) (psp.Issued, error) {
	if environment == models.Test && ruleOf(money.Cents(charge.Amount)) == ruleUnavailable {
		return psp.Issued{}, psp.ErrUnavailable
	}
	return s.provider(environment).PutCharge(ctx, charge)
}

func (s *Service) newRow(scope models.Scope, in NewCheckout, resume earlier) *models.NewCheckout {
	now := s.now()
	id := resume.boundID
	if id == "" {
		id = models.NewCheckoutID()
	}
	row := &models.NewCheckout{
		Checkout: models.Checkout{
			ID: id, ProjectID: scope.ProjectID, Environment: scope.Environment, Status: models.CheckoutPending,
			Amount: in.Amount, Description: in.Description, ExternalID: in.ExternalID,
			CustomerName: in.Customer.Name, CustomerEmail: in.Customer.Email, CustomerDocument: in.Customer.Document,
			Metadata: in.Metadata, TxID: chargeTxID(id, 0), PaymentLinkID: in.PaymentLinkID,
			CreatedAt: now, ExpiresAt: now.Add(in.ExpiresIn), SettlementStatus: models.SettlementPending,
		},
		Created:        models.Event{ID: models.NewEventID()},
		IdempotencyKey: in.IdempotencyKey, RequestHash: in.RequestHash, Resumed: resume.boundID != "",
	}
	s.sealDocument(&row.Checkout)
	if in.Customer.Phone != nil {
		row.CustomerPhone = s.Vault.Seal(models.SealedCustomerPhone.Place(id), *in.Customer.Phone)
	}
	return row
}

// reserve binds the request's key to the checkout's id before the charge is requested from an
// institution over the network. So if an answer is lost, a retry requests the same charge and
// not a second one (docs/rules.md, "Idempotency"). The simulator issues codes inside the
// process, so its answers cannot be lost, and the key is written with the checkout.
func (s *Service) reserve(ctx context.Context, scope models.Scope, in NewCheckout) (earlier, error) {
	if in.IdempotencyKey == "" || s.simulated(scope.Environment) {
		return earlier{}, nil
	}
	if err := s.bind(ctx, scope, in, models.NewCheckoutID()); err != nil {
		return earlier{}, err
	}
	return s.earlier(ctx, scope, in)
}

func (s *Service) bind(ctx context.Context, scope models.Scope, in NewCheckout, id string) error {
	k := models.IdempotencyKey{
		OwnerID: scope.ProjectID, Environment: scope.Environment, Operation: in.operation(), Key: in.IdempotencyKey,
		RequestHash: in.RequestHash, ResourceID: id, CreatedAt: s.now(),
	}
	if _, err := k.Bind(ctx, s.DB.Pool); err != nil {
		return fmt.Errorf("payments: bind idempotency key: %w", err)
	}
	return nil
}

// unavailable returns the refusal of a creation that the institution did not accept, unless a
// concurrent request with the same key succeeded meanwhile. The key stays bound to the body
// and to the checkout's id.
func (s *Service) unavailable(
	ctx context.Context, scope models.Scope, in NewCheckout, row *models.NewCheckout, cause error,
) error {
	if in.IdempotencyKey != "" && !row.Resumed {
		if err := s.bind(ctx, scope, in, row.ID); err != nil {
			return err
		}
		earlier, err := s.earlier(ctx, scope, in)
		if err != nil || earlier.checkout != nil {
			return err
		}
	}
	return refusal.New(refusal.ProviderUnavailable,
		"The Pix institution cannot be reached now. Nothing was charged; repeat the request with the same "+
			"Idempotency-Key.").Because(cause)
}

// earlier is the result of a first request with the same key.
type earlier struct {
	checkout *models.Checkout
	boundID  string // the id of the future checkout, while checkout is nil
}

// earlier returns the result of an earlier request with the same key. The refusal is
// IdempotencyConflict if that request had another body.
func (s *Service) earlier(ctx context.Context, scope models.Scope, in NewCheckout) (earlier, error) {
	if in.IdempotencyKey == "" {
		return earlier{}, nil
	}
	id, err := s.resourceOf(ctx, scope.ProjectID, scope.Environment, in.operation(), in.IdempotencyKey, in.RequestHash)
	if err != nil || id == "" {
		return earlier{}, err
	}
	c, err := models.CheckoutByID(ctx, s.DB.Pool, scope, id)
	if errors.Is(err, models.ErrNotFound) {
		return earlier{boundID: id}, nil
	} else if err != nil {
		return earlier{}, fmt.Errorf("payments: read checkout: %w", err)
	}
	s.OpenDocument(c)
	return earlier{checkout: c}, nil
}

// Checkout returns one checkout of the scope. The refusal is CheckoutNotFound.
func (s *Service) Checkout(ctx context.Context, scope models.Scope, id string) (*models.Checkout, error) {
	c, err := s.reader.ByID(ctx, scope, id)
	if err != nil {
		return nil, fmt.Errorf("payments: read checkout: %w", noCheckout(err))
	}
	s.OpenDocument(c)
	return c, nil
}
