package payments

import (
	"context"
	"errors"
	"fmt"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/models"
)

// RefundRequest is a merchant's request to give money back to the buyer of a checkout.
type RefundRequest struct {
	By             models.Actor // a member, who must be able to MoveMoney, or an API key that may refund
	AccountID      string       // of the scope's project
	CheckoutID     string
	Amount         money.Cents // 0 is all that is left
	Reason         string      // shown to the payer; 1 to 140 characters, checked by the caller
	IdempotencyKey string
	RequestHash    []byte // SHA-256 of the canonical body
}

// RefundCheckout asks the institution to give money of a paid checkout back to its buyer, in full or in
// part; it may be called again until nothing is left. The books move at once, and back again if the
// institution refuses: it is asked afterwards, so RefundCheckout does not wait for it. A request with the
// IdempotencyKey of an earlier one returns the earlier refund as it is now, and created is false. Refusals:
// CheckoutNotFound, IdempotencyConflict, Forbidden, AccountSuspended, RefundNotPossible, InvalidAmount,
// InsufficientBalance.
func (s *Service) RefundCheckout(ctx context.Context, scope models.Scope, in RefundRequest) (r *models.Refund,
	created bool, err error) {
	if r, err = s.earlierRefund(ctx, scope, in); err != nil || r != nil {
		return r, false, err
	}
	r = &models.Refund{ID: models.NewRefundID(), Status: models.RefundRequested, Origin: models.RefundByAPI,
		Reason: in.Reason, CreatedAt: s.now()}
	if in.By.KeyID == "" {
		r.Origin, r.CreatedBy = models.RefundByMember, &in.By.UserID
	}
	created = false
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		created, err = s.requestRefund(tx, scope, in, r)
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("payments: refund %s: %w", in.CheckoutID, refundViolation(err))
	}
	if !created { // a concurrent request with the same key was first
		r, err = s.earlierRefund(ctx, scope, in)
	}
	return r, created, err
}

func (s *Service) requestRefund(tx *models.Tx, scope models.Scope, in RefundRequest, r *models.Refund) (bool, error) {
	if in.By.KeyID == "" { // the API has checked its keys
		if err := projectMember(tx, in.By, scope, models.MoveMoney); err != nil {
			return false, err
		}
	}
	bound, err := s.bindIn(tx, scope, in, r.ID)
	if err != nil || !bound {
		return false, err
	}
	account, err := models.ShareAccount(tx, in.AccountID)
	if err == nil {
		err = refundGate(account, scope.Environment)
	}
	if err != nil {
		return false, err
	}
	paymentID, err := models.PaymentOfCheckout(tx, scope, in.CheckoutID)
	if errors.Is(err, models.ErrNotFound) {
		return false, s.notRefundable(tx, scope, in.CheckoutID)
	} else if err != nil {
		return false, err
	}
	p, err := s.refundable(tx, paymentID)
	if err != nil {
		return false, err
	}
	if r.PaymentID, r.Amount = p.ID, in.Amount; r.Amount == 0 {
		r.Amount = p.Amount - p.refunded.Sum
	}
	if r.Amount <= 0 {
		return false, refusal.New(refusal.InvalidAmount, "Nothing is left of the payment to give back.")
	}
	if err := s.bookRefund(tx, p, r); err != nil {
		return false, err
	}
	return true, s.audit(tx, in.By, p.AccountID, "payment.refund_requested", r.ID,
		map[string]string{"payment": p.ID, "amount": r.Amount.Decimal(), "reason": r.Reason})
}

// refundGate refuses refunds that the account's access and switches forbid (docs/rules.md, "Account
// switches").
func refundGate(a *models.Account, environment models.Environment) error {
	switch {
	case environment == models.Test:
		return nil
	case a.ProductionAccess != models.AccessApproved:
		return notApproved
	case a.Suspended:
		return suspended
	}
	return nil
}

// notRefundable returns why a checkout without a payment cannot be refunded.
func (s *Service) notRefundable(tx *models.Tx, scope models.Scope, id string) error {
	return tx.PGX(func(ctx context.Context, conn models.Querier) error {
		c, err := models.CheckoutByID(ctx, conn, scope, id)
		if err != nil {
			return noCheckout(err)
		}
		return refusal.New(refusal.RefundNotPossible, "The checkout is %s, so there is nothing to give back.", c.Status)
	})
}

// bindIn claims the request's key for the refund in its own transaction. bound is false if the key is
// taken.
func (s *Service) bindIn(tx *models.Tx, scope models.Scope, in RefundRequest, id string) (bound bool, err error) {
	k := models.IdempotencyKey{OwnerID: scope.ProjectID, Environment: scope.Environment,
		Operation: models.OperationRefund, Key: in.IdempotencyKey, RequestHash: in.RequestHash, ResourceID: id,
		CreatedAt: s.now()}
	err = tx.PGX(func(ctx context.Context, conn models.Querier) error {
		bound, err = k.Bind(ctx, conn)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("bind the idempotency key: %w", err)
	}
	return bound, nil
}

// earlierRefund returns the refund that an earlier request with the same key created, or nil.
func (s *Service) earlierRefund(ctx context.Context, scope models.Scope, in RefundRequest) (*models.Refund, error) {
	id, err := s.resourceOf(ctx, scope.ProjectID, scope.Environment, models.OperationRefund, in.IdempotencyKey,
		in.RequestHash)
	if err != nil || id == "" {
		return nil, err
	}
	return s.Refund(ctx, scope, id)
}

// Refunds returns a page of the scope's refunds, newest first.
func (s *Service) Refunds(ctx context.Context, scope models.Scope, f models.RefundFilter) (models.Page[models.Refund],
	error) {
	page, err := models.ReadPage(f.Limit, func(limit int) ([]models.Refund, error) {
		f.Limit = limit
		return models.ListRefunds(ctx, s.DB.Read, scope, f)
	})
	if err != nil {
		return page, fmt.Errorf("payments: list refunds: %w", err)
	}
	return page, nil
}

// Refund returns a refund of the scope. The refusal is RefundNotFound.
func (s *Service) Refund(ctx context.Context, scope models.Scope, id string) (*models.Refund, error) {
	r, err := models.RefundByID(ctx, s.DB.Pool, scope, id)
	if errors.Is(err, models.ErrNotFound) {
		return nil, refusal.New(refusal.RefundNotFound, "No refund has this id.")
	} else if err != nil {
		return nil, fmt.Errorf("payments: read refund: %w", err)
	}
	return r, nil
}
