package main

import (
	"context"
	"fmt"

	"garoupa/fault"
)

// simulate does to a checkout what the simulator's bank would do.
func simulate(ctx context.Context, in invocation) error {
	words, err := in.parse("pay|expire|cancel", "<chk_…>")
	if err != nil {
		return err
	}
	db, services, err := openBeside(ctx, in.settings)
	if err != nil {
		return err
	}
	defer db.Close()
	acts := map[string]struct {
		do   func(context.Context, string) error
		done string
	}{
		"pay":    {services.payments.SimulatePayment, "paid"},
		"expire": {services.payments.SimulateExpiry, "expired"},
		"cancel": {services.payments.SimulateCancellation, "cancelled"},
	}
	act, known := acts[words[0]]
	if !known {
		return fmt.Errorf("simulate: %q is none of pay, expire and cancel", words[0])
	}
	if err := act.do(ctx, words[1]); err != nil {
		if f := fault.Of(err); f.Code != fault.Internal {
			return fmt.Errorf("simulate: %s", f.Message)
		}
		return err
	}
	fmt.Fprintf(in.out, "%s is %s.\n", words[1], act.done)
	return nil
}
