package main

import (
	"context"
	"errors"
	"fmt"

	"garoupa/models"
)

// people does what only the operator may do for a person, of staff or not.
func people(ctx context.Context, in invocation) error {
	email := in.flags.String("email", "", "the person's `email`, with which they log in")
	words, err := in.parse("sessions|factors")
	if err != nil {
		return err
	}
	if words[0] != "sessions" && words[0] != "factors" {
		in.flags.Usage()
		return errUsage
	}
	db, services, err := openBeside(ctx, in.settings)
	if err != nil {
		return err
	}
	defer db.Close()
	said := fmt.Sprintf("Removed the second factors of %s and ended the sessions.\n", *email)
	if words[0] == "factors" {
		err = services.merchants.RemoveFactors(ctx, *email)
	} else {
		var ended int64
		ended, err = services.merchants.EndSessionsOf(ctx, *email)
		said = fmt.Sprintf("Ended %d sessions of %s.\n", ended, *email)
	}
	if errors.Is(err, models.ErrNotFound) {
		return fmt.Errorf("people %s: no person has the email %q", words[0], *email)
	} else if err != nil {
		return fmt.Errorf("people %s: %w", words[0], err)
	}
	fmt.Fprint(in.out, said)
	return nil
}
