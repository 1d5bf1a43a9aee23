package banks_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/banks"
	"garoupa/banks/bankstest"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/bank/control"
)

// save saves the calls of a process.
func save(t *testing.T, h *bankstest.House) {
	t.Helper()
	if err := h.Banks.SaveCalls(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func state(t *testing.T, h *bankstest.House) models.BankState {
	t.Helper()
	s, err := models.BankStateOf(t.Context(), h.DB.Pool, h.AccountID)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// counted returns the calls of an operation that are saved, by their outcome.
func counted(t *testing.T, h *bankstest.House, operation string) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	for _, outcome := range modelstest.Column[string](t, h.DB,
		"SELECT DISTINCT outcome FROM bank_calls WHERE operation = $1", operation) {
		all[outcome] = modelstest.One[int64](t, h.DB,
			"SELECT sum(n)::bigint FROM bank_calls WHERE operation = $1 AND outcome = $2", operation, outcome)
	}
	return all
}

// read asks the bank for a charge that it does not have.
func read(t *testing.T, h *bankstest.House) error {
	t.Helper()
	bank, err := h.Banks.For(t.Context(), h.AccountID)
	if err != nil {
		t.Fatal(err)
	}
	_, err = bank.Charge(t.Context(), "aaaaaaaaaaaaaaaaaaaaaaaaaa")
	return err
}

// Two processes add their calls, at the same time too, and what is saved is not saved again.
func TestSaveCalls(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	other := h.Another(t)
	for range 3 {
		h.Charge(t, payments.NewCheckout{})
		if err := read(t, other); err == nil {
			t.Error("the bank has the charge")
		}
	}
	var both sync.WaitGroup
	for _, process := range []*bankstest.House{h, other} {
		for range 2 {
			both.Go(func() {
				if err := process.Banks.SaveCalls(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
	}
	both.Wait()
	save(t, h)
	if diff := cmp.Diff(map[string]int64{"ok": 3}, counted(t, h, "put charge")); diff != "" {
		t.Errorf("creations (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int64{"not found": 3}, counted(t, h, "read charge")); diff != "" {
		t.Errorf("looks (-want +got)\n%s", diff)
	}
	if err := read(t, h); err == nil {
		t.Error("the bank has the charge")
	}
	save(t, h)
	if diff := cmp.Diff(map[string]int64{"not found": 4}, counted(t, h, "read charge")); diff != "" {
		t.Errorf("looks (-want +got)\n%s", diff)
	}
	h.Fault(t, control.Fault{Name: "reset", Times: 1})
	_ = read(t, h)
	save(t, h)
	operations, err := models.BankOperations(t.Context(), h.DB.Pool, h.AccountID, h.Bank.Clock.Now().Add(-time.Hour))
	if err != nil || len(operations) != 2 || operations[0].Calls != 6 || operations[0].Failures != 1 ||
		!slices.Equal(operations[0].Kinds, []string{"unavailable"}) || operations[1].Failures != 0 {
		t.Errorf("in sum %+v, %v", operations, err)
	}
	s := state(t, h)
	if s.LastAnswerAt == nil || s.SilentSince != nil || s.LastFailure == "" || s.FailedAt == nil ||
		s.GrantedScopes == nil {
		t.Errorf("the state is %+v", s)
	}
}

// Calls that cannot be saved wait for the next time.
func TestSaveCalls_Later(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	h.Charge(t, payments.NewCheckout{})
	modelstest.Exec(t, h.DB, "ALTER TABLE bank_calls RENAME TO away")
	if err := h.Banks.SaveCalls(t.Context()); err == nil {
		t.Error("saved without a table")
	}
	modelstest.Exec(t, h.DB, "ALTER TABLE away RENAME TO bank_calls")
	h.Charge(t, payments.NewCheckout{})
	save(t, h)
	if got := counted(t, h, "put charge"); got["ok"] != 2 {
		t.Errorf("counted %v", got)
	}
	if n := state(t, h); n.LastAnswerAt == nil {
		t.Errorf("the state is %+v", n)
	}
}

// What proposed credentials meet tells nothing about the account in use.
func TestSaveCalls_Tried(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id, _, err := h.AddHere(t.Context(), h.account(t))
	if err != nil {
		t.Fatal(err)
	}
	in := h.credential(t, time.Hour)
	in.ClientSecret = "another"
	if _, err := h.ProposeCredential(t.Context(), h.eva, id, in); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Check(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if err := h.SaveCalls(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := modelstest.One[int](t, h.DB, "SELECT count(*) FROM bank_states"); n != 0 {
		t.Errorf("%d states", n)
	}
}

// A bank is silent from the first call that it does not answer until the next answer, whichever process
// gets it. Calls that fail at once change nothing.
func TestSilence(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	other := h.Another(t)
	_ = read(t, h)
	h.Later(time.Second)
	_ = read(t, other)
	save(t, h)
	save(t, other)
	h.Fault(t, control.Fault{Name: "reset"})
	h.Later(time.Minute)
	began := h.Bank.Clock.Now()
	for range 4 { // after five calls in a row without an answer none is made any more
		_ = read(t, h)
	}
	save(t, h)
	h.Later(time.Second)
	_ = read(t, h)
	_ = read(t, other)
	save(t, other)
	save(t, h)
	s := state(t, h)
	if s.SilentSince == nil || s.SilentSince.Sub(began).Abs() > time.Second/2 || s.HeldSince == nil {
		t.Errorf("silent since %v, held since %v; it began at %s", s.SilentSince, s.HeldSince, began)
	}
	if held := counted(t, h, "read charge")[models.BankCallHeld]; held == 0 {
		t.Error("no call was held")
	}
	h.Heal(t)
	h.Later(time.Minute)
	_ = read(t, other)
	save(t, other)
	if s := state(t, h); s.SilentSince != nil || s.LastAnswerAt.Before(began) || s.LastFailure == "" {
		t.Errorf("healed, the state is %+v", s)
	}
	save(t, h)
	if s := state(t, h); s.SilentSince != nil {
		t.Errorf("what the first process knew made it silent again: %+v", s)
	}
}

// Supervisors hear once of each silence, when it has lasted for ten minutes.
func TestWarnOfSilence(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	for _, name := range []string{"eva", "rui"} {
		if _, err := h.Merchants.AddStaff(t.Context(), merchants.NewStaff{Name: name, Email: name + "@staff.example",
			Password: paymentstest.Password, Role: models.StaffSupervisor}); err != nil {
			t.Fatal(err)
		}
	}
	const supervisors = 2
	other := h.Another(t)
	told := func(want int) {
		t.Helper()
		var both sync.WaitGroup
		for _, process := range []*bankstest.House{h, other, h} {
			both.Go(func() {
				err := errors.Join(process.Banks.SaveCalls(t.Context()), process.Banks.WarnOfSilence(t.Context()))
				if err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		if n := modelstest.One[int](t, h.DB, "SELECT count(*) FROM mails WHERE kind = 'bank_silent'"); n != want {
			t.Errorf("%d mails, want %d", n, want)
		}
	}
	for silence := range 2 {
		_ = read(t, h)
		h.Later(time.Minute)
		h.Fault(t, control.Fault{Name: "reset"})
		_ = read(t, h)
		told(silence * supervisors)
		h.Later(9 * time.Minute)
		told(silence * supervisors)
		h.Later(2 * time.Minute)
		told((silence + 1) * supervisors)
		h.Later(time.Hour)
		_ = read(t, other)
		told((silence + 1) * supervisors)
		h.Heal(t)
		h.Later(time.Minute)
	}
}

// The health of an account names what is wrong, and what of it is bad.
func TestHealth(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	troubles := func() map[banks.Trouble]bool {
		t.Helper()
		save(t, h)
		all, err := h.Banks.AllHealth(t.Context())
		if err != nil || len(all) != 1 {
			t.Fatalf("%d accounts: %v", len(all), err)
		}
		found := map[banks.Trouble]bool{}
		for i, c := range all[0].Concerns {
			found[c.Trouble] = c.Bad
			if i > 0 && c.Bad && !all[0].Concerns[i-1].Bad {
				t.Errorf("a bad concern stands below: %+v", all[0].Concerns)
			}
		}
		return found
	}
	expect := func(want map[banks.Trouble]bool) {
		t.Helper()
		if diff := cmp.Diff(want, troubles()); diff != "" {
			t.Errorf("the troubles (-want +got)\n%s", diff)
		}
	}
	h.Tend(t)
	expect(map[banks.Trouble]bool{})
	h.Fault(t, control.Fault{Name: "reset", Times: 1})
	_ = read(t, h)
	expect(map[banks.Trouble]bool{}) // one lost answer is a count
	h.Fault(t, control.Fault{Name: "drop-answer", On: "/cob", Times: 3})
	in := paymentstest.Filled(payments.NewCheckout{Amount: 10_00})
	_, _, _ = h.CreateCheckout(t.Context(), h.Live, h.Gateway.Account, in)
	h.Tend(t)
	expect(map[banks.Trouble]bool{banks.Unanswered: false})

	h.Heal(t)
	h.Later(2 * time.Hour)
	h.Sweep(t)
	expect(map[banks.Trouble]bool{})
	h.Fault(t, control.Fault{Name: "reset"})
	h.Later(time.Second)
	_ = read(t, h)
	expect(map[banks.Trouble]bool{banks.Silent: false})
	h.Later(6 * time.Minute)
	expect(map[banks.Trouble]bool{banks.Silent: true, banks.Behind: false})
	h.Heal(t)
	h.Later(time.Minute)
	h.Sweep(t)
	h.Later(2 * time.Hour)
	h.Sweep(t)
	expect(map[banks.Trouble]bool{})
	modelstest.Exec(t, h.DB, "UPDATE bank_states SET skew_ms = -6000, granted_scopes = '{cob.write,pix.read}'")
	found, err := h.Banks.AllHealth(t.Context())
	if err != nil || !found[0].Has(banks.Clock) || !found[0].Has(banks.Scopes) || found[0].Bad() ||
		!slices.Contains(found[0].Missing, "cob.read") {
		t.Errorf("found %+v, %v", found, err)
	}
	modelstest.Exec(t, h.DB, "UPDATE bank_states SET skew_ms = 61000")
	if found, err := h.Banks.AllHealth(t.Context()); err != nil || !found[0].Bad() {
		t.Errorf("found %+v, %v", found, err)
	}
}

// A charge that the bank has otherwise is named with both amounts.
func TestHealth_Odd(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	h.Fault(t, control.Fault{Name: "other-charge", Times: 1})
	in := paymentstest.Filled(payments.NewCheckout{Amount: 10_00})
	_, _, err := h.CreateCheckout(t.Context(), h.Live, h.Gateway.Account, in)
	if err == nil {
		t.Error("the charge was created")
	}
	found, err := h.Banks.AllHealth(t.Context())
	if err != nil || len(found) != 1 || !found[0].Has(banks.Odd) || !found[0].Bad() || len(found[0].Odd) != 1 {
		t.Fatalf("found %+v, %v", found, err)
	}
	if odd := found[0].Odd[0]; odd.Amount != 10_00 || odd.Exists || odd.Failure == "" {
		t.Errorf("the charge is %+v", odd)
	}
	h.Later(8 * 24 * time.Hour)
	if found, err := h.Banks.AllHealth(t.Context()); err != nil || found[0].Has(banks.Odd) {
		t.Errorf("after a week it is found %+v, %v", found, err)
	}
}
