package models

import (
	"context"
	"fmt"
)

// Sealed is a column whose values package vault has sealed, each for its own row.
type Sealed struct {
	Table, Column string
	name          string // the column's name in Place; two columns share a name if values move between them
	guard         string // the trigger that forbids changes of the column; "" if there is none
}

// The columns with sealed values.
var (
	SealedCustomerPhone  = Sealed{"checkouts", "customer_phone", "customer_phone", ""}
	SealedDocument       = Sealed{"checkouts", "sealed_document", "document", ""}
	SealedSecret         = Sealed{"webhook_endpoints", "secret", "secret", ""}
	SealedPreviousSecret = Sealed{"webhook_endpoints", "previous_secret", "secret", ""}
	SealedTOTPSecret     = Sealed{"users", "totp_secret", "totp_secret", ""}
	SealedDestination    = Sealed{"destinations", "address", "address", "destinations_keep_address"}
	SealedContactPhone   = Sealed{"access_requests", "contact_phone", "contact_phone", "access_requests_transition"}
	SealedAccessAnswers  = Sealed{"access_requests", "answers", "answers", "access_requests_transition"}
	SealedAccessDraft    = Sealed{"access_drafts", "answers", "answers", ""}
	SealedBankSecret     = Sealed{"bank_credentials", "client_secret", "client_secret", ""}
	SealedAppKey         = Sealed{"bank_credentials", "app_key", "app_key", ""}
	SealedCertificate    = Sealed{"bank_credentials", "certificate", "certificate", ""}
	SealedPrivateKey     = Sealed{"bank_credentials", "private_key", "private_key", ""}
	SealedNoticeToken    = Sealed{"bank_accounts", "notice_token", "notice_token", ""}
)

// SealedColumns lists all of them. Add each new sealed column here, otherwise its values are
// lost when the secret key is replaced. A test compares the list with the schema.
var SealedColumns = []Sealed{
	SealedCustomerPhone, SealedDocument, SealedSecret, SealedPreviousSecret, SealedTOTPSecret, SealedDestination,
	SealedContactPhone, SealedAccessAnswers, SealedAccessDraft, SealedBankSecret, SealedAppKey, SealedCertificate,
	SealedPrivateKey, SealedNoticeToken,
}

// Place returns the place for which the value of a row is sealed.
func (s Sealed) Place(id string) string { return s.Table + "/" + id + "/" + s.name }

// String implements fmt.Stringer.
func (s Sealed) String() string { return s.Table + "." + s.Column }

// SealedValue is the value of a row, and its replacement.
type SealedValue struct {
	ID       string
	Old, New []byte
}

// OtherKeys lists the values that do not begin with keyID, which are those sealed with another
// key, ordered by id and starting after an id.
func (s Sealed) OtherKeys(ctx context.Context, q Querier, keyID []byte, after string, limit int) (values []SealedValue,
	err error) {
	rows, err := q.Query(ctx, fmt.Sprintf(`SELECT id, %[2]s FROM %[1]s
		WHERE id > $2 AND %[2]s IS NOT NULL AND substring(%[2]s FOR octet_length($1::bytea)) <> $1
		ORDER BY id LIMIT $3`, s.Table, s.Column), keyID, after, limit)
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

// ReplaceSealed writes the new values where the old ones are still stored. If a trigger guards
// the column, it disables the trigger in tx, and waits at most five seconds for writers of the
// table.
func (s Sealed) ReplaceSealed(tx *Tx, values []SealedValue) error {
	ids, olds, news := make([]string, len(values)), make([][]byte, len(values)), make([][]byte, len(values))
	for i, v := range values {
		ids[i], olds[i], news[i] = v.ID, v.Old, v.New
	}
	if s.guard != "" {
		if err := tx.exec("SET LOCAL lock_timeout = '5s'"); err != nil {
			return err
		}
		if err := tx.exec(fmt.Sprintf("ALTER TABLE %s DISABLE TRIGGER %s", s.Table, s.guard)); err != nil {
			return err
		}
	}
	err := tx.exec(fmt.Sprintf(`UPDATE %[1]s SET %[2]s = v.new
		FROM unnest($1::text[], $2::bytea[], $3::bytea[]) AS v (id, old, new)
		WHERE %[1]s.id = v.id AND %[1]s.%[2]s = v.old`, s.Table, s.Column), ids, olds, news)
	if err != nil || s.guard == "" {
		return err
	}
	return tx.exec(fmt.Sprintf("ALTER TABLE %s ENABLE TRIGGER %s", s.Table, s.guard))
}
