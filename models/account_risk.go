package models

import (
	"context"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// AccountRisk holds reasons for staff to look closely at an account.
type AccountRisk struct {
	Declared          money.Cents // per month, from the last request for production access; 0 without one
	SharedDocument    int         // number of other accounts with the same CPF or CNPJ
	SharedDestination int         // number of other accounts with the same destination
}

// AccountRisks returns the risks of accounts, by account id. It compares the digests of documents, which a job
// adds to what programs of an earlier version wrote.
func AccountRisks(ctx context.Context, q Reader, accountIDs []string) (map[string]AccountRisk, error) {
	rows, err := q.Query(ctx, `SELECT a.id,
			coalesce((SELECT monthly_volume FROM access_requests WHERE account_id = a.id
				ORDER BY submitted_at DESC, id DESC LIMIT 1), 0),
			(SELECT count(DISTINCT other.account_id) FROM access_requests mine
				JOIN access_requests other ON other.document_digest = mine.document_digest
				WHERE mine.account_id = a.id AND other.account_id <> a.id),
			(SELECT count(DISTINCT other.account_id) FROM destinations mine
				JOIN destinations other ON other.digest = mine.digest
				WHERE mine.account_id = a.id AND other.account_id <> a.id)
		FROM unnest($1::text[]) a (id)`, accountIDs)
	if err != nil {
		return nil, err
	}
	risks := map[string]AccountRisk{}
	var id string
	var r AccountRisk
	_, err = pgx.ForEachRow(rows, []any{&id, &r.Declared, &r.SharedDocument, &r.SharedDestination}, func() error {
		risks[id] = r
		return nil
	})
	return risks, err
}
