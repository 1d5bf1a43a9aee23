package banks_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"garoupa/banks"
	"garoupa/banks/bankstest"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/pix/psp/bank/control"
)

// The address is registered once for each process, again when it changes, and tried again while the bank does
// not take it.
func TestRegisterNotices(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	h.Register(t) // without an address nothing is done
	if n := modelstest.One[int](t, h.DB, "SELECT count(*) FROM bank_registrations"); n != 0 {
		t.Errorf("%d registrations without an address", n)
	}
	n := h.Receive(t)
	h.Fault(t, control.Fault{Name: "403", On: "/webhook"})
	state := func() models.BankRegistration {
		t.Helper()
		h.Register(t)
		r, err := models.BankRegistrationOf(t.Context(), h.DB.Pool, h.AccountID)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if got := state(); got.Address != "" || got.Failure == "" || got.Tries != 1 || got.RegisteredAt != nil {
		t.Errorf("refused: %+v", got)
	}
	if got := state(); got.Tries != 1 {
		t.Errorf("at once again: %+v", got)
	}
	h.Later(2 * time.Second)
	if got := state(); got.Tries != 2 {
		t.Errorf("after a pause: %+v", got)
	}
	h.Heal(t)
	h.Later(time.Minute)
	first := state()
	if first.Address != n.URL || first.Failure != "" || first.Tries != 0 || first.RegisteredAt == nil {
		t.Errorf("registered: %+v", first)
	}
	h.Later(time.Hour)
	if got := state(); !got.ConfirmedAt.Equal(*first.ConfirmedAt) {
		t.Errorf("told again without need: %+v", got)
	}
	other := h.Another(t) // a process that starts
	other.Banks.NoticesURL = n.URL
	other.Register(t)
	if got := state(); !got.RegisteredAt.Equal(*first.RegisteredAt) || got.ConfirmedAt.Equal(*first.ConfirmedAt) {
		t.Errorf("after a start: %+v", got)
	}
	moved := h.Receive(t)
	h.Later(time.Hour)
	if got := state(); got.Address != moved.URL || got.RegisteredAt.Equal(*first.RegisteredAt) {
		t.Errorf("after a move: %+v", got)
	}
}

// An account of an older program gets its token when it is registered, one for all processes.
func TestRegisterNotices_OldAccount(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	modelstest.Exec(t, h.DB, "UPDATE bank_accounts SET notice_token = NULL, notice_digest = NULL")
	n := h.Receive(t)
	other := h.Another(t)
	other.Banks.NoticesURL = n.URL
	var both sync.WaitGroup
	for _, process := range []*bankstest.House{h, other} {
		both.Go(func() { process.Register(t) })
	}
	both.Wait()
	if got := h.Post(t, n.URL+h.Path(t), "{}", h.Certificate(t)); got != 200 {
		t.Errorf("%d", got)
	}
}

// A bank that tries the address before it takes it is answered as it wants.
func TestRegisterNotices_Efi(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	n := h.Receive(t)
	h.Register(t)
	got, err := models.BankRegistrationOf(t.Context(), h.DB.Pool, h.AccountID)
	if err != nil || got.Address != n.URL {
		t.Errorf("registered %+v, %v", got, err)
	}
	if got := counts(t, h, n); got[models.NoticeUnproven] != 1 {
		t.Errorf("counted %v", got)
	}
}

// What a bank says that repeats the address has no part of the token, wherever it is kept or shown.
func TestRegisterNotices_Secret(t *testing.T) {
	t.Parallel()
	const nowhere = "https://localhost:1" // where no one listens
	for profile, fault := range map[string]string{"efi": "", "generic": "repeat-address", "itau": "repeat-address"} {
		h := bankstest.At(t, profile)
		var log bytes.Buffer
		o := h.Banks.Options
		o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		o.NoticesURL = nowhere
		h.Banks = banks.New(o)
		if fault != "" {
			h.Register(t) // so that the bank has an address to repeat when it is read
			h.Banks.NoticesURL += "/other"
			h.Later(time.Hour)
			h.Fault(t, control.Fault{Name: fault})
		}
		h.Register(t)
		registration, err := models.BankRegistrationOf(t.Context(), h.DB.Pool, h.AccountID)
		if err != nil || registration.Failure == "" {
			t.Errorf("%s: registered %+v, %v", profile, registration, err)
		}
		bank, err := h.Banks.For(t.Context(), h.AccountID)
		if err != nil {
			t.Fatal(err)
		}
		token := strings.TrimPrefix(h.Path(t), "/bank/")
		returned := bank.RegisterNotices(t.Context(), nowhere+h.Path(t))
		other := h.Another(t) // a process that registers nothing
		other.Banks.Log = o.Log
		if _, err := other.Banks.For(t.Context(), h.AccountID); err != nil {
			t.Fatal(err)
		}
		found, err := other.Banks.Check(t.Context(), h.AccountID)
		if err != nil {
			t.Fatal(err)
		}
		kept := ""
		for _, process := range []*bankstest.House{other, h} {
			if err := process.Banks.SaveCalls(t.Context()); err != nil {
				t.Fatal(err)
			}
			kept += modelstest.One[string](t, h.DB, "SELECT coalesce(max(last_failure), '') FROM bank_states")
		}
		for _, text := range []string{log.String(), fmt.Sprintf("%+v %v %+v", registration, returned, found), kept} {
			if strings.Contains(text, token[:8]) {
				t.Errorf("%s: it has the token: %s", profile, text)
			}
		}
		if fault != "" && (strings.Count(kept, "…") < 2 || !strings.Contains(fmt.Sprint(found), "…")) {
			t.Errorf("%s: the bank did not repeat the address: %q, %v", profile, kept, found)
		}
		if !strings.Contains(log.String(), "not registered") {
			t.Errorf("%s: the log is %s", profile, &log)
		}
	}
}
