package models_test

import (
	"fmt"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
)

// sealSeparately writes lines of the audit log, each with a seal of its own.
func sealSeparately(t *testing.T, db *models.DB, lines int) {
	t.Helper()
	modelstest.Exec(t, db, `INSERT INTO audit_log (id, at, actor, action, object_id) OVERRIDING SYSTEM VALUE
		SELECT n, now(), 'system', 'account.renamed', 'x' FROM generate_series(1, $1) n`, lines)
	err := db.InTx(t.Context(), func(tx *models.Tx) (err error) {
		for n := int64(1); n <= int64(lines) && err == nil; n++ {
			_, err = models.SealAudit(tx, n, time.Now())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Examinations of the audit log compare fifty seals each, one after the other, and always the latest ones and those
// with known flaws. A seal is compared with the one before it, too, if that was the last of another examination.
func TestCheckAuditTurn(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	sealSeparately(t, db, 130)
	modelstest.Exec(t, db, "ALTER TABLE audit_log DISABLE TRIGGER audit_log_final")
	modelstest.Exec(t, db, "ALTER TABLE audit_seals DISABLE TRIGGER audit_seals_final")
	var last models.Examination
	examine := func(when, flaws string, reached int64) {
		t.Helper()
		found, to, err := models.CheckAuditTurnOf(t.Context(), db.Pool, last, 10, 1)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(found) != flaws || to != reached {
			t.Errorf("%s: %v up to %d, want %s up to %d", when, found, to, flaws, reached)
		}
		last = models.Examination{Reached: to}
		for _, flaw := range found {
			last.Flaws = append(last.Flaws, flaw.String())
		}
	}
	examine("an unchanged log", "[]", 50)
	modelstest.Exec(t, db, "UPDATE audit_log SET object_id = 'y' WHERE id IN (30, 70, 120)")
	modelstest.Exec(t, db, "DELETE FROM audit_seals WHERE number = 50")
	examine("what is due and what is new", "[seal_missing 50 line_changed 70 line_changed 120]", 100)
	examine("the end and what was found", "[line_changed 120 seal_missing 50 line_changed 70]", 0)
	modelstest.Exec(t, db, "UPDATE audit_log SET object_id = 'x' WHERE id = 70")
	examine("from the beginning", "[line_changed 30 seal_missing 50 line_changed 120]", 51)
}
