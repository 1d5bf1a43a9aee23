package payments

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"garoupa/models"
)

// ErrEndpointOff reports an endpoint that is off, where what was asked would only be
// skipped.
var ErrEndpointOff = errors.New("payments: the endpoint is off")

// MaxReplay is how many deliveries one replay takes.
const MaxReplay = 10_000

// replayBatch bounds how many deliveries one transaction repeats.
const replayBatch = 1_000

// ResendDelivery asks for one more attempt of a delivery of the scope, whatever its
// status and even while its endpoint is off, outside of its schedule (decisions, 9).
// A token asks once: the same one again changes nothing. An unknown delivery is
// models.ErrNotFound.
func (s *Service) ResendDelivery(ctx context.Context, scope models.Scope, id, token string) error {
	if _, err := models.DeliveryOf(ctx, s.DB.Pool, scope, id); err != nil {
		return fmt.Errorf("payments: resend delivery: %w", err)
	}
	err := s.commit(ctx, func(tx *models.Tx) (queued bool, err error) { return models.QueueManualAttempt(tx, id, token) })
	if err != nil {
		return fmt.Errorf("payments: resend %s: %w", id, err)
	}
	return nil
}

// CountReplay counts what ReplayDeliveries would take, up to one more than
// MaxReplay. An unknown endpoint is models.ErrNotFound.
func (s *Service) CountReplay(ctx context.Context, scope models.Scope, endpointID string, since, until time.Time) (n int, err error) {
	if _, err = models.EndpointByID(ctx, s.DB.Pool, scope, endpointID); err == nil {
		n, err = models.CountRepeatable(ctx, s.DB.Pool, endpointID, since, until, MaxReplay+1)
	}
	if err != nil {
		return 0, fmt.Errorf("payments: count replay: %w", err)
	}
	return n, nil
}

// ReplayDeliveries sends again what an endpoint of the scope was not sent or did not
// take: its FAILED and SKIPPED deliveries of events from since to until, the oldest
// first, MaxReplay at most. Each is pending again, with five attempts. What is
// pending is not taken, so asking twice sends once. It returns how many it took. It
// fails with ErrEndpointOff, or models.ErrNotFound.
func (s *Service) ReplayDeliveries(ctx context.Context, by Actor, scope models.Scope, endpointID string, since, until time.Time) (replayed int, err error) {
	endpoint, err := models.EndpointByID(ctx, s.DB.Pool, scope, endpointID)
	if err != nil {
		return 0, fmt.Errorf("payments: replay deliveries: %w", err)
	}
	if !endpoint.Active {
		return 0, ErrEndpointOff
	}
	for replayed < MaxReplay {
		var n int
		err := s.commit(ctx, func(tx *models.Tx) (queued bool, err error) {
			n, err = models.RepeatDeliveries(tx, endpointID, since, until, s.now(), replayBatch)
			if err != nil || n == 0 {
				return false, err
			}
			return true, s.auditReplay(tx, by, endpoint, since, until, n)
		})
		if err != nil {
			return replayed, fmt.Errorf("payments: replay deliveries of %s: %w", endpointID, err)
		}
		if replayed += n; n < replayBatch {
			break
		}
	}
	return replayed, nil
}

// ReplayAsStaff is ReplayDeliveries for staff of the installation. The fault is Forbidden
// for others, and for members of the account.
func (s *Service) ReplayAsStaff(ctx context.Context, by Actor, scope models.Scope, endpointID string, since, until time.Time) (replayed int, err error) {
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		project, err := models.ProjectByID(tx.DB, scope.ProjectID)
		if err != nil {
			return err
		}
		return staff(tx, by, project.AccountID)
	})
	if err != nil {
		return 0, fmt.Errorf("payments: replay deliveries as staff: %w", err)
	}
	return s.ReplayDeliveries(ctx, by, scope, endpointID, since, until)
}

func (s *Service) auditReplay(tx *models.Tx, by Actor, e *models.Endpoint, since, until time.Time, n int) error {
	project, err := models.ProjectByID(tx.DB, e.ProjectID)
	if err != nil {
		return err
	}
	return s.audit(tx, by, project.AccountID, "webhook_endpoint.replayed", e.ID, map[string]string{
		"deliveries": strconv.Itoa(n), "since": since.UTC().Format(time.RFC3339), "until": until.UTC().Format(time.RFC3339),
	})
}
