package models

import (
	"time"

	"garoupa/money"
)

// Product is what a merchant sells through payment links.
type Product struct {
	ID           string `gorm:"primaryKey"`
	ProjectID    string
	Livemode     bool
	Slug         string // its public id, which never changes
	Name         string
	Description  *string
	ImageURL     *string
	Amount       money.Cents
	PaymentCycle string // ONE_TIME, WEEKLY, … (decisions, 3)
	Active       bool
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// InsertProduct writes a new product.
func InsertProduct(tx *Tx, p *Product) error { return tx.Create(p).Error }
