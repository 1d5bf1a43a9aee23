package payments

import (
	"context"

	"garoupa/pix/psp"
)

// RecordReturns writes what a bank says of the returns of a Pix.
func (s *Service) RecordReturns(ctx context.Context, received psp.Payment) error {
	return s.recordReturns(ctx, received)
}
