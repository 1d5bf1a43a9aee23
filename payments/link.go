package payments

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/wire"
)

// NewPaymentLink is what a merchant asks for. The caller has checked it against
// the rules of the fields (contract 2.5).
type NewPaymentLink struct {
	ProductSlug    string
	ExpiresIn      time.Duration // of the checkouts that the link makes
	SuccessURL     *string
	ReturnURL      *string
	IdempotencyKey string // required: the link's id is derived from it
	RequestHash    []byte // SHA-256 of the canonical body
}

// CreatePaymentLink makes a link to an active product. A request repeated with its
// IdempotencyKey gets the link of the first, and created is false. Faults:
// IdempotencyConflict, Forbidden, AccountSuspended, LiveOperationsBlocked,
// ProductNotFound.
func (s *Service) CreatePaymentLink(ctx context.Context, scope models.Scope, account *models.Account, in NewPaymentLink) (link *models.PaymentLink, created bool, err error) {
	if link, err := s.earlierLink(ctx, scope, in); err != nil || link != nil {
		return link, false, err
	}
	if refusal := gate(account, scope.Livemode); refusal != nil {
		return nil, false, refusal
	}
	product, err := models.ProductBySlug(ctx, s.DB.Pool, scope, in.ProductSlug)
	if err == nil && !product.Active {
		err = models.ErrNotFound
	}
	if errors.Is(err, models.ErrNotFound) {
		return nil, false, fault.New(fault.ProductNotFound, "No active product of this project and environment has the slug that productId names.")
	} else if err != nil {
		return nil, false, fmt.Errorf("payments: read product: %w", err)
	}

	now := s.now()
	link = &models.PaymentLink{
		ID: s.linkID(scope, in.IdempotencyKey), ProjectID: scope.ProjectID, Livemode: scope.Livemode,
		ExpiresInSeconds: int(in.ExpiresIn.Seconds()), SuccessURL: in.SuccessURL, ReturnURL: in.ReturnURL, Active: true,
		CreatedAt: now, UpdatedAt: now, Product: *product,
	}
	made, err := models.InsertPaymentLink(ctx, s.DB.Pool, link, in.IdempotencyKey, in.RequestHash)
	if err != nil {
		return nil, false, fmt.Errorf("payments: insert payment link: %w", err)
	}
	if !made { // a twin was faster
		link, err = s.earlierLink(ctx, scope, in)
	}
	return link, made, err
}

// linkID derives a link's id from its idempotency key (decisions, 1), so that the
// same key can never make two.
func (s *Service) linkID(scope models.Scope, key string) string {
	environment := "test"
	if scope.Livemode {
		environment = "live"
	}
	return "plink_" + s.Vault.Digest(scope.ProjectID, environment, key)[:16]
}

// earlierLink returns the link that a first request with the same key made, nil if
// there was none.
func (s *Service) earlierLink(ctx context.Context, scope models.Scope, in NewPaymentLink) (*models.PaymentLink, error) {
	id, err := s.resourceOf(ctx, scope.ProjectID, scope.Livemode, models.OperationPaymentLink, in.IdempotencyKey, in.RequestHash)
	if err != nil || id == "" {
		return nil, err
	}
	return s.PaymentLink(ctx, scope, id)
}

// PaymentLink returns one link of the scope. The fault is PaymentLinkNotFound.
func (s *Service) PaymentLink(ctx context.Context, scope models.Scope, id string) (*models.PaymentLink, error) {
	link, err := models.PaymentLinkByID(ctx, s.DB.Pool, scope, id)
	if errors.Is(err, models.ErrNotFound) {
		return nil, noLink
	} else if err != nil {
		return nil, fmt.Errorf("payments: read payment link: %w", err)
	}
	return link, nil
}

var noLink = fault.New(fault.PaymentLinkNotFound, "No payment link has this id.")

// PaymentLinkPage is one page of a list.
type PaymentLinkPage struct {
	Links      []models.PaymentLink
	NextCursor string // "" when there is no further page
}

// PaymentLinks returns a page of the scope's links, newest first.
func (s *Service) PaymentLinks(ctx context.Context, scope models.Scope, after *models.Position, limit int) (PaymentLinkPage, error) {
	rows, err := models.PaymentLinks(ctx, s.DB.Pool, scope, after, limit+1) // one more tells whether there is a further page
	if err != nil {
		return PaymentLinkPage{}, fmt.Errorf("payments: list payment links: %w", err)
	}
	page := PaymentLinkPage{Links: rows}
	if len(rows) > limit {
		page.Links = rows[:limit]
		last := rows[limit-1]
		page.NextCursor = s.Cursor(ListPaymentLinks, models.Position{CreatedAt: last.CreatedAt, ID: last.ID})
	}
	return page, nil
}

// PublicPaymentLink returns a link to a buyer who knows its id. The fault is
// PaymentLinkNotFound, also for one that cannot be used: it or its product is
// off, or the account may not charge now (decisions, 5).
func (s *Service) PublicPaymentLink(ctx context.Context, id string) (*models.PublicPaymentLink, error) {
	link, err := models.PublicPaymentLinkByID(ctx, s.DB.Pool, id)
	if errors.Is(err, models.ErrNotFound) {
		return nil, noLink
	} else if err != nil {
		return nil, fmt.Errorf("payments: read payment link: %w", err)
	}
	usable := link.Active && link.Product.Active && !link.Account.Suspended && !link.Account.LiveBlocked
	if !usable || gate(&link.Account, link.Livemode) != nil {
		return link, noLink
	}
	return link, nil
}

// UsePaymentLink makes a checkout of the link's product as it is now. The buyer
// may say who they are. Form names what the buyer sent, "" for nothing: sent again,
// at any instance, it gets the checkout that it made first, as that is now. Faults:
// PaymentLinkNotFound, ProviderUnavailable.
func (s *Service) UsePaymentLink(ctx context.Context, id string, buyer Customer, form string) (*models.Checkout, error) {
	link, err := s.PublicPaymentLink(ctx, id)
	if err != nil {
		return nil, err
	}
	metadata := append([]byte(`{"paymentLinkId":`), wire.AppendString(nil, link.ID)...)
	metadata = append(append(metadata, `,"productId":`...), wire.AppendString(nil, link.Product.Slug)...)
	scope := models.Scope{ProjectID: link.ProjectID, Livemode: link.Livemode}
	in := NewCheckout{
		Amount: link.Product.Amount, Description: link.Product.Name, ExternalID: link.ID, Customer: buyer,
		Metadata: append(metadata, '}'), ExpiresIn: time.Duration(link.ExpiresInSeconds) * time.Second, PaymentLinkID: &link.ID,
	}
	if form != "" {
		sum := sha256.Sum256([]byte(link.ID + " " + form))
		in.IdempotencyKey, in.RequestHash = hex.EncodeToString(sum[:]), sum[:]
	}
	checkout, _, err := s.CreateCheckout(ctx, scope, &link.Account, in)
	return checkout, err
}

// RenewCheckout makes another checkout of the link that an expired one came from.
// Form is UsePaymentLink's. Faults: CheckoutNotFound, PaymentLinkNotFound,
// ProviderUnavailable.
func (s *Service) RenewCheckout(ctx context.Context, id, form string) (*models.Checkout, error) {
	expired, err := models.PublicCheckoutByID(ctx, s.DB.Pool, id)
	if err == nil && (expired.PaymentLinkID == nil || expired.Status != models.CheckoutExpired) {
		err = models.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("payments: renew %s: %w", id, noCheckout(err))
	}
	buyer := Customer{Name: expired.CustomerName, Email: expired.CustomerEmail, Document: expired.CustomerDocument}
	return s.UsePaymentLink(ctx, *expired.PaymentLinkID, buyer, form)
}
