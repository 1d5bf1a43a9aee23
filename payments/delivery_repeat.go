package payments

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"garoupa/models"
)

// ErrEndpointOff reports that the endpoint is turned off, so deliveries to it would only be
// skipped.
var ErrEndpointOff = errors.New("payments: the endpoint is off")

// MaxReplay is the largest number of deliveries in one replay.
const MaxReplay = 10_000

// replayBatch limits the deliveries that one transaction repeats.
const replayBatch = 1_000

// ResendDelivery requests one more attempt of a delivery of the scope, outside of its
// schedule, whatever its status and even while its endpoint is off (docs/rules.md, "Webhook
// deliveries"). A token is accepted once: a second call with it changes nothing. For members
// who can Integrate; it fails with refusal.Forbidden for others, and with models.ErrNotFound
// for an unknown delivery.
func (s *Service) ResendDelivery(ctx context.Context, by models.Actor, scope models.Scope, id, token string) error {
	if _, err := models.DeliveryOf(ctx, s.DB.Pool, scope, id); err != nil {
		return fmt.Errorf("payments: resend delivery: %w", err)
	}
	err := s.commit(ctx, s.DB.InTx, func(tx *models.Tx) (queued bool, err error) {
		if err := projectMember(tx, by, scope, models.Integrate); err != nil {
			return false, err
		}
		return models.InsertResend(tx, id, token, s.now())
	})
	if err != nil {
		return fmt.Errorf("payments: resend %s: %w", id, err)
	}
	return nil
}

// CountReplay returns the number of deliveries that ReplayDeliveries would send, at most
// MaxReplay+1. It fails with models.ErrNotFound for an unknown endpoint.
func (s *Service) CountReplay(ctx context.Context, scope models.Scope, endpointID string, since,
	until time.Time) (n int, err error) {
	if _, err = models.EndpointByID(ctx, s.DB.Pool, scope, endpointID); err == nil {
		n, err = models.CountRepeatable(ctx, s.DB.Pool, endpointID, since, until, MaxReplay+1)
	}
	if err != nil {
		return 0, fmt.Errorf("payments: count replay: %w", err)
	}
	return n, nil
}

// ReplayDeliveries sends the FAILED and SKIPPED deliveries of an endpoint of the scope again,
// for events from since to until, oldest first, at most MaxReplay. Each becomes pending again,
// with five attempts. Pending deliveries do not change, so a second call sends nothing twice.
// It returns the number of deliveries. For members who can Integrate. It fails with
// ErrEndpointOff, models.ErrNotFound or refusal.Forbidden.
func (s *Service) ReplayDeliveries(
	ctx context.Context, by models.Actor, scope models.Scope, endpointID string, since, until time.Time,
) (replayed int, err error) {
	return s.replay(ctx, by, scope, endpointID, since, until, func(tx *models.Tx) error {
		return projectMember(tx, by, scope, models.Integrate)
	})
}

// ReplayAsStaff is ReplayDeliveries for the installation's staff. It fails with
// refusal.Forbidden for others, and for members of the account.
func (s *Service) ReplayAsStaff(
	ctx context.Context, by models.Actor, scope models.Scope, endpointID string, since, until time.Time,
) (replayed int, err error) {
	return s.replay(ctx, by, scope, endpointID, since, until, func(tx *models.Tx) error {
		project, err := models.ProjectByID(ctx, tx, scope.ProjectID)
		if err != nil {
			return err
		}
		return staff(tx, by, models.Matter{AccountID: project.AccountID})
	})
}

// replay is ReplayDeliveries for an actor that may accepts; it is called in each transaction.
func (s *Service) replay(
	ctx context.Context, by models.Actor, scope models.Scope, endpointID string, since, until time.Time,
	may func(*models.Tx) error,
) (replayed int, err error) {
	endpoint, err := models.EndpointByID(ctx, s.DB.Pool, scope, endpointID)
	if err != nil {
		return 0, fmt.Errorf("payments: replay deliveries: %w", err)
	}
	for replayed < MaxReplay {
		var n int
		err := s.commit(ctx, s.DB.InTx, func(tx *models.Tx) (queued bool, err error) {
			if err := may(tx); err != nil {
				return false, err
			}
			if !endpoint.Active {
				return false, ErrEndpointOff
			}
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

func (s *Service) auditReplay(tx *models.Tx, by models.Actor, e *models.Endpoint, since, until time.Time, n int) error {
	project, err := models.ProjectByID(tx.Context(), tx, e.ProjectID)
	if err != nil {
		return err
	}
	return s.audit(tx, by, project.AccountID, "webhook_endpoint.replayed", e.ID, map[string]string{
		"deliveries": strconv.Itoa(n), "since": since.UTC().Format(time.RFC3339),
		"until": until.UTC().Format(time.RFC3339),
	})
}
