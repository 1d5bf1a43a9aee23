package models

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Standing is what a user is to the installation and to one account.
type Standing struct {
	StaffRole StaffRole // "": not staff
	Role      Role      // "": not a member of the account
}

// UserStanding returns a user's standing towards an account; an unknown user is
// neither staff nor a member.
func UserStanding(tx *Tx, userID, accountID string) (s Standing, err error) {
	err = tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT coalesce((SELECT staff_role FROM users WHERE id = $1), ''),
			coalesce((SELECT role FROM members WHERE user_id = $1 AND account_id = $2), '')`, userID, accountID).Scan(&s.StaffRole, &s.Role)
	})
	return s, err
}
