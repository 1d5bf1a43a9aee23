package merchants

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"garoupa/models"
)

const (
	// lookForWritersEvery is how often SealAudit looks whether those who wrote are done.
	lookForWritersEvery = 50 * time.Millisecond
	// waitForWriters is how long it waits for them.
	waitForWriters = 30 * time.Second
	// auditFlaws is how many flaws it looks for.
	auditFlaws = 100
)

// ErrWritersBusy reports that a transaction writes to the audit log for so long that
// nothing was sealed.
var ErrWritersBusy = errors.New("merchants: a transaction holds the audit log open; it is sealed the next time")

// SealAudit seals what stands in the audit log, compares all of it with its seals, and
// keeps and returns what does not agree. It is for a job, every hour or so; instances may
// run it at the same time, and nobody who writes to the log waits for it. ErrWritersBusy
// comes with what was found all the same.
//
// The last seal's hash goes to the process's log: who rewrites lines, and all seals after
// them, cannot rewrite what was shipped elsewhere.
func (s *Service) SealAudit(ctx context.Context) (flaws []models.AuditFlaw, err error) {
	sealing := s.sealAudit(ctx)
	if sealing != nil && !errors.Is(sealing, ErrWritersBusy) {
		return nil, fmt.Errorf("merchants: seal the audit log: %w", sealing)
	}
	flaws, err = models.CheckAudit(ctx, s.DB.Pool, auditFlaws)
	if err != nil {
		return nil, fmt.Errorf("merchants: check the audit log: %w", err)
	}
	var found []string
	for _, flaw := range flaws {
		found = append(found, flaw.String())
	}
	if err := models.RecordExamination(ctx, s.DB.Pool, models.ExaminedAudit, found, s.now()); err != nil {
		return nil, fmt.Errorf("merchants: check the audit log: %w", err)
	}
	return flaws, sealing
}

func (s *Service) sealAudit(ctx context.Context) error {
	through, err := models.LastAuditLine(ctx, s.DB.Pool)
	if err != nil {
		return err
	}
	if err := s.awaitWriters(ctx); err != nil {
		return err
	}
	for {
		var seal *models.AuditSeal
		err := s.DB.InTx(ctx, func(tx *models.Tx) (err error) {
			seal, err = models.SealAudit(tx, through, s.now())
			return err
		})
		if err != nil || seal == nil {
			return err
		}
		slog.InfoContext(ctx, "audit log sealed", "seal", seal.Number, "through", seal.Through, "sha256", hex.EncodeToString(seal.Hash))
	}
}

// awaitWriters waits until all who write to the log now have ended.
func (s *Service) awaitWriters(ctx context.Context) error {
	writers, err := models.AuditWriters(ctx, s.DB.Pool)
	deadline := time.Now().Add(waitForWriters)
	for err == nil && len(writers) > 0 {
		if time.Now().After(deadline) {
			return ErrWritersBusy
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookForWritersEvery):
		}
		var still []string
		still, err = models.AuditWriters(ctx, s.DB.Pool)
		writers = slices.DeleteFunc(writers, func(writer string) bool { return !slices.Contains(still, writer) })
	}
	return err
}
