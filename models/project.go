package models

import (
	"context"
	"time"
)

// Project belongs to an account and has keys, checkouts and endpoints.
type Project struct {
	ID        string `gorm:"primaryKey"`
	AccountID string
	Name      string
	CreatedAt time.Time
}

// InsertProject writes a new project.
func InsertProject(tx *Tx, p *Project) error { return tx.Create(p).Error }

// ProjectByID returns one project, or ErrNotFound.
func ProjectByID(ctx context.Context, h Handle, id string) (*Project, error) {
	var p Project
	if err := h.gorm(ctx).Take(&p, "id = ?", id).Error; err != nil {
		return nil, notFound(err)
	}
	return &p, nil
}

// LockProject blocks other calls of LockProject for the project until tx ends. Callers that
// create limited objects call it before they count. Rows that refer to the project, such as
// checkouts, are not blocked.
func LockProject(tx *Tx, id string) error {
	return tx.exec("SELECT FROM projects WHERE id = $1 FOR NO KEY UPDATE", id)
}

// AccountProject returns the oldest project of an account if the user is a member of the
// account, or ErrNotFound.
func AccountProject(ctx context.Context, h Handle, userID, accountID string) (*Project, error) {
	if !accountShape.fits(accountID) {
		return nil, ErrNotFound
	}
	var p Project
	err := h.gorm(ctx).Joins("JOIN members m ON m.account_id = projects.account_id").
		Where("m.user_id = ? AND m.account_id = ?", userID,
			accountID).Order("projects.created_at, projects.id").Take(&p).Error
	if err != nil {
		return nil, notFound(err)
	}
	return &p, nil
}

// FirstProject returns the oldest project of all accounts that the user is a member of, or
// ErrNotFound.
func FirstProject(ctx context.Context, h Handle, userID string) (*Project, error) {
	var p Project
	err := h.gorm(ctx).Joins("JOIN members m ON m.account_id = projects.account_id").
		Where("m.user_id = ?", userID).Order("projects.created_at, projects.id").Take(&p).Error
	if err != nil {
		return nil, notFound(err)
	}
	return &p, nil
}
