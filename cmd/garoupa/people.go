package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"garoupa/models"
)

// people does what only the operator may do for a person, of staff or not.
func people(ctx context.Context, in invocation) error {
	email := in.flags.String("email", "", "the person's `email`, with which they log in")
	words, err := in.parse("sessions|factors|unlink")
	if err != nil {
		return err
	}
	if !slices.Contains([]string{"sessions", "factors", "unlink"}, words[0]) {
		in.flags.Usage()
		return errUsage
	}
	db, services, err := openBeside(ctx, in.settings)
	if err != nil {
		return err
	}
	defer db.Close()
	said := ""
	switch words[0] {
	case "factors":
		said = fmt.Sprintf("Removed the second factors of %s and ended the sessions.\n", *email)
		err = services.merchants.RemoveFactors(ctx, *email)
	case "unlink":
		said = fmt.Sprintf("Unlinked %s from the provider, and ended the sessions that began there.\n", *email)
		err = services.merchants.Unlink(ctx, *email)
	default:
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
