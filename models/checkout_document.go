package models

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// LockPlainDocuments locks up to limit checkouts of projects, of all if projectIDs is nil, whose customers' documents
// are plain, and skips those that another transaction has locked. Only the ids and CustomerDocument are set.
func LockPlainDocuments(tx *Tx, projectIDs []string, limit int) ([]Checkout, error) {
	return within(tx, func(ctx context.Context, q Querier) ([]Checkout, error) {
		rows, err := q.Query(ctx, `SELECT id, project_id, customer_document FROM checkouts
			WHERE customer_document IS NOT NULL AND ($1::text[] IS NULL OR project_id = ANY($1))
			LIMIT $2 FOR UPDATE SKIP LOCKED`, projectIDs, limit)
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, func(row pgx.CollectableRow) (c Checkout, err error) {
			return c, row.Scan(&c.ID, &c.ProjectID, &c.CustomerDocument)
		})
	})
}

// SaveDocuments replaces the plain documents of checkouts that tx has locked by the sealed ones.
func SaveDocuments(tx *Tx, checkouts []Checkout) error {
	if len(checkouts) == 0 {
		return nil
	}
	var ids []string
	var sealed, digests [][]byte
	for _, c := range checkouts {
		ids, sealed = append(ids, c.ID), append(sealed, c.SealedDocument)
		digests = append(digests, c.DocumentDigest)
	}
	return tx.exec(`UPDATE checkouts c SET customer_document = NULL, sealed_document = g.sealed,
			document_digest = g.digest
		FROM unnest($1::text[], $2::bytea[], $3::bytea[]) AS g (id, sealed, digest) WHERE c.id = g.id`,
		ids, sealed, digests)
}
