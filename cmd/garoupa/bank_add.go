package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"garoupa/banks"
	"garoupa/internal/clientcert"
	"garoupa/pix/psp"
	"garoupa/pix/psp/bank/control"
	"garoupa/pix/psp/bank/folder"
)

// bankAdd adds the account of a bank for tests to the installation, and makes it active.
func bankAdd(ctx context.Context, in invocation) error {
	words, err := in.parse("DIR")
	if err != nil {
		return err
	}
	account, err := servedAccount(ctx, words[0])
	if err != nil {
		return fmt.Errorf("bank add: %w", err)
	}
	db, services, err := openBeside(ctx, in.settings)
	if err != nil {
		return err
	}
	defer db.Close()
	id, findings, err := services.banks.AddHere(ctx, account)
	printFindings(in.out, findings)
	if err != nil {
		return fmt.Errorf("bank add: %w", err)
	}
	fmt.Fprintf(in.out, "Added and active: %s\n", id)
	return nil
}

// servedAccount returns the account of a bank that is being served on this machine.
func servedAccount(ctx context.Context, dir string) (account banks.NewAccount, err error) {
	f, err := folder.Open(dir)
	if err != nil {
		return account, err
	}
	state, err := control.Dial(f.Socket()).State(ctx)
	if err != nil {
		return account, err
	}
	authority, err := f.AuthorityPEM()
	if err != nil {
		return account, err
	}
	base := state.Base
	if state.Profile == "sicredi" { // its versions stand in the paths of the resources
		base = strings.TrimSuffix(base, "/v2")
	}
	overrides, err := json.Marshal(map[string]any{"base": base, "token_url": state.TokenURL, "ca": string(authority),
		"notice_proof": map[string]string{"ca": string(authority), "common_name": folder.CommonName}})
	if err != nil {
		return account, err
	}
	files := clientcert.Files{}
	for name, into := range map[string]*[]byte{"client.crt": &files.Certificate, "client.key": &files.Key} {
		if *into, err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			return account, err
		}
	}
	return banks.NewAccount{
		Name: filepath.Base(dir), Profile: state.Profile, Overrides: string(overrides), PixKey: f.Account.PixKey,
		AccountNumber: "1", HolderName: f.Account.HolderName, HolderDocument: f.Account.HolderDocument,
		Credential: banks.NewCredential{ClientID: f.Account.ClientID, ClientSecret: f.Account.ClientSecret,
			AppKey: "teste", Files: files},
	}, nil
}

// bankCheck tries a bank account of the installation, at any bank.
func bankCheck(ctx context.Context, in invocation) error {
	charge := in.flags.Bool("charge", false, "also create a charge of one centavo, and remove it")
	words, err := in.parse("<bnk_…>")
	if err != nil {
		return err
	}
	db, services, err := openBeside(ctx, in.settings)
	if err != nil {
		return err
	}
	defer db.Close()
	findings, err := services.banks.Check(ctx, words[0])
	if err == nil && *charge {
		var f psp.Finding
		if f, err = services.banks.CheckCharge(ctx, words[0]); err == nil {
			findings = append(findings, f)
		}
	}
	if err != nil {
		return fmt.Errorf("bank check: %w", err)
	}
	if !printFindings(in.out, findings) {
		return errors.New("bank check: the account cannot take charges")
	}
	return nil
}

// printFindings prints a line for each finding, and reports whether all are good.
func printFindings(out io.Writer, findings []psp.Finding) (good bool) {
	good = true
	for _, f := range findings {
		tick := "✓"
		if !f.OK {
			tick, good = "✗", false
		}
		fmt.Fprintf(out, "%s %-12s %s\n", tick, f.Check, f.Text)
	}
	return good
}
