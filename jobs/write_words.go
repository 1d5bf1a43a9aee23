package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"garoupa/models"
)

// wordsEvery limits the number of charges that a search must look through because their words are not written.
const wordsEvery = time.Minute

type writeWordsArgs struct{}

// Kind implements river.JobArgs.
func (writeWordsArgs) Kind() string { return "write_words" }

// writeWords writes the words by which charges are found.
type writeWords struct {
	river.WorkerDefaults[writeWordsArgs]
	Options
}

// Work writes batch by batch until all charges have their words or the job's time is over.
func (w *writeWords) Work(ctx context.Context, _ *river.Job[writeWordsArgs]) error {
	return WriteWords(ctx, w.DB, w.Now())
}

// WriteWords writes the words of all charges created until shortly before now.
func WriteWords(ctx context.Context, db *models.DB, now time.Time) error {
	for more := true; more; {
		err := db.InTx(ctx, func(tx *models.Tx) (err error) {
			more, err = models.WriteWords(tx, now)
			return err
		})
		if err != nil {
			return fmt.Errorf("jobs: write the words of charges: %w", err)
		}
	}
	return nil
}
