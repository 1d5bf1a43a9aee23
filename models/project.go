package models

import (
	"time"

	"gorm.io/gorm"
)

// Project belongs to an account and owns keys, checkouts and endpoints.
type Project struct {
	ID        string `gorm:"primaryKey"`
	AccountID string
	Name      string
	CreatedAt time.Time
}

// InsertProject writes a new project.
func InsertProject(tx *Tx, p *Project) error { return tx.Create(p).Error }

// ProjectByID returns one project, or ErrNotFound.
func ProjectByID(db *gorm.DB, id string) (*Project, error) {
	var p Project
	if err := db.Take(&p, "id = ?", id).Error; err != nil {
		return nil, notFound(err)
	}
	return &p, nil
}

// AccountProject returns the oldest project of an account that the user is a member
// of, or ErrNotFound.
func AccountProject(db *gorm.DB, userID, accountID string) (*Project, error) {
	var p Project
	err := db.Joins("JOIN members m ON m.account_id = projects.account_id").
		Where("m.user_id = ? AND m.account_id = ?", userID, accountID).Order("projects.created_at, projects.id").Take(&p).Error
	if err != nil {
		return nil, notFound(err)
	}
	return &p, nil
}

// FirstProject returns the oldest project of the accounts that the user is a
// member of, or ErrNotFound.
func FirstProject(db *gorm.DB, userID string) (*Project, error) {
	var p Project
	err := db.Joins("JOIN members m ON m.account_id = projects.account_id").
		Where("m.user_id = ?", userID).Order("projects.created_at, projects.id").Take(&p).Error
	if err != nil {
		return nil, notFound(err)
	}
	return &p, nil
}
