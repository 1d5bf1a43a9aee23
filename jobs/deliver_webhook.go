package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
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

// deliverWebhook makes the attempts that are due of one lane. They are counted in
// the deliveries, not in the jobs: an attempt that its process died with is made
// again and does not use one up.
type deliverWebhook struct {
	river.WorkerDefaults[deliverWebhookArgs]
	Options
	lanes *lanes
}

// Timeout is none: each attempt has its own, and a lane may have work for hours.
func (w *deliverWebhook) Timeout(*river.Job[deliverWebhookArgs]) time.Duration { return -1 }

// Work serves a lane, whose name is the job's queue, until nothing of it is left: it
// adds as many posters as it needs to those that serve it already. What is wrong with
// one delivery is logged, and is its own trouble.
func (w *deliverWebhook) Work(ctx context.Context, job *river.Job[deliverWebhookArgs]) error {
	var posters, records sync.WaitGroup
	for range w.lanes.posters(job.Queue) {
		posters.Go(func() {
			for d := w.lanes.next(job.Queue); d != nil; d = w.lanes.next(job.Queue) {
				w.deliver(ctx, d, &records)
			}
		})
	}
	posters.Wait()
	records.Wait()
	return nil
}

// deliver does what is due of a delivery and lets it be recorded, and with the
// record its job ends. A crash between the two repeats the attempt, which receivers
// are told to expect: the event's id is the same.
func (w *deliverWebhook) deliver(ctx context.Context, d *models.DueDelivery, records *sync.WaitGroup) {
	record, took, err := w.attempt(ctx, d)
	w.lanes.answered(d, err == nil, took)
	switch {
	case errors.Is(err, errLater):
		w.lanes.done(d)
	case err != nil:
		w.rest(ctx, d, err)
	default:
		records.Go(func() {
			if err := record(context.WithoutCancel(ctx)); err != nil {
				w.rest(ctx, d, err)
				return
			}
			w.lanes.done(d)
		})
	}
}

// rest leaves a delivery alone for a while.
func (w *deliverWebhook) rest(ctx context.Context, d *models.DueDelivery, err error) {
	slog.ErrorContext(ctx, "a delivery could not be made or recorded", "delivery", d.ID, "again_in", forgetAfter, "err", err)
	time.AfterFunc(forgetAfter, func() { w.lanes.done(d) })
}

// errLater reports a delivery that the next look may take again.
var errLater = errors.New("jobs: not now")

// attempt makes an attempt, unless there is a reason to make none. It returns what
// records its end, and how long the endpoint took. A panic is an error of this delivery
// alone: River's own net is not under the goroutines that post.
func (w *deliverWebhook) attempt(ctx context.Context, d *models.DueDelivery) (record func(context.Context) error, took time.Duration, err error) {
	defer func() {
		if what := recover(); what != nil {
			err = fmt.Errorf("jobs: panic: %v", what)
		}
	}()
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
		URL: d.Endpoint.URL, Secret: secret, PreviousSecret: previous, EventID: d.Event.ID, Number: d.Attempts + 1, At: started,
		Body: d.Event.Body, Livemode: d.Event.Livemode,
	})
	if !outcome.OK && errors.Is(ctx.Err(), context.Canceled) {
		return nil, 0, errLater // the process stops; the attempt was not the endpoint's failure
	}
	return func(ctx context.Context) error {
		return w.Payments.RecordAttempt(ctx, d.JobID, &d.Delivery, models.Attempt{
			Manual: d.ByHand, StartedAt: started, Duration: outcome.Duration, StatusCode: outcome.StatusCode,
			ErrorClass: string(outcome.Class), Detail: outcome.Detail, Headers: outcome.RequestHeaders, Response: outcome.ResponseSnippet,
		})
	}, outcome.Duration, nil
}
