package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"garoupa/pix/psp/bank/control"
	"garoupa/pix/psp/bank/folder"
)

// bankCommands are what "garoupa bank" can do. All but the last two are about the bank for tests, and
// need neither a database nor the gateway: docs/bank.md.
func bankCommands() []command {
	return []command{
		{"init", "make a folder with certificates and an account", bankInit},
		{"serve", "serve the bank of a folder, over HTTPS", bankServe},
		{"pay", "pay a code, as a payer's app and bank do", bankPay},
		{"return", "give a Pix back: a received one in the bank's app, a sent one as its receiver", bankReturn},
		{"med", "contest a Pix, as its payer (MED)", bankDispute},
		{"med-close", "decide a dispute, as the bank", bankCloseDispute},
		{"remove", "remove a charge, as the bank", bankRemove},
		{"state", "show what the bank has", bankState},
		{"fault", "make the bank fail, or clear its faults", bankFault},
		{"add", "add the account of a served bank to the installation, and make it active", bankAdd},
		{"check", "try an account of the installation, at any bank", bankCheck},
	}
}

// bank runs one of bankCommands.
func bank(ctx context.Context, in invocation) error {
	if len(in.args) > 0 {
		for _, c := range bankCommands() {
			if c.name == in.args[0] {
				return c.run(ctx, in.of(c))
			}
		}
	}
	bankUsage(in.flags.Output())
	switch {
	case len(in.args) == 0, asksHelp(in.args[:1]):
		return flag.ErrHelp
	}
	return fmt.Errorf("bank: unknown command %q", in.args[0])
}

// of returns the invocation of a command that follows this one's name.
func (in invocation) of(c command) invocation {
	name := in.flags.Name() + " " + c.name
	out := in.flags.Output()
	in.args, in.flags = in.args[1:], flag.NewFlagSet(name, flag.ContinueOnError)
	in.flags.SetOutput(out)
	flags := in.flags
	in.flags.Usage = func() {
		fmt.Fprintf(flags.Output(), "%s: %s\n", name, c.summary)
		flags.PrintDefaults()
	}
	return in
}

func bankUsage(w io.Writer) {
	fmt.Fprint(w, "garoupa bank is a bank on this machine that speaks API Pix, for tests of connectors.\n\n"+
		"usage: garoupa bank <command> …; garoupa bank <command> --help explains a command\n\n")
	for _, c := range bankCommands() {
		fmt.Fprintf(w, "  %-12s%s\n", c.name, c.summary)
	}
}

func bankInit(_ context.Context, in invocation) error {
	address := in.flags.String("address", "localhost:8443", "where the bank will serve, `host:port`")
	words, err := in.parse("DIR")
	if err != nil {
		return err
	}
	f, err := folder.Init(words[0], time.Now(), *address)
	if err != nil {
		return err
	}
	fmt.Fprintf(in.out, "Made a bank in %[1]s: a certificate authority, certificates for both sides, and an account "+
		"with the Pix key %[2]s.\nServe it: garoupa bank serve %[1]s\n", words[0], f.Account.PixKey)
	return nil
}

// at opens the folder that a command names and returns the client of its bank.
func at(dir string) (control.Client, error) {
	f, err := folder.Open(dir)
	if err != nil {
		return control.Client{}, err
	}
	return control.Dial(f.Socket()), nil
}

func bankReturn(ctx context.Context, in invocation) error {
	var r control.ReturnRequest
	in.centavos(&r.Amount, "a part of the Pix; else all that is left")
	words, err := in.parse("DIR", "END-TO-END-ID")
	if err != nil {
		return err
	}
	r.EndToEndID = words[1]
	client, err := at(words[0])
	if err != nil {
		return err
	}
	made, err := client.Return(ctx, r)
	if err != nil {
		return fmt.Errorf("bank return: %w", err)
	}
	fmt.Fprintf(in.out, "Return %s: %s\n", made.ID, made.Status)
	return nil
}

func bankDispute(ctx context.Context, in invocation) error {
	var r control.DisputeRequest
	in.centavos(&r.Amount, "a part of the Pix; else all that is left")
	words, err := in.parse("DIR", "END-TO-END-ID")
	if err != nil {
		return err
	}
	r.EndToEndID = words[1]
	client, err := at(words[0])
	if err != nil {
		return err
	}
	made, err := client.Dispute(ctx, r)
	if err != nil {
		return fmt.Errorf("bank med: %w", err)
	}
	fmt.Fprintf(in.out, "Dispute %s is open, the amount is blocked.\n", made.ID)
	return nil
}

func bankCloseDispute(ctx context.Context, in invocation) error {
	var r control.CloseRequest
	returned := in.flags.Bool("returned", false, "the payer gets the amount back; this is also the default")
	rejected := in.flags.Bool("rejected", false, "the payer gets nothing")
	in.centavos(&r.Amount, "a part that the payer gets back")
	words, err := in.parse("DIR", "DISPUTE")
	if err != nil {
		return err
	}
	if *rejected && (*returned || r.Amount > 0) {
		return errors.New("bank med-close: --rejected returns nothing, so it goes with neither --returned nor --amount")
	}
	r.ID, r.Outcome = words[1], control.OutcomeReturned
	if *rejected {
		r.Outcome = control.OutcomeRejected
	}
	client, err := at(words[0])
	if err != nil {
		return err
	}
	closed, err := client.CloseDispute(ctx, r)
	if err != nil {
		return fmt.Errorf("bank med-close: %w", err)
	}
	fmt.Fprintf(in.out, "Dispute %s: %s\n", r.ID, closed.Status)
	return nil
}

func bankRemove(ctx context.Context, in invocation) error {
	words, err := in.parse("DIR", "TXID")
	if err != nil {
		return err
	}
	client, err := at(words[0])
	if err != nil {
		return err
	}
	removed, err := client.Remove(ctx, control.RemoveRequest{TxID: words[1]})
	if err != nil {
		return fmt.Errorf("bank remove: %w", err)
	}
	fmt.Fprintf(in.out, "Charge %s: %s\n", words[1], removed.Status)
	return nil
}
