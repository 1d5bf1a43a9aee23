package models

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Sealed is a column whose values package vault has sealed, each for its own place.
type Sealed struct {
	Table, Column string
	name          string // of the column in places; two columns share one if values move between them
	guard         string // the trigger that keeps the column from changing, if there is one
}

// The columns that hold what was sealed.
var (
	SealedCustomerPhone  = Sealed{"checkouts", "customer_phone", "customer_phone", ""}
	SealedSecret         = Sealed{"webhook_endpoints", "secret", "secret", ""}
	SealedPreviousSecret = Sealed{"webhook_endpoints", "previous_secret", "secret", ""}
	SealedTOTPSecret     = Sealed{"users", "totp_secret", "totp_secret", ""}
	SealedDestination    = Sealed{"destinations", "address", "address", "destinations_keep_address"}
	SealedContactPhone   = Sealed{"access_requests", "contact_phone", "contact_phone", "access_requests_transition"}
	SealedAccessDraft    = Sealed{"access_drafts", "answers", "answers", ""}
)

// SealedColumns are all of them. Whoever adds a column adds it here, or what is in it
// is lost when the secret key is changed; a test holds the list to the schema.
var SealedColumns = []Sealed{
	SealedCustomerPhone, SealedSecret, SealedPreviousSecret, SealedTOTPSecret, SealedDestination, SealedContactPhone, SealedAccessDraft,
}

// Place is what the value of a row is sealed for.
func (s Sealed) Place(id string) string { return s.Table + "/" + id + "/" + s.name }

// String implements fmt.Stringer.
func (s Sealed) String() string { return s.Table + "." + s.Column }

// SealedValue is the value of a row, and what is to replace it.
type SealedValue struct {
	ID       string
	Old, New []byte
}

// OtherKeys lists values of rows after an id, by id, that do not begin with keyID:
// those that another key sealed.
func (s Sealed) OtherKeys(ctx context.Context, q Querier, keyID []byte, after string, limit int) (values []SealedValue, err error) {
	rows, err := q.Query(ctx, fmt.Sprintf(`SELECT id, %[2]s FROM %[1]s
		WHERE id > $2 AND %[2]s IS NOT NULL AND substring(%[2]s FOR octet_length($1::bytea)) <> $1 ORDER BY id LIMIT $3`, s.Table, s.Column), keyID, after, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var v SealedValue
		if err := rows.Scan(&v.ID, &v.Old); err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, rows.Err()
}

// ReplaceSealed writes the new values where the old ones still stand. The trigger that
// guards the column is lifted in tx alone; it waits for those who write to the table,
// for five seconds at most.
func (s Sealed) ReplaceSealed(tx *Tx, values []SealedValue) error {
	ids, olds, news := make([]string, len(values)), make([][]byte, len(values)), make([][]byte, len(values))
	for i, v := range values {
		ids[i], olds[i], news[i] = v.ID, v.Old, v.New
	}
	if s.guard != "" {
		if err := tx.Exec("SET LOCAL lock_timeout = '5s'").Error; err != nil {
			return err
		}
		if err := tx.Exec(fmt.Sprintf("ALTER TABLE %s DISABLE TRIGGER %s", s.Table, s.guard)).Error; err != nil {
			return err
		}
	}
	err := tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, fmt.Sprintf(`UPDATE %[1]s SET %[2]s = v.new
			FROM unnest($1::text[], $2::bytea[], $3::bytea[]) AS v (id, old, new) WHERE %[1]s.id = v.id AND %[1]s.%[2]s = v.old`, s.Table, s.Column), ids, olds, news)
		return err
	})
	if err != nil || s.guard == "" {
		return err
	}
	return tx.Exec(fmt.Sprintf("ALTER TABLE %s ENABLE TRIGGER %s", s.Table, s.guard)).Error
}
