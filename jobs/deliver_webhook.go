package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"garoupa/models"
	"garoupa/webhook"
)

// deliverWebhookArgs are read by the lanes, of all jobs at once: see
// models.JobDeliverWebhook.
type deliverWebhookArgs struct{}

// Kind implements river.JobArgs.
func (deliverWebhookArgs) Kind() string { return models.JobDeliverWebhook }

// deliverWebhook makes one attempt of a delivery. Attempts are counted in the
// delivery, not in the job: a job that its process died with is taken up again
// and does not use one up.
type deliverWebhook struct {
	river.WorkerDefaults[deliverWebhookArgs]
	Options
	lanes *lanes
}

// NextRetry is for errors of our own, a lost database say; River's default would
// wait up to weeks.
func (w *deliverWebhook) NextRetry(job *river.Job[deliverWebhookArgs]) time.Time {
	return w.Now().Add(min(time.Duration(job.Attempt)*time.Second, 30*time.Second))
}

// Work makes the attempt and records it, and with the record the job ends. A crash
// between the two repeats the attempt, which receivers are told to expect: the
// event's id is the same.
func (w *deliverWebhook) Work(ctx context.Context, job *river.Job[deliverWebhookArgs]) error {
	d, manual, err := w.lanes.delivery(ctx, w.DB.Queue, job.ID)
	if err != nil {
		return fmt.Errorf("jobs: read delivery: %w", err)
	}
	started := w.Now()
	switch {
	case manual:
		if d.Endpoint.DeletedAt != nil {
			return nil
		}
	case d.Status != models.DeliveryPending:
		return nil
	case !d.Endpoint.Active:
		return w.Payments.SkipDelivery(ctx, d)
	case d.NextAttemptAt != nil && started.Before(*d.NextAttemptAt): // the database's clock is ahead
		return river.JobSnooze(d.NextAttemptAt.Sub(started))
	}
	secret, err := w.Merchants.EndpointSecret(&d.Endpoint)
	if err != nil {
		return err
	}
	previous, err := w.Merchants.PreviousSecret(&d.Endpoint)
	if err != nil {
		return err
	}
	outcome := w.Webhooks.Post(ctx, webhook.Attempt{
		URL: d.Endpoint.URL, Secret: secret, PreviousSecret: previous, EventID: d.Event.ID, Number: d.Attempts + 1, At: started,
		Body: d.Event.Body, Livemode: d.Event.Livemode,
	})
	if !outcome.OK && errors.Is(ctx.Err(), context.Canceled) {
		return river.JobSnooze(0) // the process stops; the attempt was not the endpoint's failure
	}
	w.lanes.answered(job.ID, outcome.OK)
	return w.Payments.RecordAttempt(context.WithoutCancel(ctx), job.ID, d, models.Attempt{
		Manual: manual, StartedAt: started, Duration: outcome.Duration, StatusCode: outcome.StatusCode,
		ErrorClass: string(outcome.Class), Detail: outcome.Detail, Headers: outcome.RequestHeaders, Response: outcome.ResponseSnippet,
	})
}
