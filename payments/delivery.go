package payments

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"garoupa/models"
)

const (
	// An endpoint is disabled after disableAfter without a success, if at least disableEvents
	// events were given up in that time (docs/rules.md, "Webhook endpoints").
	disableAfter  = 5 * 24 * time.Hour
	disableEvents = 10
	// failureMailEvery is the interval between mails about failed events of a live endpoint. A
	// test endpoint gets one mail until it succeeds again, and at most one a day.
	failureMailEvery     = time.Hour
	testFailureMailEvery = 24 * time.Hour
)

// RecordAttempt records a finished attempt of a delivery. d is the delivery with its endpoint, as taken before the
// attempt; resend identifies the request, by a member or a key, that the attempt fulfills, and is nil for an attempt of
// the schedule. After a failed attempt another follows after a wait, unless the attempt was the fifth of the schedule
// (contract 6.3), which a replay restarts. The wait begins now, at the end of the attempt (docs/rules.md, "Webhook
// deliveries"). An attempt that a person asked for is followed by no other and is not one of the five. The answer 410
// ends the delivery and turns the endpoint off.
//
// If another process has made the same attempt of the schedule meanwhile, or a resend succeeded, the attempt
// is kept with the others and schedules nothing.
func (s *Service) RecordAttempt(ctx context.Context, d *models.Delivery, resend []byte, a models.Attempt) error {
	now := s.now()
	f := models.FinishedAttempt{Attempt: a, DeliveryID: d.ID, Month: d.Month, Resend: resend, Made: d.Scheduled(),
		EndedAt: now}
	if a.ErrorClass != "" && !gone(a) && !a.Manual {
		f.NextAt = nextAttempt(s.Backoff, d.Scheduled()-d.BeforeReplay, a.RetryAfter, now)
	}
	var err error
	switch {
	case gone(a):
		err = s.turnOff(ctx, d, f)
	case a.Manual:
		_, err = models.RecordAttempts(ctx, s.DB.Pool, []models.FinishedAttempt{f})
	case a.ErrorClass == "", f.NextAt != nil:
		_, err = s.attempts.Write(ctx, f)
	default:
		err = s.giveUp(ctx, d, f)
	}
	if err != nil {
		return fmt.Errorf("payments: record an attempt of %s: %w", d.ID, err)
	}
	return nil
}

// giveUp records the last attempt of a delivery, which failed, and notifies the merchant.
// It turns the endpoint off if it has failed for too long.
func (s *Service) giveUp(ctx context.Context, d *models.Delivery, f models.FinishedAttempt) error {
	return s.DB.InTx(ctx, func(tx *models.Tx) error {
		recorded, err := models.RecordAttempt(tx, f)
		if err != nil || !recorded {
			return err
		}
		disabled, err := models.DisableFailing(tx, d.Endpoint.ID, f.EndedAt, f.EndedAt.Add(-disableAfter),
			disableEvents)
		switch {
		case err != nil:
			return err
		case disabled:
			return s.turnedOff(tx, &d.Endpoint, "webhook_endpoint.turned_off_failing", models.MailWebhookDisabled,
				f.EndedAt)
		}
		every := testFailureMailEvery
		if d.Endpoint.Environment == models.Live {
			every = failureMailEvery
		}
		due, err := models.ClaimFailureMail(tx, d.Endpoint.ID, f.EndedAt, every)
		if err != nil || !due {
			return err
		}
		return s.tellOfEndpoint(tx, &d.Endpoint, models.MailWebhookFailing, f.EndedAt)
	})
}

// turnOff records an attempt that was answered by 410, turns the endpoint off, and notifies the
// merchant.
func (s *Service) turnOff(ctx context.Context, d *models.Delivery, f models.FinishedAttempt) error {
	return s.DB.InTx(ctx, func(tx *models.Tx) error {
		recorded, err := models.RecordAttempt(tx, f)
		if err != nil || !recorded {
			return err
		}
		disabled, err := models.DisableGone(tx, d.Endpoint.ID, d.Endpoint.URL, f.EndedAt)
		if err != nil || !disabled {
			return err
		}
		return s.turnedOff(tx, &d.Endpoint, "webhook_endpoint.turned_off_gone", models.MailWebhookGone, f.EndedAt)
	})
}

// turnedOff writes down that the gateway turned an endpoint off, and notifies the merchant.
func (s *Service) turnedOff(tx *models.Tx, e *models.Endpoint, action, mail string, at time.Time) error {
	project, err := models.ProjectByID(tx.Context(), tx, e.ProjectID)
	if err != nil {
		return err
	}
	if err := s.audit(tx, system, project.AccountID, action, e.ID, nil); err != nil {
		return err
	}
	return s.tellOfEndpoint(tx, e, mail, at)
}

// testMails maps kinds of mail about live endpoints to those about test endpoints.
var testMails = map[string]string{
	models.MailWebhookFailing:  models.MailTestWebhookFailing,
	models.MailWebhookDisabled: models.MailTestWebhookDisabled,
	models.MailWebhookGone:     models.MailTestWebhookGone,
}

// tellOfEndpoint mails the members responsible for an endpoint. The mail contains only the
// host of the URL, because the rest may contain a token.
func (s *Service) tellOfEndpoint(tx *models.Tx, e *models.Endpoint, kind string, at time.Time) error {
	address, err := url.Parse(e.URL)
	if err != nil {
		return fmt.Errorf("URL of %s: %w", e.ID, err)
	}
	if e.Environment == models.Test {
		kind = testMails[kind]
	}
	members, err := models.ProjectMembersToTell(tx, e.ProjectID, kind)
	if err != nil {
		return fmt.Errorf("members to notify: %w", err)
	}
	mails := make([]models.Mail, len(members))
	for i, m := range members {
		mails[i] = models.Mail{
			Fact: fmt.Sprintf("%s/%s/%d", kind, e.ID, at.UnixMilli()), To: m.Email, Language: m.Language, Kind: kind,
			CreatedAt: at,
			Params: map[string]string{"name": m.Name, "host": address.Host, "at": at.Format(time.RFC3339),
				"endpoint": e.ID},
		}
	}
	return models.InsertMails(tx, mails...)
}

// EndResend ends a resend that is not made, because its endpoint was deleted.
func (s *Service) EndResend(ctx context.Context, d *models.DueDelivery) error {
	if err := models.EndResend(ctx, s.DB.Pool, d, s.now()); err != nil {
		return fmt.Errorf("payments: end a resend of %s: %w", d.ID, err)
	}
	return nil
}
