package merchants

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"garoupa/models"
)

const (
	// waitForWriters is how long SealAudit waits for those who write to the log.
	waitForWriters = 30 * time.Second
	// auditFlaws is how many flaws it looks for.
	auditFlaws = 100
)

// SealAudit seals what stands in the audit log, compares all of it with its seals, and
// keeps and returns what does not agree. It is for a job, every hour or so; instances may
// run it at the same time, and nobody who writes to the log waits for it. models.ErrUndecided
// comes with what was found all the same.
//
// The last seal's hash goes to the process's log: who rewrites lines, and all seals after
// them, cannot rewrite what was shipped elsewhere.
func (s *Service) SealAudit(ctx context.Context) (flaws []models.AuditFlaw, err error) {
	sealing := s.sealAudit(ctx)
	if sealing != nil && !errors.Is(sealing, models.ErrUndecided) {
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
	through, err := models.DecidedAuditLines(ctx, s.DB.Pool, waitForWriters)
	if err != nil {
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
