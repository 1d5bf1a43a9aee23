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
	stranded, err := models.StrandedDeliveries(ctx, db.Pool, strandedShown)
	if err != nil {
		return err
	}
	for _, id := range stranded {
		fmt.Fprintf(in.out, "deliveries %s is pending, and nothing will send it\n", id)
	}
	if len(drift)+len(stranded) > 0 {
		return errDrift
	}
	fmt.Fprintln(in.out, "deliveries ok")
	return nil
}
