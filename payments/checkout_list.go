package payments

import (
	"context"
	"fmt"

	"garoupa/models"
)

// Checkouts returns a page of the scope's checkouts, newest first. New checkouts neither shift
// nor repeat rows while a client pages. Callers that ask for the same page at the same time share it, so
// they must not change it.
func (s *Service) Checkouts(ctx context.Context, scope models.Scope,
	f models.CheckoutFilter) (models.Page[models.Checkout], error) {
	list := listed{scope: scope, filter: f}
	if f.After != nil {
		list.after, list.filter.After = *f.After, nil
	}
	page, err := s.lists.Ask(ctx, list)
	if err != nil {
		return page, fmt.Errorf("payments: list checkouts: %w", err)
	}
	return page, nil
}

// listed is a page of checkouts. Two of the same page are equal, so its filter has no pointer.
type listed struct {
	scope  models.Scope
	filter models.CheckoutFilter
	after  models.Position // of the filter; zero for the first page
}

func (s *Service) listCheckouts(ctx context.Context, list listed) (models.Page[models.Checkout], error) {
	f := list.filter
	if list.after != (models.Position{}) {
		f.After = &list.after
	}
	return models.ReadPage(f.Limit, func(limit int) ([]models.Checkout, error) {
		f.Limit = limit
		return s.opened(models.ListCheckouts(ctx, s.DB.Read, list.scope, f))
	})
}

// SumCheckouts counts and sums what SearchCheckouts finds.
func (s *Service) SumCheckouts(ctx context.Context, scope models.Scope, search models.CheckoutSearch) (
	models.CheckoutSum, error) {
	search.Document = s.documentDigest(scope.ProjectID, search.Text)
	sum, err := models.SumCheckouts(ctx, s.DB.Read, scope, search, s.Now())
	if err != nil {
		return sum, fmt.Errorf("payments: sum checkouts: %w", err)
	}
	return sum, nil
}

// SearchCheckouts is Checkouts for a member's search. Its text may also be a customer's document.
func (s *Service) SearchCheckouts(ctx context.Context, scope models.Scope,
	search models.CheckoutSearch) (models.Page[models.Checkout], error) {
	search.Document = s.documentDigest(scope.ProjectID, search.Text)
	page, err := models.ReadPage(search.Limit, func(limit int) ([]models.Checkout, error) {
		search.Limit = limit
		return s.opened(models.SearchCheckouts(ctx, s.DB.Read, scope, search))
	})
	if err != nil {
		return page, fmt.Errorf("payments: search checkouts: %w", err)
	}
	return page, nil
}
