package models

import (
	"time"

	"gorm.io/gorm"
)

// Role is what a member may do in an account (decisions, 1).
type Role string

const (
	RoleOwner     Role = "OWNER"
	RoleAdmin     Role = "ADMIN"
	RoleDeveloper Role = "DEVELOPER"
	RoleFinance   Role = "FINANCE"
	RoleViewer    Role = "VIEWER"
)

// StaffRole is what a person of the installation's own staff may do.
type StaffRole string

const (
	StaffReviewer   StaffRole = "REVIEWER"
	StaffSupervisor StaffRole = "SUPERVISOR"
)

// User is a person who logs in.
type User struct {
	ID           string `gorm:"primaryKey"`
	Email        string // lower case
	Name         string
	PasswordHash string
	StaffRole    *StaffRole // nil: not staff
	CreatedAt    time.Time
}

// UsersEmailUnique is the constraint that keeps an e-mail to one user.
const UsersEmailUnique = "users_email_unique"

// InsertUser writes a new user; a taken e-mail violates UsersEmailUnique.
func InsertUser(tx *Tx, u *User) error { return tx.Create(u).Error }

// UserByEmail returns the user with a lower-case e-mail, or ErrNotFound.
func UserByEmail(db *gorm.DB, email string) (*User, error) {
	var u User
	if err := db.Where("email = ?", email).Take(&u).Error; err != nil {
		return nil, notFound(err)
	}
	return &u, nil
}

// Member is a user's role in an account.
type Member struct {
	AccountID string `gorm:"primaryKey"`
	UserID    string `gorm:"primaryKey"`
	Role      Role
	CreatedAt time.Time
}

// InsertMember writes a new membership.
func InsertMember(tx *Tx, m *Member) error { return tx.Create(m).Error }
