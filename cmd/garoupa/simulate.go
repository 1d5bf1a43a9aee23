package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"garoupa/internal/refusal"
	"garoupa/models"
)

// simulate does what the simulator's bank would do with a checkout.
func simulate(ctx context.Context, in invocation) error {
	words, err := in.parse("pay|expire|cancel", "<chk_…>")
	if err != nil {
		return err
	}
	if s := in.settings; s.embedded() {
		// Elsewhere the command would make a database, only to find nothing in it.
		if _, err := os.Stat(s.DataDir); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("simulate: there is no %s here; run it in the folder where the program serves, "+
				"or set GAROUPA_DATA_DIR", s.DataDir)
		}
	}
	db, services, err := openBeside(ctx, in.settings)
	if err != nil {
		return err
	}
	defer db.Close()
	act, known := map[string]func(context.Context, string) error{
		"pay":    services.payments.SimulatePayment,
		"expire": services.payments.SimulateExpiry,
		"cancel": services.payments.SimulateCancellation,
	}[words[0]]
	if !known {
		return fmt.Errorf("simulate: %q is none of pay, expire and cancel", words[0])
	}
	if err := act(ctx, words[1]); err != nil {
		if f := refusal.Of(err); f.Code != refusal.Internal {
			return fmt.Errorf("simulate: %s", f.Message)
		}
		return err
	}
	outcome, err := simulated(ctx, db.DB, words[1])
	if err != nil {
		return fmt.Errorf("simulate: done, but the result for %s cannot be read: %w", words[1], err)
	}
	fmt.Fprintln(in.out, outcome)
	return nil
}

// simulated describes the result, because some amounts are not paid once and in full.
func simulated(ctx context.Context, db *models.DB, id string) (string, error) {
	c, err := models.PublicCheckoutByID(ctx, db.Pool, id)
	if err != nil {
		return "", err
	}
	received, err := models.PaymentsOf(ctx, db.Pool, id)
	if err != nil {
		return "", err
	}
	state := "is " + strings.ToLower(string(c.Status))
	if c.Status == models.CheckoutPending {
		state = "is still PENDING"
	}
	outcome := fmt.Sprintf("%s %s.", id, state)
	for _, p := range received {
		if p.Settles {
			continue
		}
		comparison := "once more"
		switch {
		case p.Amount < c.Amount:
			comparison = fmt.Sprintf("R$ %s too little", (c.Amount - p.Amount).Decimal())
		case p.Amount > c.Amount:
			comparison = fmt.Sprintf("R$ %s too much", (p.Amount - c.Amount).Decimal())
		}
		outcome += fmt.Sprintf(" The bank paid R$ %s, %s: that payment waits among the exceptions.",
			p.Amount.Decimal(), comparison)
	}
	if c.Status == models.CheckoutPending {
		outcome += " The charge can still be paid."
	}
	return outcome, nil
}
