package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"garoupa/internal/money"
	bankserver "garoupa/pix/psp/bank"
	"garoupa/pix/psp/bank/control"
	"garoupa/pix/psp/bank/folder"
)

func bankServe(ctx context.Context, in invocation) error {
	profile := in.flags.String("profile", "generic", "the bank whose deviations it imitates; docs/bank.md lists them")
	words, err := in.parse("DIR")
	if err != nil {
		return err
	}
	f, err := folder.Open(words[0])
	if err != nil {
		return err
	}
	s, err := bankserver.New(bankserver.Options{Folder: f, Profile: *profile, AnyAddress: in.settings.Demo,
		Log: slog.Default()})
	if err != nil {
		return err
	}
	if err := s.Listen(); err != nil {
		return errors.Join(err, s.Close())
	}
	api := s.Base()
	if s.ChargeBase() != api {
		api += ", and " + s.ChargeBase() + " for /cob/{txid}"
	}
	at := func(name string) string { return filepath.Join(words[0], name) }
	fmt.Fprintf(in.out, `The bank serves. It imitates the profile %s; nothing in it is money.
  API            %s
  Token          %s
  Client         %s, with its secret in %s
  Certificates   %s and %s for the client, %s to trust
  Notices        to an address of yours with %s and %s
  Pix key        %s
Ctrl-C stops it; nothing is lost.
`, *profile, api, s.TokenURL(), f.Account.ClientID, at("bank.json"), at("client.crt"), at("client.key"),
		at("ca.crt"), at("notices.crt"), at("notices.key"), f.Account.PixKey)
	return s.Serve(ctx)
}

func bankState(ctx context.Context, in invocation) error {
	asJSON := in.flags.Bool("json", false, "print one JSON object")
	words, err := in.parse("DIR")
	if err != nil {
		return err
	}
	client, err := at(words[0])
	if err != nil {
		return err
	}
	state, err := client.State(ctx)
	if err != nil {
		return fmt.Errorf("bank state: %w", err)
	}
	if *asJSON {
		return json.NewEncoder(in.out).Encode(state)
	}
	return printBank(in.out, state)
}

func printBank(out io.Writer, s control.State) error {
	reais := func(centavos int64) string { return "R$ " + money.Cents(centavos).Decimal() }
	fmt.Fprintf(out, "Charges   %d: %d active, %d paid, %d removed\n", s.Charges, s.Active, s.Paid, s.Removed)
	fmt.Fprintf(out, "Balance   %s: received %s, returned %s, sent %s, blocked %s\n", reais(s.Balance),
		reais(s.Received), reais(s.Returned), reais(s.Sent), reais(s.Blocked))
	fmt.Fprintf(out, "Notices   %d to be posted\n", s.Notices)
	for _, f := range s.Faults {
		fmt.Fprintf(out, "Fault     %s\n", describeFault(f))
	}
	if len(s.Recent) == 0 {
		return nil
	}
	fmt.Fprintln(out)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, l := range s.Recent {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", l.At.Local().Format(time.DateTime), l.Kind, l.ID, reais(l.Amount),
			cmp.Or(l.Status, l.TxID))
	}
	return table.Flush()
}

func describeFault(f control.Fault) string {
	text := f.Name
	if f.Value != "" {
		text += "=" + f.Value
	}
	if f.On != "" {
		text += " on " + f.On
	}
	if f.Times > 0 {
		text += ", " + strconv.Itoa(f.Times) + " more times"
	}
	return text
}

// bankFault switches a fault on: NAME or NAME=VALUE. The name clear ends all of them.
func bankFault(ctx context.Context, in invocation) error {
	var f control.Fault
	in.flags.StringVar(&f.On, "on", "", "only on paths that contain this `text`, such as /cob")
	in.flags.IntVar(&f.Times, "times", 0, "how often it happens; 0 is until faults are cleared")
	words, err := in.parse("DIR", "NAME[=VALUE]|clear")
	if err != nil {
		return err
	}
	client, err := at(words[0])
	if err != nil {
		return err
	}
	if words[1] == "clear" {
		if err := client.ClearFaults(ctx); err != nil {
			return fmt.Errorf("bank fault: %w", err)
		}
		fmt.Fprintln(in.out, "The bank has no faults.")
		return nil
	}
	f.Name, f.Value, _ = strings.Cut(words[1], "=")
	if err := client.SetFault(ctx, f); err != nil {
		return fmt.Errorf("bank fault: %w", err)
	}
	fmt.Fprintf(in.out, "The bank has the fault %s.\n", describeFault(f))
	return nil
}
