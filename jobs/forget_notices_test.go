package jobs_test

import (
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/jobs"
	"garoupa/models"
	"garoupa/models/modelstest"
)

// Notices of banks, and counts of refused ones, go after 30 days.
func TestForget_Notices(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	modelstest.Exec(t, h.DB, `INSERT INTO bank_notices (bank_account_id, received_at, digest, hints, done_at, outcome)
		SELECT $1, $2, sha256(n::text::bytea), '[]', $2, 'EMPTY' FROM generate_series(1, 5001) n`, h.AccountID, at)
	if err := models.AddNoticeCounts(t.Context(), h.DB.Pool, at, map[models.NoticeCount]int64{
		{What: models.NoticeUnknownToken}: 1}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		later         time.Duration
		notices, rows int
	}{{30 * 24 * time.Hour, 5001, 1}, {30*24*time.Hour + time.Minute, 0, 0}} {
		if err := jobs.Forget(t.Context(), h.DB.Pool, at.Add(step.later), 90*24*time.Hour); err != nil {
			t.Fatal(err)
		}
		notices := modelstest.One[int](t, h.DB, "SELECT count(*) FROM bank_notices")
		rows := modelstest.One[int](t, h.DB, "SELECT count(*) FROM bank_notice_counts")
		if notices != step.notices || rows != step.rows {
			t.Errorf("after %s: %d notices, %d counts", step.later, notices, rows)
		}
	}
}
