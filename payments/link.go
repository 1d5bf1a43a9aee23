package payments

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"garoupa/internal/payload"
	"garoupa/internal/refusal"
	"garoupa/models"
)

// NewPaymentLink is a merchant's request for a payment link. The caller must have checked it
// by the rules of the fields (contract 2.5).
type NewPaymentLink struct {
	By             *models.Actor // a member, who must be able to Sell; nil for an API key, which the caller has checked
	ProductSlug    string
	ExpiresIn      time.Duration // of the checkouts that the link creates
	SuccessURL     *string
	ReturnURL      *string
	IdempotencyKey string // required: the link's id is derived from it
	RequestHash    []byte // SHA-256 of the canonical body
}

// CreatePaymentLink creates a link to an active product. A request with the IdempotencyKey of
// an earlier one returns the earlier link, and created is false. Refusals:
// IdempotencyConflict, Forbidden, AccountSuspended, LiveOperationsBlocked, ProductNotFound.
func (s *Service) CreatePaymentLink(ctx context.Context, scope models.Scope, account *models.Account,
	in NewPaymentLink) (link *models.PaymentLink, created bool, err error) {
	if link, err := s.earlierLink(ctx, scope, in); err != nil || link != nil {
		return link, false, err
	}
	if refusal := gate(account.AccountSwitches, scope.Environment); refusal != nil {
		return nil, false, refusal
	}
	product, err := models.ProductBySlug(ctx, s.DB.Pool, scope, in.ProductSlug)
	if err == nil && !product.Active {
		err = models.ErrNotFound
	}
	if errors.Is(err, models.ErrNotFound) {
		return nil, false, refusal.New(refusal.ProductNotFound,
			"No active product of this project and environment has the slug that productId names.")
	} else if err != nil {
		return nil, false, fmt.Errorf("payments: read product: %w", err)
	}

	now := s.now()
	link = &models.PaymentLink{
		ID: s.linkID(scope, in.IdempotencyKey), ProjectID: scope.ProjectID, Environment: scope.Environment,
		ExpiresInSeconds: int(in.ExpiresIn.Seconds()), SuccessURL: in.SuccessURL, ReturnURL: in.ReturnURL, Active: true,
		CreatedAt: now, UpdatedAt: now, Product: *product,
	}
	made, err := s.insertLink(ctx, scope, link, in)
	if err != nil {
		return nil, false, fmt.Errorf("payments: insert payment link: %w", err)
	}
	if !made { // a concurrent request with the same key was first
		link, err = s.earlierLink(ctx, scope, in)
	}
	return link, made, err
}

// insertLink writes a link for an API key, or for a member who can Sell.
func (s *Service) insertLink(
	ctx context.Context, scope models.Scope, link *models.PaymentLink, in NewPaymentLink,
) (made bool, err error) {
	if in.By == nil {
		return models.InsertPaymentLink(ctx, s.DB.Pool, link, in.IdempotencyKey, in.RequestHash)
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		if err := projectMember(tx, *in.By, scope, models.Sell); err != nil {
			return err
		}
		return tx.PGX(func(ctx context.Context, conn models.Querier) error {
			made, err = models.InsertPaymentLink(ctx, conn, link, in.IdempotencyKey, in.RequestHash)
			return err
		})
	})
	return made, err
}

// linkID derives a link's id from its idempotency key, so that a key can never create two
// links (docs/rules.md, "Ids").
func (s *Service) linkID(scope models.Scope, key string) string {
	return models.PaymentLinkID(s.Vault.Digest(scope.ProjectID, scope.Environment.String(), key))
}

// earlierLink returns the link that an earlier request with the same key created, or nil.
func (s *Service) earlierLink(ctx context.Context, scope models.Scope, in NewPaymentLink) (*models.PaymentLink, error) {
	id, err := s.resourceOf(ctx, scope.ProjectID, scope.Environment, models.OperationPaymentLink, in.IdempotencyKey,
		in.RequestHash)
	if err != nil || id == "" {
		return nil, err
	}
	return s.PaymentLink(ctx, scope, id)
}

// PaymentLink returns one link of the scope. The refusal is PaymentLinkNotFound.
func (s *Service) PaymentLink(ctx context.Context, scope models.Scope, id string) (*models.PaymentLink, error) {
	link, err := models.PaymentLinkByID(ctx, s.DB.Pool, scope, id)
	if errors.Is(err, models.ErrNotFound) {
		return nil, noLink
	} else if err != nil {
		return nil, fmt.Errorf("payments: read payment link: %w", err)
	}
	return link, nil
}

var noLink = refusal.New(refusal.PaymentLinkNotFound, "No payment link has this id.")

// PaymentLinks returns a page of the scope's links, newest first.
func (s *Service) PaymentLinks(ctx context.Context, scope models.Scope, after *models.Position,
	limit int) (models.Page[models.PaymentLink], error) {
	page, err := models.ReadPage(limit, func(limit int) ([]models.PaymentLink, error) {
		return models.PaymentLinks(ctx, s.DB.Pool, scope, after, limit)
	})
	if err != nil {
		return page, fmt.Errorf("payments: list payment links: %w", err)
	}
	return page, nil
}

// PublicPaymentLink returns a link for a buyer who has its id. The refusal is
// PaymentLinkNotFound, also if the link cannot be used now: the link or its product is off, or
// the account may not charge at all, or not this amount.
func (s *Service) PublicPaymentLink(ctx context.Context, id string) (*models.PublicPaymentLink, error) {
	link, err := s.openPaymentLink(ctx, id)
	if err == nil && s.withinBounds(&link.Account, link.Product.Amount) != nil {
		err = noLink
	}
	return link, err
}

// openPaymentLink is PublicPaymentLink without the check of the account.
func (s *Service) openPaymentLink(ctx context.Context, id string) (*models.PublicPaymentLink, error) {
	link, err := models.PublicPaymentLinkByID(ctx, s.DB.Pool, id)
	if errors.Is(err, models.ErrNotFound) {
		return nil, noLink
	} else if err != nil {
		return nil, fmt.Errorf("payments: read payment link: %w", err)
	}
	usable := link.Active && link.Product.Active && !link.Account.Suspended && !link.Account.LiveBlocked
	if !usable || gate(link.Account.AccountSwitches, link.Environment) != nil {
		return link, noLink
	}
	return link, nil
}

// UsePaymentLink creates a checkout of the link's product in its current state. The buyer's
// data are optional. form is the key of the form, "" for none: later calls with it, at any
// instance, return the first checkout in its current state. Refusals: PaymentLinkNotFound,
// ProviderUnavailable.
func (s *Service) UsePaymentLink(ctx context.Context, id string, buyer Customer,
	form string) (*models.Checkout, error) {
	link, err := s.openPaymentLink(ctx, id)
	if err != nil {
		return nil, err
	}
	scope := models.Scope{ProjectID: link.ProjectID, Environment: link.Environment}
	in := linkCheckout(&link.PaymentLink, buyer)
	if form != "" {
		sum := sha256.Sum256([]byte(link.ID + " " + form))
		in.IdempotencyKey, in.RequestHash = hex.EncodeToString(sum[:]), sum[:]
	}
	checkout, _, err := s.CreateCheckout(ctx, scope, &link.Account, in)
	if outside, is := errors.AsType[OutOfBounds](err); is {
		return nil, noLink.Because(outside)
	}
	return checkout, err
}

// linkCheckout returns the checkout of a link's product in its current state.
func linkCheckout(link *models.PaymentLink, buyer Customer) NewCheckout {
	metadata := append([]byte(`{"paymentLinkId":`), payload.AppendString(nil, link.ID)...)
	metadata = append(append(metadata, `,"productId":`...), payload.AppendString(nil, link.Product.Slug)...)
	return NewCheckout{
		Amount: link.Product.Amount, Description: link.Product.Name, ExternalID: link.ID, Customer: buyer,
		Metadata: append(metadata, '}'), ExpiresIn: time.Duration(link.ExpiresInSeconds) * time.Second,
		PaymentLinkID: &link.ID,
	}
}

// RenewCheckout creates another checkout of the payment link of an expired checkout. form is
// as in UsePaymentLink. Refusals: CheckoutNotFound, PaymentLinkNotFound, ProviderUnavailable.
func (s *Service) RenewCheckout(ctx context.Context, id, form string) (*models.Checkout, error) {
	expired, err := models.PublicCheckoutByID(ctx, s.DB.Pool, id)
	if err == nil && (expired.PaymentLinkID == nil || expired.Status != models.CheckoutExpired) {
		err = models.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("payments: renew %s: %w", id, noCheckout(err))
	}
	s.OpenDocument(&expired.Checkout)
	buyer := Customer{Name: expired.CustomerName, Email: expired.CustomerEmail, Document: expired.CustomerDocument}
	return s.UsePaymentLink(ctx, *expired.PaymentLinkID, buyer, form)
}
