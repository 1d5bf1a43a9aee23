package jobs

import (
	"context"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"garoupa/internal/tracing"
)

// traced returns what records a span for each job of River, nil without a tracer.
func traced(tracer *tracing.Tracer) []rivertype.Middleware {
	if tracer == nil {
		return nil
	}
	return []rivertype.Middleware{river.WorkerMiddlewareFunc(
		func(ctx context.Context, job *rivertype.JobRow, work func(ctx context.Context) error) error {
			ctx, span := tracer.Work(ctx, job.Kind)
			span.Number("garoupa.attempt", job.Attempt)
			err := work(ctx)
			if err != nil {
				span.Fail("failed")
			}
			span.End()
			return err
		})}
}
