package banks_test

import (
	"bytes"
	"encoding/json"
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

// The reason of a bank that repeats the address has no part of the token, nor has the log.
func TestRegisterNotices_Secret(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	var log bytes.Buffer
	o := h.Banks.Options
	o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	h.Banks = banks.New(o)
	h.Banks.NoticesURL = "https://localhost:1" // where no one listens
	h.Register(t)
	got, err := models.BankRegistrationOf(t.Context(), h.DB.Pool, h.AccountID)
	if err != nil || got.Failure == "" {
		t.Errorf("registered %+v, %v", got, err)
	}
	token := strings.TrimPrefix(h.Path(t), "/bank/")
	row, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{log.String(), string(row)} {
		if strings.Contains(text, token[:8]) {
			t.Errorf("it has the token: %s", text)
		}
	}
	if !strings.Contains(log.String(), "not registered") {
		t.Errorf("the log is %s", &log)
	}
}
