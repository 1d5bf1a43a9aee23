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
	// waitForWriters is how long SealAudit waits for open transactions that write to the log.
	waitForWriters = 30 * time.Second
	// auditFlaws is the largest number of flaws that SealAudit returns.
	auditFlaws = 100
)

// SealAudit seals the new lines of the audit log, compares a part of the log with its seals as
// models.CheckAuditTurn does, and stores and returns the disagreements. A job runs it about
// every hour. Several instances may run it at the same time, and it delays no writer. It may
// return flaws together with models.ErrUndecided.
//
// It logs the last seal's hash: a person who rewrites lines and all later seals cannot rewrite
// logs that were shipped elsewhere.
func (s *Service) SealAudit(ctx context.Context) (flaws []models.AuditFlaw, err error) {
	sealing := s.sealAudit(ctx)
	if sealing != nil && !errors.Is(sealing, models.ErrUndecided) {
		return nil, fmt.Errorf("merchants: seal the audit log: %w", sealing)
	}
	if flaws, err = s.checkAudit(ctx); err != nil {
		return nil, fmt.Errorf("merchants: check the audit log: %w", err)
	}
	return flaws, sealing
}

func (s *Service) checkAudit(ctx context.Context) (flaws []models.AuditFlaw, err error) {
	last, err := models.LastExamination(ctx, s.DB.Pool, models.ExaminedAudit)
	if err != nil {
		return nil, err
	}
	flaws, reached, err := models.CheckAuditTurn(ctx, s.DB.Background, last, auditFlaws)
	if err != nil {
		return nil, err
	}
	now := s.now()
	result := models.Examination{At: &now, Reached: reached}
	for _, flaw := range flaws {
		result.Flaws = append(result.Flaws, flaw.String())
	}
	return flaws, models.RecordExamination(ctx, s.DB.Pool, models.ExaminedAudit, result)
}

func (s *Service) sealAudit(ctx context.Context) error {
	through, err := models.DecidedAuditLines(ctx, s.DB.Pool, s.patience)
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
		slog.InfoContext(ctx, "audit log sealed", "seal", seal.Number, "through", seal.Through, "sha256",
			hex.EncodeToString(seal.Hash))
	}
}
