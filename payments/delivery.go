package payments

import (
	"context"
	"fmt"
	"time"

	"garoupa/models"
)

// RecordAttempt notes a finished attempt of a pending delivery and returns how
// long to wait before the next, or 0 when there is none: it was delivered, or
// this was the fifth of the schedule (contract 6.3), which a replay begins anew.
// The wait counts from now, the end of the attempt (decisions, 9). An attempt that
// a person asked for has no next and uses up none of the five.
func (s *Service) RecordAttempt(ctx context.Context, d *models.Delivery, a models.Attempt) (retryIn time.Duration, err error) {
	now := s.now()
	if a.Manual {
		if err := models.RecordManualAttempt(ctx, s.DB.Pool, d.ID, a, now); err != nil {
			return 0, fmt.Errorf("payments: record a manual attempt of %s: %w", d.ID, err)
		}
		return 0, nil
	}
	made := d.Attempts - d.Manual - d.BeforeReplay // of the schedule, before this one
	switch {
	case a.ErrorClass == "":
		d.Status, d.NextAttemptAt, d.FinishedAt = models.DeliveryDelivered, nil, &now
	case made >= len(s.Backoff):
		d.Status, d.NextAttemptAt, d.FinishedAt = models.DeliveryFailed, nil, &now
	default:
		retryIn = s.Backoff[made]
		next := now.Add(retryIn)
		d.NextAttemptAt = &next
	}
	if err := models.RecordAttempt(ctx, s.DB.Pool, d, a); err != nil {
		return 0, fmt.Errorf("payments: record attempt %d of %s: %w", made+1, d.ID, err)
	}
	return retryIn, nil
}

// SkipDelivery ends a pending delivery whose endpoint was turned off meanwhile.
func (s *Service) SkipDelivery(ctx context.Context, d *models.Delivery) error {
	if err := models.SkipDelivery(ctx, s.DB.Pool, d.ID, s.now()); err != nil {
		return fmt.Errorf("payments: skip %s: %w", d.ID, err)
	}
	return nil
}
