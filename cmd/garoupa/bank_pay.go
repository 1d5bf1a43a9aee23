package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"garoupa/pix/psp/bank/control"
)

// centavos declares the flag --amount, which sets amount.
func (in invocation) centavos(amount *int64, meaning string) {
	in.flags.Func("amount", meaning+", in `centavos`: 4990 is R$ 49.90", func(text string) (err error) {
		if *amount, err = strconv.ParseInt(text, 10, 64); err != nil || *amount < 1 {
			return errors.New("it is not a number of centavos, such as 4990 for R$ 49.90")
		}
		return nil
	})
}

func bankPay(ctx context.Context, in invocation) error {
	var r control.PayRequest
	in.centavos(&r.Amount, "another amount than the code's")
	in.flags.BoolVar(&r.Late, "late", false, "pay even if the charge has expired")
	in.flags.BoolVar(&r.Twice, "twice", false, "pay twice, even if the charge is paid")
	in.flags.BoolVar(&r.NoTxID, "no-txid", false, "do not name the charge in the payment")
	words, err := in.parse("DIR", "CODE")
	if err != nil {
		return err
	}
	r.Code = words[1]
	client, err := at(words[0])
	if err != nil {
		return err
	}
	paid, err := client.Pay(ctx, r)
	if err != nil {
		return fmt.Errorf("bank pay: %w", err)
	}
	fmt.Fprintf(in.out, "Paid: %s\n", strings.Join(paid.EndToEndIDs, ", "))
	return nil
}
