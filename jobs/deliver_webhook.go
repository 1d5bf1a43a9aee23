package jobs

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/riverqueue/river"

	"garoupa/internal/guard"
	"garoupa/models"
	"garoupa/webhook"
)

// deliverWebhookArgs is empty: the lanes read the arguments of all jobs at once
// (models.JobDeliverWebhook).
type deliverWebhookArgs struct{}

// Kind implements river.JobArgs.
func (deliverWebhookArgs) Kind() string { return models.JobDeliverWebhook }

// deliverWebhook makes the due attempts of one lane. Attempts are counted in the deliveries
// and not in the jobs: if the process dies during an attempt, the attempt is repeated and
// does not count.
type deliverWebhook struct {
	river.WorkerDefaults[deliverWebhookArgs]
	Options
	lanes *lanes
}

// Timeout implements river.Worker. It sets no limit: each attempt has a limit of its own,
// and a lane may have work for hours.
func (w *deliverWebhook) Timeout(*river.Job[deliverWebhookArgs]) time.Duration { return -1 }

// Work serves a lane until it is empty. The job's queue is the lane's name. Work starts as
// many more posters as the lane needs. An error of one delivery is logged and does not stop
// the others.
func (w *deliverWebhook) Work(ctx context.Context, job *river.Job[deliverWebhookArgs]) error {
	var posters, records sync.WaitGroup
	for range w.lanes.posters(job.Queue) {
		posters.Go(func() {
			_ = guard.Call("post webhooks", func() error {
				for d := w.lanes.next(job.Queue); d != nil; d = w.lanes.next(job.Queue) {
					w.deliver(ctx, d, &records)
				}
				return nil
			})
		})
	}
	posters.Wait()
	records.Wait()
	return nil
}

// deliver makes the due attempt of a delivery and records it. The record also ends the
// delivery's job. A crash between the two repeats the attempt with the same event id, which
// receivers must expect.
func (w *deliverWebhook) deliver(ctx context.Context, d *models.DueDelivery, records *sync.WaitGroup) {
	var record func(context.Context) error
	var took time.Duration
	err := guard.Call("post a webhook", func() (err error) { // a panic is an error of this delivery only
		record, took, err = w.attempt(ctx, d)
		return err
	})
	w.lanes.answered(d, err == nil, took)
	switch {
	case errors.Is(err, errLater):
		w.lanes.done(d)
	case err != nil:
		w.rest(ctx, d, err)
	default:
		records.Go(func() {
			err := guard.Call("record an attempt", func() error { return record(context.WithoutCancel(ctx)) })
			if err != nil {
				w.rest(ctx, d, err)
				return
			}
			w.lanes.done(d)
		})
	}
}

// rest keeps a delivery out of the queue for forgetAfter, after an error of our own.
func (w *deliverWebhook) rest(ctx context.Context, d *models.DueDelivery, err error) {
	slog.ErrorContext(ctx, "a delivery could not be made or recorded", "delivery", d.ID, "again_in",
		forgetAfter, "err", err)
	time.AfterFunc(forgetAfter, func() { guard.Go("end a delivery's rest", func() { w.lanes.done(d) }) })
}

// errLater reports a delivery that the next look at the queue may take again.
var errLater = errors.New("jobs: not now")

// attempt makes an attempt, unless the delivery must be skipped or comes too early. It returns
// a function that records the result, and how long the endpoint took.
func (w *deliverWebhook) attempt(ctx context.Context, d *models.DueDelivery) (record func(context.Context) error,
	took time.Duration, err error) {
	started := w.Now()
	switch {
	case d.ByHand && d.Endpoint.DeletedAt != nil, !d.ByHand && d.Status != models.DeliveryPending:
		return func(ctx context.Context) error { return models.EndDeliveryJob(ctx, w.DB.Queue, d.JobID) }, 0, nil
	case !d.ByHand && !d.Endpoint.Active:
		return func(ctx context.Context) error { return w.Payments.SkipDelivery(ctx, d) }, 0, nil
	case !d.ByHand && d.NextAttemptAt != nil && started.Before(*d.NextAttemptAt): // the database's clock is ahead
		return nil, 0, errLater
	}
	secret, err := w.Merchants.EndpointSecret(&d.Endpoint)
	if err != nil {
		return nil, 0, err
	}
	previous, err := w.Merchants.PreviousSecret(&d.Endpoint)
	if err != nil {
		return nil, 0, err
	}
	outcome := w.Webhooks.Post(ctx, webhook.Attempt{
		URL: d.Endpoint.URL, Secret: secret, PreviousSecret: previous, EventID: d.Event.ID, Number: d.Attempts + 1,
		At:   started,
		Body: d.Event.Body, Live: d.Event.Environment == models.Live,
	})
	if !outcome.OK && errors.Is(ctx.Err(), context.Canceled) {
		return nil, 0, errLater // the process is stopping; the endpoint did not fail
	}
	return func(ctx context.Context) error {
		return w.Payments.RecordAttempt(ctx, d.JobID, &d.Delivery, models.Attempt{
			Manual: d.ByHand, StartedAt: started, Duration: outcome.Duration, StatusCode: outcome.StatusCode,
			ErrorClass: string(outcome.Class), Detail: outcome.Detail, Headers: outcome.RequestHeaders,
			Response: outcome.ResponseSnippet, RetryAfter: outcome.RetryAfter,
		})
	}, outcome.Duration, nil
}
