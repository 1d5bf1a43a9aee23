package payments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/internal/refusal"
	"garoupa/models"
)

// NewPaymentLink is a merchant's request for a payment link. The caller must have checked it
// by the rules of the fields (contract 2.5).
type NewPaymentLink struct {
	By               *models.Actor // a member, who must be able to Sell; nil for an API key
	ProductSlug      string
	ExpiresIn        time.Duration // of the checkouts that the link creates
	SuccessURL       *string
	ReturnURL        *string
	models.LinkTerms        // the zero value sells one unit at the product's price, with optional data of the buyer
	IdempotencyKey   string // required: the link's id is derived from it
	RequestHash      []byte // SHA-256 of the canonical body
}

// CreatePaymentLink creates a link to an active product. A request with the IdempotencyKey of
// an earlier one returns the earlier link, and created is false. Refusals:
// IdempotencyConflict, InvalidRequestBody (a link that has ended already or, with the cause
// OutOfBounds, whose amounts the account may not charge now), Forbidden, AccountSuspended,
// LiveOperationsBlocked, ProductNotFound.
func (s *Service) CreatePaymentLink(ctx context.Context, scope models.Scope, account *models.Account,
	in NewPaymentLink) (link *models.PaymentLink, created bool, err error) {
	if link, err := s.earlierLink(ctx, scope, in); err != nil || link != nil {
		return link, false, err
	}
	if in.Ended(s.now()) {
		return nil, false, refusal.New(refusal.InvalidRequestBody, "endsAt must be in the future.")
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
		CreatedAt: now, UpdatedAt: now, Product: *product, LinkTerms: in.LinkTerms,
	}
	link.BuyerData, link.MaxQuantity = cmp.Or(link.BuyerData, models.BuyerDataOptional), max(link.MaxQuantity, 1)
	if _, err := s.LinkOffer(link, account); err != nil {
		if outside, is := errors.AsType[OutOfBounds](err); is {
			return nil, false, refusal.New(refusal.InvalidRequestBody,
				"The link would sell nothing, because this account charges R$ %s to R$ %s at once.",
				outside.Min.Decimal(), outside.Max.Decimal()).Because(outside)
		}
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

// PaymentLinks returns a page of the scope's links, newest first.
func (s *Service) PaymentLinks(ctx context.Context, scope models.Scope, after *models.Position,
	limit int) (models.Page[models.PaymentLink], error) {
	page, err := models.ReadPage(limit, func(limit int) ([]models.PaymentLink, error) {
		return models.PaymentLinks(ctx, s.DB.Read, scope, after, limit)
	})
	if err != nil {
		return page, fmt.Errorf("payments: list payment links: %w", err)
	}
	return page, nil
}
