package jobs

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"

	"garoupa/internal/guard"
	"garoupa/internal/tracing"
	"garoupa/models"
	"garoupa/webhook"
)

// errLater reports a delivery that is left for another process, or for the next start.
var errLater = errors.New("jobs: not now")

// errDropped reports a resend that is ended without an attempt.
var errDropped = errors.New("jobs: nothing to post")

// deliver makes the due attempt of a delivery and records it. A crash between the two repeats the
// attempt with the same event id, which receivers must expect. An error of our own, or a panic,
// is logged and lets the delivery rest.
func (w *deliveries) deliver(posting context.Context, d *models.DueDelivery) {
	var post models.Attempt
	posting, span := w.Tracer.WorkOn(posting, "deliver a webhook", d.Event.ID)
	defer span.End()
	span.Text("garoupa.event_id", d.Event.ID)
	span.Text("garoupa.delivery_id", d.ID)
	err := guard.Call("post a webhook", func() (err error) {
		post, err = w.post(posting, d)
		return err
	})
	if w.places.free(d, err == nil) {
		w.look()
	}
	if err == nil {
		err = guard.Call("record an attempt", func() error { return w.record(posting, d, post) })
	}
	w.places.done()
	switch {
	case err == nil, errors.Is(err, errDropped):
		w.leave(d)
	case errors.Is(err, errLater):
		if posting.Err() == nil {
			w.leave(d) // a stop ends the leases of what it interrupts
		}
	default:
		slog.ErrorContext(posting, "a delivery could not be made or recorded", "delivery", d.ID, "again_in",
			restFor, "err", err)
		w.rest(d)
	}
}

// post makes an attempt.
func (w *deliveries) post(posting context.Context, d *models.DueDelivery) (a models.Attempt, err error) {
	switch {
	case d.ByHand() && d.Endpoint.DeletedAt != nil:
		return a, cmp.Or(w.Payments.EndResend(context.WithoutCancel(posting), d), errDropped)
	case !d.ByHand() && !d.Endpoint.Active, !w.leased(d):
		return a, errLater // the next look skips it; or another process may have it
	}
	secret, err := w.Merchants.EndpointSecret(&d.Endpoint)
	if err != nil {
		return a, err
	}
	previous, err := w.Merchants.PreviousSecret(&d.Endpoint)
	if err != nil {
		return a, err
	}
	started := w.Now()
	outcome := w.call(posting, webhook.Attempt{
		URL: d.Endpoint.URL, Secret: secret, PreviousSecret: previous, EventID: d.Event.ID, Number: d.Attempts + 1,
		At: started, Body: d.Event.Body, Live: d.Event.Environment == models.Live,
	})
	if !outcome.OK && errors.Is(posting.Err(), context.Canceled) {
		return a, errLater // the process is stopping; the endpoint did not fail
	}
	if w.Attempted != nil {
		w.Attempted(string(outcome.Class))
	}
	return models.Attempt{
		Manual: d.ByHand(), StartedAt: started, Duration: outcome.Duration, StatusCode: outcome.StatusCode,
		ErrorClass: string(outcome.Class), Detail: outcome.Detail,
		Headers:  webhook.Stored(outcome.RequestHeaders, d.Event.ID, started),
		Response: outcome.ResponseSnippet, RetryAfter: outcome.RetryAfter,
	}, nil
}

// call posts an attempt. If it is traced, it tells the endpoint to which trace it belongs.
func (w *deliveries) call(ctx context.Context, a webhook.Attempt) webhook.Outcome {
	ctx, span := tracing.Call(ctx, http.MethodPost)
	defer span.End()
	if parent := tracing.Parent(ctx); parent != "" {
		a.Headers = http.Header{http.CanonicalHeaderKey(tracing.Header): {parent}}
	}
	outcome := w.Webhooks.Post(ctx, a)
	span.Text("http.request.method", http.MethodPost)
	span.Number("garoupa.attempt", a.Number)
	if outcome.StatusCode != 0 {
		span.Number("http.response.status_code", outcome.StatusCode)
	}
	span.Fail(string(outcome.Class))
	return outcome
}

// record records an attempt. While the database does not answer, it tries again, so that nothing is posted again
// because of it. Attempts that are not recorded yet count against the deliveries that the process may take.
func (w *deliveries) record(posting context.Context, d *models.DueDelivery, a models.Attempt) error {
	for {
		err := w.Payments.RecordAttempt(context.WithoutCancel(posting), &d.Delivery, d.Resend, a)
		if err == nil || !models.Unavailable(err) || posting.Err() != nil {
			return err
		}
		w.DB.LogFailure(posting, "recording an attempt failed", err)
		wait(posting, recordAgainAfter)
	}
}
