package payments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/money"
	"garoupa/pix"
	"garoupa/pix/psp"
	"garoupa/pix/qr"
	"garoupa/wire"
)

// NewCheckout is what a merchant asks for. The caller has checked it against the
// rules of the fields (decisions, 3).
type NewCheckout struct {
	Amount         money.Cents
	Description    string
	ExternalID     string
	Customer       Customer
	Metadata       []byte // a JSON object of strings, {} for none
	ExpiresIn      time.Duration
	IdempotencyKey string  // "" for none
	RequestHash    []byte  // SHA-256 of the canonical body; needed with a key
	PaymentLinkID  *string // the link that makes it, if one does
}

// operation is the scope of the IdempotencyKey: clients of the API and buyers at
// links choose theirs without knowing of each other.
func (in *NewCheckout) operation() string {
	if in.PaymentLinkID != nil {
		return models.OperationLinkCheckout
	}
	return models.OperationCheckout
}

// Customer is who pays, as far as the merchant tells. Nil means unsaid.
type Customer struct {
	Name, Email, Document *string
	Phone                 *string // kept sealed and never shown again
}

// CreateCheckout makes a pending checkout with its Pix code and emits
// checkout.created. A request repeated with its IdempotencyKey gets the checkout
// of the first, as it is now, and created is false. Requests in flight together
// with one key make one checkout. Faults: IdempotencyConflict, Forbidden,
// AccountSuspended, LiveOperationsBlocked, ProviderUnavailable; after the last,
// the same key resumes the same checkout.
func (s *Service) CreateCheckout(ctx context.Context, scope models.Scope, account *models.Account, in NewCheckout) (c *models.Checkout, created bool, err error) {
	if refusal := gate(account, scope.Livemode); refusal != nil {
		earlier, err := s.earlier(ctx, scope, in)
		if err != nil || earlier.checkout != nil {
			return earlier.checkout, false, err
		}
		return nil, false, refusal
	}
	reserved, err := s.reserve(ctx, scope, in)
	if err != nil || reserved.checkout != nil {
		return reserved.checkout, false, err
	}
	c, created, err = s.attempt(ctx, scope, account, in, reserved)
	if err != nil || created {
		return c, created, err
	}
	earlier, err := s.earlier(ctx, scope, in)
	if err != nil || earlier.checkout != nil {
		return earlier.checkout, false, err
	}
	// The key was bound by a request that never got its code: go on in its place.
	c, created, err = s.attempt(ctx, scope, account, in, earlier)
	if err != nil || created {
		return c, created, err
	}
	earlier, err = s.earlier(ctx, scope, in) // a twin was faster
	if err == nil && earlier.checkout == nil {
		err = errors.New("payments: the idempotency key names no checkout")
	}
	return earlier.checkout, false, err
}

// gate refuses what the account's switches forbid to live keys (decisions, 2.12).
func gate(a *models.Account, livemode bool) error {
	switch {
	case !livemode:
		return nil
	case a.ProductionAccess != models.AccessApproved:
		return notApproved
	case a.Suspended:
		return suspended
	case a.LiveBlocked:
		return fault.New(fault.LiveOperationsBlocked, "Live operations of this account are blocked. Its members see the reason in the dashboard.")
	}
	return nil
}

// MayCharge reports whether the account may take new payments in the environment. What
// refuses it new checkouts also takes the code off the pages of those that are open;
// money that comes nevertheless is booked like any.
func MayCharge(a *models.Account, livemode bool) bool { return gate(a, livemode) == nil }

// attempt asks the institution for the charge and writes the checkout. It reports
// false when the key is taken.
func (s *Service) attempt(ctx context.Context, scope models.Scope, account *models.Account, in NewCheckout, resume earlier) (*models.Checkout, bool, error) {
	row := s.newRow(scope, in, resume)
	issued, err := s.putCharge(ctx, scope.Livemode, psp.Charge{
		TxID: row.TxID, Amount: int64(in.Amount), ExpiresIn: in.ExpiresIn,
		MerchantName: account.Name, City: account.City, Description: in.Description,
	})
	if errors.Is(err, psp.ErrUnavailable) {
		return s.unavailable(ctx, scope, in, row, err)
	} else if err != nil {
		return nil, false, fmt.Errorf("payments: put charge of %s: %w", row.ID, err)
	}
	row.CopyPaste = issued.CopyPaste
	if !scope.Livemode {
		if row.QRPNG, err = qr.SmallPNG(issued.CopyPaste); err != nil {
			return nil, false, fmt.Errorf("payments: draw the code of %s: %w", row.ID, err)
		}
	}
	row.Created.Body = wire.AppendEvent(nil, row.Created.ID, models.EventCheckoutCreated, row.CreatedAt, &row.Checkout, s.CheckoutHost)

	made, queued, err := s.writer.Write(ctx, row)
	if err != nil {
		return nil, false, fmt.Errorf("payments: insert checkout: %w", err)
	}
	if queued {
		s.Wake()
	}
	if made && !scope.Livemode {
		s.Tell(scope.ProjectID)
	}
	return &row.Checkout, made, nil
}

func (s *Service) putCharge(ctx context.Context, livemode bool, charge psp.Charge) (psp.Issued, error) {
	if !livemode && ruleOf(money.Cents(charge.Amount)) == ruleUnavailable {
		return psp.Issued{}, psp.ErrUnavailable
	}
	return s.provider(livemode).PutCharge(ctx, charge)
}

func (s *Service) newRow(scope models.Scope, in NewCheckout, resume earlier) *models.NewCheckout {
	now := s.now()
	id := resume.boundID
	if id == "" {
		id = models.NewCheckoutID()
	}
	row := &models.NewCheckout{
		Checkout: models.Checkout{
			ID: id, ProjectID: scope.ProjectID, Livemode: scope.Livemode, Status: models.CheckoutPending,
			Amount: in.Amount, Description: in.Description, ExternalID: in.ExternalID,
			CustomerName: in.Customer.Name, CustomerEmail: in.Customer.Email, CustomerDocument: in.Customer.Document,
			Metadata: in.Metadata, TxID: pix.ChargeTxID(id), PaymentLinkID: in.PaymentLinkID,
			CreatedAt: now, ExpiresAt: now.Add(in.ExpiresIn), SettlementStatus: models.SettlementPending,
		},
		Created:        models.Event{ID: models.NewEventID()},
		IdempotencyKey: in.IdempotencyKey, RequestHash: in.RequestHash, Resumed: resume.boundID != "",
	}
	if in.Customer.Phone != nil {
		row.CustomerPhone = s.Vault.Seal(models.SealedCustomerPhone.Place(id), *in.Customer.Phone)
	}
	return row
}

// reserve binds the request's key to the checkout's id before an institution on
// the network hears of the charge: whatever is lost on the way, a retry asks for
// the same charge and not for a second one (decisions, 2). The simulator issues
// codes without leaving the process, so nothing of its can be lost half-way, and
// the key is written with the checkout.
func (s *Service) reserve(ctx context.Context, scope models.Scope, in NewCheckout) (earlier, error) {
	if in.IdempotencyKey == "" || s.simulated(scope.Livemode) {
		return earlier{}, nil
	}
	if err := s.bind(ctx, scope, in, models.NewCheckoutID()); err != nil {
		return earlier{}, err
	}
	return s.earlier(ctx, scope, in)
}

func (s *Service) bind(ctx context.Context, scope models.Scope, in NewCheckout, id string) error {
	k := models.IdempotencyKey{
		OwnerID: scope.ProjectID, Livemode: scope.Livemode, Operation: in.operation(), Key: in.IdempotencyKey,
		RequestHash: in.RequestHash, ResourceID: id, CreatedAt: s.now(),
	}
	if err := k.Bind(ctx, s.DB.Pool); err != nil {
		return fmt.Errorf("payments: bind idempotency key: %w", err)
	}
	return nil
}

// unavailable answers a creation that the institution did not take. The key stays
// bound to the body and to the checkout's id (decisions, 2).
func (s *Service) unavailable(ctx context.Context, scope models.Scope, in NewCheckout, row *models.NewCheckout, cause error) (*models.Checkout, bool, error) {
	if in.IdempotencyKey != "" && !row.Resumed {
		if err := s.bind(ctx, scope, in, row.ID); err != nil {
			return nil, false, err
		}
		earlier, err := s.earlier(ctx, scope, in)
		if err != nil || earlier.checkout != nil {
			return earlier.checkout, false, err
		}
	}
	return nil, false, fault.New(fault.ProviderUnavailable,
		"The Pix institution cannot be reached now. Nothing was charged; repeat the request with the same Idempotency-Key.").Because(cause)
}

// earlier is what a first request with the same key left behind.
type earlier struct {
	checkout *models.Checkout
	boundID  string // the id it was to have, while checkout is nil
}

// earlier looks the request's key up. It fails with IdempotencyConflict when the
// key came with another body.
func (s *Service) earlier(ctx context.Context, scope models.Scope, in NewCheckout) (earlier, error) {
	if in.IdempotencyKey == "" {
		return earlier{}, nil
	}
	id, err := s.resourceOf(ctx, scope.ProjectID, scope.Livemode, in.operation(), in.IdempotencyKey, in.RequestHash)
	if err != nil || id == "" {
		return earlier{}, err
	}
	c, err := models.CheckoutByID(ctx, s.DB.Pool, scope, id)
	if errors.Is(err, models.ErrNotFound) {
		return earlier{boundID: id}, nil
	} else if err != nil {
		return earlier{}, fmt.Errorf("payments: read checkout: %w", err)
	}
	return earlier{checkout: c}, nil
}

// Checkout returns one checkout of the scope. The fault is CheckoutNotFound.
func (s *Service) Checkout(ctx context.Context, scope models.Scope, id string) (*models.Checkout, error) {
	c, err := models.CheckoutByID(ctx, s.DB.Pool, scope, id)
	if err != nil {
		return nil, fmt.Errorf("payments: read checkout: %w", noCheckout(err))
	}
	return c, nil
}

// Checkouts returns a page of the scope's checkouts, newest first. Rows made
// while a client pages neither shift nor repeat what it sees.
func (s *Service) Checkouts(ctx context.Context, scope models.Scope, f models.CheckoutFilter) (CheckoutPage, error) {
	limit := f.Limit
	f.Limit++ // one more tells whether there is a further page
	rows, err := models.ListCheckouts(ctx, s.DB.Pool, scope, f)
	if err != nil {
		return CheckoutPage{}, fmt.Errorf("payments: list checkouts: %w", err)
	}
	return s.page(rows, limit), nil
}

// SearchCheckouts is Checkouts for what a member looks for.
func (s *Service) SearchCheckouts(ctx context.Context, scope models.Scope, search models.CheckoutSearch) (CheckoutPage, error) {
	limit := search.Limit
	search.Limit++
	rows, err := models.SearchCheckouts(ctx, s.DB.Pool, scope, search)
	if err != nil {
		return CheckoutPage{}, fmt.Errorf("payments: search checkouts: %w", err)
	}
	return s.page(rows, limit), nil
}

func (s *Service) page(rows []models.Checkout, limit int) CheckoutPage {
	page := CheckoutPage{Checkouts: rows}
	if len(rows) > limit {
		page.Checkouts = rows[:limit]
		last := rows[limit-1]
		page.NextCursor = s.Cursor(ListCheckouts, models.Position{CreatedAt: last.CreatedAt, ID: last.ID})
	}
	return page
}
