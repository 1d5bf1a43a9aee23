package main

import (
	"context"
	"errors"
	"fmt"

	"garoupa/ledger"
	"garoupa/migrations"
	"garoupa/models"
)

// strandedShown is how many deliveries check prints at most.
const strandedShown = 20

// flawsShown is how many flaws of the audit log it prints.
const flawsShown = 20

// flawWords say what is wrong with the audit log, before an id.
var flawWords = map[string]string{
	models.AuditLineChanged: "changed since it was sealed: line", models.AuditLineMissing: "missing: line", models.AuditLineAdded: "put in after its seal: line",
	models.AuditSealChanged: "does not follow from the one before: seal", models.AuditSealMissing: "missing: seal",
}

// errDrift makes the command fail after it has printed what is wrong.
var errDrift = errors.New("check: something is wrong; see above")

// check looks at an installation without changing it.
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
	current, err := migrations.Current(ctx, db.Pool)
	if err != nil {
		return err
	}
	if !current {
		fmt.Fprintln(in.out, "schema     older or newer than this program: run garoupa migrate")
		return errDrift
	}
	fmt.Fprintln(in.out, "schema     ok")
	drift, err := ledger.Check(ctx, db.Pool)
	if err != nil {
		return err
	}
	for _, line := range drift {
		fmt.Fprintln(in.out, "books     ", line)
	}
	if len(drift) == 0 {
		fmt.Fprintln(in.out, "books      ok")
	}
	flaws, err := models.CheckAudit(ctx, db.Pool, flawsShown)
	if err != nil {
		return err
	}
	for _, flaw := range flaws {
		fmt.Fprintln(in.out, "audit     ", flawWords[flaw.What], flaw.ID)
	}
	if len(flaws) == 0 {
		fmt.Fprintln(in.out, "audit      ok")
	}
	stranded, err := models.StrandedDeliveries(ctx, db.Pool, strandedShown)
	if err != nil {
		return err
	}
	for _, id := range stranded {
		fmt.Fprintf(in.out, "deliveries %s is pending, and nothing will send it\n", id)
	}
	if len(drift)+len(flaws)+len(stranded) > 0 {
		return errDrift
	}
	fmt.Fprintln(in.out, "deliveries ok")
	return nil
}
