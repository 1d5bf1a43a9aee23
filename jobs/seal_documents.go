package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"
)

// sealEvery limits how long a document lies plain that a program of an earlier version wrote.
const sealEvery = time.Minute

type sealDocumentsArgs struct{}

// Kind implements river.JobArgs.
func (sealDocumentsArgs) Kind() string { return "seal_documents" }

// sealDocuments seals the documents of customers, and the answers of requests for production access, that earlier
// programs wrote in plain.
type sealDocuments struct {
	river.WorkerDefaults[sealDocumentsArgs]
	Options
}

// Work seals batch by batch until none is left or the job's time is over. The next run continues.
func (w *sealDocuments) Work(ctx context.Context, _ *river.Job[sealDocumentsArgs]) error {
	return errors.Join(w.Payments.SealDocuments(ctx), w.Merchants.SealAccessRequests(ctx))
}
