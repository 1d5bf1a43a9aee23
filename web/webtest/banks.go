package webtest

import (
	"log/slog"
	"testing"
	"time"

	"garoupa/banks"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/bacen"
)

// newBanks returns the operations on accounts at banks. Their time is the machine's, as a bank's
// certificates are valid for it.
func newBanks(t *testing.T, g *paymentstest.Gateway) *banks.Service {
	t.Helper()
	profiles, err := bacen.Profiles(nil)
	if err != nil {
		t.Fatal(err)
	}
	return banks.New(banks.Options{DB: g.DB, Vault: g.Vault, Profiles: profiles, AllowPrivate: true, Now: time.Now,
		Log: slog.New(slog.DiscardHandler)})
}
