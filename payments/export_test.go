package payments

import (
	"context"

	"garoupa/models"
	"garoupa/pix/psp"
)

// SettleBatch does what SettleDue has done when its first transaction ends.
func (s *Service) SettleBatch(ctx context.Context, environment models.Environment) error {
	_, err := s.settleBatch(ctx, environment)
	return err
}

// RecordReturns writes what a bank says of the returns of a Pix.
func (s *Service) RecordReturns(ctx context.Context, received psp.Payment) error {
	return s.recordReturns(ctx, received)
}
