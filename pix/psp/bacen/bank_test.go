package bacen_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"garoupa/pix"
	"garoupa/pix/psp"
	"garoupa/pix/psp/bacen"
	"garoupa/pix/psp/bank/banktest"
	"garoupa/pix/psp/bank/control"
)

// served is a bank with a client of its account. The client's waits move the bank's clock.
type served struct {
	*bacen.Client
	Bank    *banktest.Bank
	Options bacen.Options
}

func serve(t *testing.T, name string) *served {
	t.Helper()
	b := banktest.Serve(t, name)
	certificate, err := b.Folder.Client()
	if err != nil {
		t.Fatal(err)
	}
	authorities, err := b.Folder.Authorities()
	if err != nil {
		t.Fatal(err)
	}
	account := b.Folder.Account
	s := &served{Bank: b, Options: bacen.Options{
		Profile: profile(t, name), BaseURL: b.Base(), TokenURL: b.TokenURL(), Certificate: certificate,
		Roots: authorities, ClientID: account.ClientID, ClientSecret: account.ClientSecret, PixKey: account.PixKey,
		AllowTestBank: true, HolderName: account.HolderName, Now: b.Clock.Now,
		Values: map[string]string{"app_key": "app", "conta": "1"},
		Wait: func(ctx context.Context, d time.Duration) error {
			b.Clock.Add(d)
			return ctx.Err()
		},
	}}
	if name == "sicredi" {
		s.Options.BaseURL = strings.TrimSuffix(b.Base(), "/v2")
	}
	s.Client = open(t, s.Options)
	return s
}

// fault makes the bank fail.
func (s *served) fault(t *testing.T, f control.Fault) {
	t.Helper()
	if err := s.Bank.Control.SetFault(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

func (s *served) heal(t *testing.T) {
	t.Helper()
	if err := s.Bank.Control.ClearFaults(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (s *served) state(t *testing.T) control.State {
	t.Helper()
	state, err := s.Bank.Control.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func (s *served) put(t *testing.T, c psp.Charge) psp.Issued {
	t.Helper()
	issued, err := s.PutCharge(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return issued
}

func (s *served) pay(t *testing.T, r control.PayRequest) (endToEndIDs []string) {
	t.Helper()
	paid, err := s.Bank.Control.Pay(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return paid.EndToEndIDs
}

// today reads all Pix of the last hour.
func (s *served) today(t *testing.T) []psp.Payment {
	t.Helper()
	all, settled, err := psp.AllPayments(t.Context(), s, psp.Window{From: s.Bank.Clock.Now().Add(-time.Hour)})
	if err != nil || !settled {
		t.Fatalf("settled %v: %v", settled, err)
	}
	return all
}

// ended reads a return until the bank has finished it.
func (s *served) ended(t *testing.T, endToEndID, id string) psp.Return {
	t.Helper()
	s.Bank.Clock.Add(2 * time.Second)
	for {
		r, err := s.Return(t.Context(), endToEndID, id)
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != psp.TransferProcessing {
			return r
		}
	}
}

// The whole way of a charge, at each bank that the test bank can imitate.
func TestBank_Profiles(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"generic", "efi", "inter", "bb", "itau", "santander", "bradesco", "sicoob", "sicredi",
		"c6"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, name)
			issued := s.put(t, charge())
			if code, err := pix.Parse(issued.CopyPaste); err != nil || code.Location == "" {
				t.Errorf("code %+v, %v", code, err)
			}
			if left := issued.PayableUntil.Sub(s.Bank.Clock.Now()); left < 59*time.Minute || left > time.Hour {
				t.Errorf("payable for %v", left)
			}
			if again := s.put(t, charge()); again.CopyPaste != issued.CopyPaste {
				t.Errorf("the same charge again has another code: %s", again.CopyPaste)
			}
			id := s.pay(t, control.PayRequest{Code: issued.CopyPaste})[0]
			state, err := s.Charge(t.Context(), txID)
			if err != nil || state.Status != psp.ChargePaid || len(state.Payments) != 1 {
				t.Fatalf("%+v, %v", state, err)
			}
			payment, err := s.Payment(t.Context(), id)
			if err != nil || payment.Amount != 37_00 || payment.TxID != txID || payment.Key != s.Options.PixKey {
				t.Errorf("%+v, %v", payment, err)
			}
			if all := s.today(t); len(all) != 1 || all[0].EndToEndID != id {
				t.Errorf("list %+v", all)
			}
			returns(t, s, id)
			if removed, err := s.RemoveCharge(t.Context(), txID); err != nil || removed.Status != psp.ChargePaid {
				t.Errorf("removal of a paid charge: %+v, %v", removed, err)
			}
			other := charge()
			other.TxID = pix.ChargeTxID("other")
			s.put(t, other)
			removed, err := s.RemoveCharge(t.Context(), other.TxID)
			if err != nil || removed.Status != psp.ChargeRemoved {
				t.Errorf("removal: %+v, %v", removed, err)
			}
		})
	}
}

// returns gives a part of a Pix back and waits for its end.
func returns(t *testing.T, s *served, endToEndID string) {
	t.Helper()
	for range 2 { // the second changes nothing
		r, err := s.PutReturn(t.Context(), endToEndID, "rfd1", 7_00)
		if err != nil || r.Status != psp.TransferProcessing || r.Amount != 7_00 {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if r := s.ended(t, endToEndID, "rfd1"); r.Status != psp.TransferDone || r.EndedAt.IsZero() || r.Disputed() {
		t.Errorf("%+v", r)
	}
	all, err := s.Payments(t.Context(), psp.Window{From: s.Bank.Clock.Now().Add(-time.Hour), Returned: true}, 0)
	if err != nil || len(all.Payments) != 1 || len(all.Payments[0].Returns) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	if sum := s.state(t).Returned; sum != 7_00 {
		t.Errorf("%d centavos were given back", sum)
	}
	if _, err := s.PutReturn(t.Context(), endToEndID, "rfd2", 30_01); err == nil {
		t.Error("more than the Pix was given back")
	} else {
		kind(t, err, psp.Invalid)
	}
}

func TestBank_Check(t *testing.T) {
	t.Parallel()
	s := serve(t, "sicredi")
	s.Options.Profile.Scopes = append(s.Options.Profile.Scopes, "payloadlocation.read")
	got := findings(open(t, s.Options).Check(t.Context()))
	if !strings.Contains(got["scopes"], "payloadlocation.read") || got["key"] != "ok" || got["clock"] != "ok" {
		t.Errorf("%v", got)
	}
	if f := s.CheckCharge(t.Context()); !f.OK || s.state(t).Active != 0 || s.state(t).Removed != 1 {
		t.Errorf("%+v, %+v", f, s.state(t))
	}
	s.Options.PixKey = "loja@example.com"
	if got := findings(open(t, s.Options).Check(t.Context())); got["key"] == "ok" && got["notices"] != "ok" {
		t.Errorf("another key: %v", got)
	}
}

// hourly pays a Pix each hour, from the bank's time on, and returns their ids.
func (s *served) hourly(t *testing.T, hours int) (ids []string) {
	t.Helper()
	for i := range hours {
		c := charge()
		c.TxID = pix.ChargeTxID("hour " + strconv.Itoa(i))
		ids = append(ids, s.pay(t, control.PayRequest{Code: s.put(t, c).CopyPaste})[0])
		s.Bank.Clock.Add(time.Hour)
	}
	return ids
}

// A window that is longer than the bank's is read in parts, whether or not they divide it: each Pix comes once.
func TestAllPayments_LongWindow(t *testing.T) {
	t.Parallel()
	for _, hours := range []int{1, 5, 12, 24} {
		s := serve(t, "generic")
		s.Options.Profile.MaxWindow = hours
		s.Options.Profile.PageSize = 2
		client := open(t, s.Options)
		from := s.Bank.Clock.Now()
		ids := s.hourly(t, 24)
		for name, w := range map[string]psp.Window{
			"until now":     {From: from},
			"a full day":    {From: from, Until: from.Add(24 * time.Hour)},
			"a minute more": {From: from, Until: from.Add(24*time.Hour + time.Minute)},
		} {
			all, settled, err := psp.AllPayments(t.Context(), client.Bank(), w)
			if err != nil || !settled {
				t.Errorf("%d hours, %s: settled %t, %v", hours, name, settled, err)
			}
			var got []string
			for _, p := range all {
				got = append(got, p.EndToEndID)
			}
			if !slices.Equal(got, ids) {
				t.Errorf("%d hours, %s: %d Pix of %d: %s", hours, name, len(got), len(ids), got)
			}
		}
	}
}

// A Pix at the time where two parts meet is listed by both, and comes once.
func TestAllPayments_WhereTwoPartsMeet(t *testing.T) {
	t.Parallel()
	s := serve(t, "generic")
	s.Options.Profile.MaxWindow = 12
	id := s.hourly(t, 1)[0]
	paid, err := s.Payment(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	s.Bank.Clock.Add(12 * time.Hour)
	w := psp.Window{From: paid.PaidAt.Add(-12 * time.Hour), Until: paid.PaidAt.Add(11 * time.Hour)}
	all, settled, err := psp.AllPayments(t.Context(), open(t, s.Options).Bank(), w)
	if err != nil || !settled || len(all) != 1 || all[0].EndToEndID != id {
		t.Errorf("%+v, settled %t, %v", all, settled, err)
	}
}
