package merchants

import (
	"context"
	"fmt"

	"garoupa/models"
)

// AuditLog returns a page of an account's audit log as a merchant may know it, newest first.
func (s *Service) AuditLog(ctx context.Context, accountID string, f models.AuditFilter) (models.Page[models.AuditLine],
	error) {
	f.AccountID, f.Merchant = accountID, true
	page, err := models.ReadPage(f.Limit, func(limit int) ([]models.AuditLine, error) {
		f.Limit = limit
		return models.AuditLines(ctx, s.DB.Read, f)
	})
	if err != nil {
		return page, fmt.Errorf("merchants: read the audit log: %w", err)
	}
	for i, line := range page.Rows {
		page.Rows[i] = line.ForMerchant()
	}
	return page, nil
}
