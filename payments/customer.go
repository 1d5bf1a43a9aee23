package payments

import (
	"context"
	"fmt"

	"garoupa/models"
)

// CustomerFacts are what a customer's page shows.
type CustomerFacts struct {
	models.Customer
	Open    []models.Checkout // charges that can still be paid, the latest ones
	Links   []models.CustomerLink
	Refunds []models.Refund // the latest ones
	History models.Page[models.Checkout]
}

// factsShown limits each of Open, Links and Refunds.
const factsShown = 5

// SearchCustomers finds customers of the scope by the beginning of their name or email address, or by their whole
// document. Without a text it lists all.
func (s *Service) SearchCustomers(ctx context.Context, scope models.Scope,
	search models.CustomerSearch) (models.Page[models.Customer], error) {
	if search.Text != "" && documentText(search.Text) != "" {
		search.Document = s.documentDigest(scope.ProjectID, search.Text)
	}
	found, err := models.ReadPage(search.Limit, func(limit int) ([]models.Customer, error) {
		search.Limit = limit
		return models.SearchCustomers(ctx, s.DB.Read, scope, search)
	})
	if err != nil {
		return found, fmt.Errorf("payments: search customers: %w", err)
	}
	for i := range found.Rows {
		s.openCustomer(&found.Rows[i])
	}
	return found, nil
}

// Customer returns a customer of the scope, or models.ErrNotFound.
func (s *Service) Customer(ctx context.Context, scope models.Scope, id string) (*models.Customer, error) {
	c, err := models.CustomerByID(ctx, s.DB.Pool, scope, id)
	if err != nil {
		return nil, fmt.Errorf("payments: read customer %s: %w", id, err)
	}
	s.openCustomer(c)
	return c, nil
}

// CustomerFacts returns what is known about a customer of the scope, with a page of size charges, or
// models.ErrNotFound.
func (s *Service) CustomerFacts(ctx context.Context, scope models.Scope, id string, after *models.Position,
	size int) (*CustomerFacts, error) {
	c, err := s.Customer(ctx, scope, id)
	if err != nil {
		return nil, err
	}
	facts := &CustomerFacts{Customer: *c}
	facts.History, err = models.ReadPage(size, func(limit int) ([]models.Checkout, error) {
		return models.CustomerCheckouts(ctx, s.DB.Read, scope, c, models.CheckoutFilter{After: after, Limit: limit})
	})
	if err == nil {
		facts.Open, err = models.CustomerCheckouts(ctx, s.DB.Read, scope, c,
			models.CheckoutFilter{Status: models.CheckoutPending, Limit: factsShown})
	}
	if err == nil {
		facts.Links, err = models.CustomerLinks(ctx, s.DB.Read, c, factsShown)
	}
	if err == nil {
		facts.Refunds, err = models.CustomerRefunds(ctx, s.DB.Read, c, factsShown)
	}
	if err != nil {
		return nil, fmt.Errorf("payments: read what %s bought: %w", id, err)
	}
	return facts, nil
}

// openCustomer sets the document of a customer that was read.
func (s *Service) openCustomer(c *models.Customer) {
	latest := models.Checkout{ID: c.CheckoutID, CustomerDocument: c.Document, SealedDocument: c.SealedDocument}
	s.OpenDocument(&latest)
	c.Document = latest.CustomerDocument
}

// GatherCustomers writes the customers of new charges. Instances may run it at the same time.
func (s *Service) GatherCustomers(ctx context.Context) error {
	for more := true; more; {
		err := s.DB.InTx(ctx, func(tx *models.Tx) (err error) {
			more, err = models.GatherCustomers(tx, s.now())
			return err
		})
		if err != nil {
			return fmt.Errorf("payments: gather customers: %w", err)
		}
	}
	return nil
}
