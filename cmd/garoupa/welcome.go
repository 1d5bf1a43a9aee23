package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"garoupa/models"
)

// demoFile keeps the demo merchant's log-in, so that every start can print it.
const demoFile = "demo.json"

// seeding says what to write into an empty database.
type seeding struct {
	merchant bool // a demo merchant
	history  bool // with a past
}

// demoWelcome returns the demo merchant of the data folder, or nil. If the database is empty it
// creates the one that seed asks for.
func demoWelcome(ctx context.Context, s settings, db *database, services *services,
	seed seeding) (*demoMerchant, error) {
	path := filepath.Join(s.DataDir, demoFile)
	accounts, err := models.AccountCount(ctx, db)
	if err != nil {
		return nil, fmt.Errorf("count accounts: %w", err)
	}
	if accounts > 0 || !seed.merchant {
		return knownDemo(ctx, path, db)
	}
	made, err := makeDemo(ctx, services, seed.history)
	if err != nil {
		return nil, fmt.Errorf("make the demo merchant: %w", err)
	}
	text, err := json.MarshalIndent(made, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.MkdirAll(s.DataDir, 0o700), os.WriteFile(path, text, 0o600)); err != nil {
		return nil, fmt.Errorf("keep the demo log-ins: %w", err)
	}
	if seed.history {
		if err := demoHistory(ctx, services, made); err != nil {
			return nil, fmt.Errorf("write the demo merchant's history: %w", err)
		}
	}
	return made, nil
}

// knownDemo reads the file of an earlier start. It ignores a file that belongs to another
// database.
func knownDemo(ctx context.Context, path string, db *database) (*demoMerchant, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("read the demo log-ins: %w", err)
	}
	var made demoMerchant
	if err := json.Unmarshal(text, &made); err != nil {
		return nil, fmt.Errorf("read the demo log-ins in %s: %w", path, err)
	}
	if _, err := models.AccountByID(ctx, db, made.AccountID); err != nil {
		return nil, nil
	}
	return &made, nil
}

// sayServing reports that the program is up: always in the log, and as text at a terminal
// or when there is a demo merchant, if it answers people.
func sayServing(out io.Writer, s settings, as role, d *demoMerchant) {
	slog.Info("serving", "address", s.Listen, "role", as.String())
	if file, ok := out.(*os.File); as.web && (d != nil || ok && isTerminal(file)) {
		printWelcome(out, s, d)
	}
}

// printWelcome prints the addresses and how to create a first charge.
func printWelcome(w io.Writer, s settings, d *demoMerchant) {
	fmt.Fprintf(w, "\n  Garoupa is up.\n\n    Dashboard   %s/entrar\n    API         %s/v1\n", s.AppURL, s.BaseURL)
	if s.CheckoutURL != s.BaseURL {
		fmt.Fprintf(w, "    Buyers      %s/pay/…\n", s.CheckoutURL)
	}
	if s.keepsMails() {
		fmt.Fprintf(w, "    Mails       %s/dev/mail\n", s.AppURL)
	}
	if d != nil {
		printDemo(w, s, d)
	}
	fmt.Fprint(w, "\n  Ctrl-C stops it.\n\n")
}

func printDemo(w io.Writer, s settings, d *demoMerchant) {
	fmt.Fprintf(w, "\n    Log in as   %s\n    Password    %s\n    Test key    %s\n", d.Owner.Email, d.Owner.Password,
		d.Keys.Test)
	fmt.Fprintf(w, `
  Charge a buyer, then open the checkoutUrl of the answer:

    curl -s %s/v1/checkouts \
      -H 'Authorization: Bearer %s' \
      -H 'Content-Type: application/json' \
      -H 'Idempotency-Key: pedido-1' \
      -d '{"amount": 4990, "description": "Vaso Lua Nova", "externalId": "pedido-1"}'
`, s.BaseURL, d.Keys.Test)
}
