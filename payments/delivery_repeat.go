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
		return models.InsertResends(tx, token, s.now(), id)
	})
	if err != nil {
		return fmt.Errorf("payments: resend %s: %w", id, err)
	}
	return nil
}

// CountReplay returns the number of deliveries that ReplayDeliveries would send, at most
// MaxReplay+1. It fails with models.ErrNotFound for an unknown endpoint.
func (s *Service) CountReplay(ctx context.Context, scope models.Scope, r models.Replay) (n int, err error) {
	if r.FinishedBy.IsZero() {
		r.FinishedBy = s.Now()
	}
	if _, err = models.EndpointByID(ctx, s.DB.Pool, scope, r.EndpointID); err == nil {
		n, err = models.CountRepeatable(ctx, s.DB.Pool, r, MaxReplay+1)
	}
	if err != nil {
		return 0, fmt.Errorf("payments: count replay: %w", err)
	}
	return n, nil
}

// Replayed is what a replay did.
type Replayed struct {
	Count int
	Next  *time.Time // when the oldest event was created that MaxReplay left out; nil if none was left out
}

// ReplayDeliveries sends the deliveries of an endpoint of the scope that r selects again, oldest first, at
// most MaxReplay. Each becomes pending again, with five attempts. Pending deliveries do not change, and none
// is sent twice that finishes again meanwhile. If r has no FinishedBy, it is the present. For members who can
// Integrate. It fails with ErrEndpointOff, models.ErrNotFound or refusal.Forbidden.
func (s *Service) ReplayDeliveries(ctx context.Context, by models.Actor, scope models.Scope, r models.Replay) (Replayed,
	error) {
	return s.replay(ctx, by, scope, r, func(tx *models.Tx) error {
		return projectMember(tx, by, scope, models.Integrate)
	})
}

// ReplayAsStaff is ReplayDeliveries for the installation's staff. It fails with
// refusal.Forbidden for others, and for members of the account.
func (s *Service) ReplayAsStaff(ctx context.Context, by models.Actor, scope models.Scope, r models.Replay) (Replayed,
	error) {
	return s.replay(ctx, by, scope, r, func(tx *models.Tx) error {
		project, err := models.ProjectByID(ctx, tx, scope.ProjectID)
		if err != nil {
			return err
		}
		return staff(tx, by, models.Matter{AccountID: project.AccountID})
	})
}

// replay is ReplayDeliveries for an actor that may accepts; it is called in each transaction.
func (s *Service) replay(ctx context.Context, by models.Actor, scope models.Scope, r models.Replay,
	may func(*models.Tx) error) (done Replayed, err error) {
	if r.FinishedBy.IsZero() {
		r.FinishedBy = s.Now()
	}
	for done.Count < MaxReplay {
		var n int
		var last models.Position
		err := s.commit(ctx, s.DB.InTx, func(tx *models.Tx) (queued bool, err error) {
			if err := may(tx); err != nil {
				return false, err
			}
			endpoint, err := models.LockEndpoint(tx, scope, r.EndpointID)
			if err != nil {
				return false, err
			}
			if !endpoint.Active {
				return false, ErrEndpointOff
			}
			n, last, err = models.RepeatDeliveries(tx, r, s.now(), replayBatch)
			if err != nil || n == 0 {
				return false, err
			}
			return true, s.auditReplay(tx, by, endpoint, r, n)
		})
		if err != nil {
			return done, fmt.Errorf("payments: replay deliveries of %s: %w", r.EndpointID, err)
		}
		r = r.Resumed(last)
		if done.Count += n; n < replayBatch {
			return done, nil
		}
	}
	next, err := models.NextRepeatable(ctx, s.DB.Pool, r)
	if errors.Is(err, models.ErrNotFound) {
		return done, nil
	} else if err != nil {
		return done, fmt.Errorf("payments: look for more to replay: %w", err)
	}
	done.Next = &next
	return done, nil
}

func (s *Service) auditReplay(tx *models.Tx, by models.Actor, e *models.Endpoint, r models.Replay, n int) error {
	project, err := models.ProjectByID(tx.Context(), tx, e.ProjectID)
	if err != nil {
		return err
	}
	detail := map[string]string{
		"deliveries": strconv.Itoa(n), "since": r.Since.UTC().Format(time.RFC3339),
		"until": r.Until.UTC().Format(time.RFC3339),
	}
	if r.Delivered {
		detail["delivered"] = "true"
	}
	return s.audit(tx, by, project.AccountID, "webhook_endpoint.replayed", e.ID, detail)
}
