package main

import (
	"context"
	"errors"
	"fmt"

	"garoupa/ledger"
	"garoupa/migrations"
)

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
	if len(drift) > 0 {
		return errDrift
	}
	fmt.Fprintln(in.out, "books      ok")
	return nil
}
