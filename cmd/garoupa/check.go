package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"garoupa/ledger"
	"garoupa/migrations"
	"garoupa/models"
)

// flawsShown is the maximal number of flaws of the audit log that check prints.
const flawsShown = 20

// differingShown is the maximal number of days of banks that check prints.
const differingShown = 20

// flawWords describe what is wrong with the audit log, before an id.
var flawWords = map[string]string{
	models.AuditLineChanged: "changed since it was sealed: line", models.AuditLineMissing: "missing: line",
	models.AuditLineAdded:   "inserted after its time was sealed: line",
	models.AuditSealChanged: "does not follow from the one before: seal", models.AuditSealMissing: "missing: seal",
}

// schemaWords compare the schema with this program's.
var schemaWords = map[migrations.State]string{
	migrations.Current: "ok",
	migrations.Ahead:   "ok, and newer than this program, which may run beside it",
	migrations.Behind:  "older than this program: run garoupa migrate",
	migrations.TooNew:  "newer than this program, which must not run beside it: use the newer program",
}

// errDrift makes the command fail after it has printed what is wrong.
var errDrift = errors.New("check: something is wrong; see above")

// progressEvery is how often check reports its progress in large books.
const progressEvery = 10 * time.Second

// progress returns a function that logs from time to time how much of the books is
// compared.
func progress(ctx context.Context) func(models.LedgerPass) {
	told := time.Now()
	return func(pass models.LedgerPass) {
		if time.Since(told) > progressEvery {
			told = time.Now()
			slog.InfoContext(ctx, "the books are being compared",
				"compared", pass.Compared, "now", pass.Of(), "after", pass.After)
		}
	}
}

// check examines an installation without changing it. It compares the whole history of the
// books, not only what is new.
func check(ctx context.Context, in invocation) error {
	if _, err := in.parse(); err != nil {
		return err
	}
	db, err := openDatabase(ctx, in.settings, false)
	if err != nil {
		return err
	}
	defer db.Close()
	fmt.Fprintln(in.out, "database   ok")
	state, err := migrations.Compare(ctx, db.Pool)
	if err != nil {
		return err
	}
	fmt.Fprintln(in.out, "schema    ", schemaWords[state])
	if state == migrations.Behind || state == migrations.TooNew {
		return errDrift
	}
	drift, err := ledger.Check(ctx, db.Background, progress(ctx))
	if err != nil {
		return err
	}
	for _, line := range drift {
		fmt.Fprintln(in.out, "books     ", line)
	}
	if len(drift) == 0 {
		fmt.Fprintln(in.out, "books      ok")
	}
	flaws, err := models.CheckAudit(ctx, db.Background, flawsShown)
	if err != nil {
		return err
	}
	for _, flaw := range flaws {
		fmt.Fprintln(in.out, "audit     ", flawWords[flaw.What], flaw.ID)
	}
	if len(flaws) == 0 {
		fmt.Fprintln(in.out, "audit      ok")
	}
	if in.settings.auditLog != nil {
		if err := checkStream(ctx, in, db); err != nil {
			return err
		}
	}
	differing, err := checkBanks(ctx, in, db)
	if err != nil {
		return err
	}
	if len(drift)+len(flaws)+differing > 0 {
		return errDrift
	}
	return nil
}

// checkStream prints how far the receiver of the audit log is behind. That is no error of the installation.
func checkStream(ctx context.Context, in invocation, db *database) error {
	stream, waiting, err := models.AuditStreamLag(ctx, db.Background)
	if err != nil {
		return err
	}
	state := "ok"
	if stream.FailingSince != nil {
		state = "failing since " + stream.FailingSince.UTC().Format(time.RFC3339) + ": " + stream.Failure
	}
	if waiting.Oldest != nil {
		state += fmt.Sprintf("; %d lines wait, the oldest since %s", waiting.Count,
			waiting.Oldest.UTC().Format(time.RFC3339))
	}
	fmt.Fprintln(in.out, "stream    ", state)
	return nil
}

// checkBanks prints the days on which a bank and the books do not agree, and returns their number.
func checkBanks(ctx context.Context, in invocation, db *database) (differing int, err error) {
	days, err := models.DifferingBankDays(ctx, db.Background, differingShown)
	if err != nil {
		return 0, err
	}
	for i := range days {
		fmt.Fprintln(in.out, "banks     ", days[i].Difference())
	}
	if len(days) == 0 {
		fmt.Fprintln(in.out, "banks      ok")
	}
	return len(days), nil
}
