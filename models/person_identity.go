package models

import (
	"context"
	"time"
)

// PersonIdentity says who a person is at an OpenID Connect provider.
type PersonIdentity struct {
	Issuer, Subject string
	UserID          string
	CreatedAt       time.Time
}

// InsertPersonIdentity writes a link. The database refuses a second one of the subject, and of the
// person at the same issuer.
func InsertPersonIdentity(tx *Tx, i PersonIdentity) error {
	return tx.exec(`INSERT INTO person_identities (issuer, subject, user_id, created_at) VALUES ($1, $2, $3, $4)`,
		i.Issuer, i.Subject, i.UserID, i.CreatedAt)
}

// IdentityOwner returns the id of the person with a subject, or ErrNotFound.
func IdentityOwner(ctx context.Context, h Handle, issuer, subject string) (userID string, err error) {
	var found PersonIdentity
	err = h.gorm(ctx).Where("issuer = ? AND subject = ?", issuer, subject).Take(&found).Error
	return found.UserID, notFound(err)
}

// HasIdentity reports whether a person has a link to any subject of an issuer.
func HasIdentity(tx *Tx, userID, issuer string) (has bool, err error) {
	err = tx.Scan("SELECT EXISTS (SELECT FROM person_identities WHERE user_id = $1 AND issuer = $2)",
		[]any{userID, issuer}, &has)
	return has, err
}

// IsLinked reports whether a person has a link to any issuer.
func IsLinked(ctx context.Context, q Querier, userID string) (linked bool, err error) {
	err = q.QueryRow(ctx, "SELECT EXISTS (SELECT FROM person_identities WHERE user_id = $1)", userID).Scan(&linked)
	return linked, err
}

// DeletePersonIdentities removes the links of a person to all issuers, and the sessions that began there. It
// returns the number of links.
func DeletePersonIdentities(tx *Tx, userID string) (links int64, err error) {
	done := tx.Delete(&PersonIdentity{}, "user_id = ?", userID)
	if done.Error != nil {
		return 0, done.Error
	}
	return done.RowsAffected, tx.Delete(&Session{}, "user_id = ? AND by_provider", userID).Error
}
