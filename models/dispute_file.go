package models

import (
	"context"
	"time"
)

// DisputeFile is a file of an answer to a dispute.
type DisputeFile struct {
	ID        string
	DisputeID string
	Place     int // from 1 to MaxDisputeFiles
	Name      string
	MediaType string // application/pdf, image/jpeg or image/png
	Content   []byte // nil in lists
	Size      int    // of Content, when read
	CreatedBy string
	CreatedAt time.Time
}

// InsertDisputeFile writes a file. The caller has locked its dispute.
func InsertDisputeFile(tx *Tx, f *DisputeFile) error {
	return tx.exec(`INSERT INTO dispute_files (id, dispute_id, place, name, media_type, content, created_by, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		f.ID, f.DisputeID, f.Place, f.Name, f.MediaType, f.Content, f.CreatedBy, f.CreatedAt)
}

const disputeFileColumns = `id, dispute_id, place, name, media_type, octet_length(content) AS size, created_by,
	created_at`

// DisputeFiles lists the files of a dispute, without their contents.
func DisputeFiles(ctx context.Context, q Querier, disputeID string) ([]DisputeFile, error) {
	return collect[DisputeFile](ctx, q, "SELECT "+disputeFileColumns+`, NULL::bytea AS content FROM dispute_files
		WHERE dispute_id = $1 ORDER BY place`, disputeID)
}

// LockedDisputeFiles lists the files of a dispute that the caller has locked, with their contents.
func LockedDisputeFiles(tx *Tx, disputeID string) ([]DisputeFile, error) {
	return within(tx, func(ctx context.Context, q Querier) ([]DisputeFile, error) {
		return collect[DisputeFile](ctx, q, "SELECT "+disputeFileColumns+`, content FROM dispute_files
			WHERE dispute_id = $1 ORDER BY place`, disputeID)
	})
}

// DisputeFileOf returns a file of a dispute, or ErrNotFound.
func DisputeFileOf(ctx context.Context, q Querier, disputeID, id string) (*DisputeFile, error) {
	if !disputeShape.fits(disputeID) || !disputeFileShape.fits(id) {
		return nil, ErrNotFound
	}
	return one[DisputeFile](ctx, q, "SELECT "+disputeFileColumns+`, content FROM dispute_files
		WHERE dispute_id = $1 AND id = $2`, disputeID, id)
}

// DeleteDisputeFiles deletes files of disputes that were closed before a time, up to a limit, and reports
// whether more may be left.
func DeleteDisputeFiles(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	return deleteSome(ctx, q, "dispute_files", "id", `SELECT f.id
		FROM dispute_files f JOIN disputes d ON d.id = f.dispute_id WHERE d.closed_at < $1 LIMIT $2`, before)
}
