package bacen_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"garoupa/pix"
	"garoupa/pix/psp"
	"garoupa/pix/psp/bank/control"
)

// An answer that is lost once costs a read, and the charge exists once.
func TestBank_AnswerLost(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"drop-answer", "reset", "500-done", "500-undone"} {
		s := serve(t, "efi")
		s.fault(t, control.Fault{Name: fault, On: "/cob", Times: 1})
		if s.put(t, charge()); s.state(t).Charges != 1 {
			t.Errorf("%s: %d charges", fault, s.state(t).Charges)
		}
	}
}

// If answers are lost for longer, the same charge is asked for later.
func TestBank_AllLost(t *testing.T) {
	t.Parallel()
	s := serve(t, "efi")
	s.fault(t, control.Fault{Name: "drop-answer", On: "/cob"})
	_, err := s.PutCharge(t.Context(), charge())
	kind(t, err, psp.Ambiguous)
	s.heal(t)
	if s.put(t, charge()); s.state(t).Charges != 1 {
		t.Errorf("%d charges", s.state(t).Charges)
	}
}

// A bank that is away is not asked for long.
func TestBank_NoConnection(t *testing.T) {
	t.Parallel()
	s := serve(t, "generic")
	s.put(t, charge())
	s.Bank.Stop()
	for range 3 { // the first may have been written to the old connection
		_, err := s.PutCharge(t.Context(), charge())
		if k := kindOf(err); k != psp.Unavailable && k != psp.Ambiguous {
			t.Errorf("%v", err)
		}
	}
	if s.Health().SilentSince.IsZero() {
		t.Error("the bank is not known to be silent")
	}
	_, err := s.PutCharge(t.Context(), charge())
	kind(t, err, psp.Unavailable)
}

func TestBank_Conflict(t *testing.T) {
	t.Parallel()
	s := serve(t, "efi")
	s.put(t, charge())
	other := charge()
	other.Amount = 1_00
	_, err := s.PutCharge(t.Context(), other)
	if e := kind(t, err, psp.Conflict); !strings.Contains(e.Detail, "37.00") || !strings.Contains(e.Detail, "1.00") {
		t.Errorf("%v", err)
	}
	if _, err := s.RemoveCharge(t.Context(), txID); err != nil {
		t.Fatal(err)
	}
	_, err = s.PutCharge(t.Context(), charge())
	kind(t, err, psp.Conflict)
	fault := serve(t, "generic")
	fault.fault(t, control.Fault{Name: "other-charge", Times: 1})
	_, err = fault.PutCharge(t.Context(), charge())
	kind(t, err, psp.Conflict)
	plain := serve(t, "generic")
	plain.put(t, charge())
	if _, err := plain.RemoveCharge(t.Context(), txID); err != nil {
		t.Fatal(err)
	}
	_, err = plain.PutCharge(t.Context(), charge())
	kind(t, err, psp.Conflict)
}

func TestBank_Violations(t *testing.T) {
	t.Parallel()
	s := serve(t, "generic")
	s.Options.PixKey = "loja@example.com"
	_, err := open(t, s.Options).PutCharge(t.Context(), charge())
	if e := kind(t, err, psp.Invalid); len(e.Violations) != 1 || e.Violations[0].Property != "cob.chave" {
		t.Errorf("%+v", e)
	}
}

func TestBank_Unauthorized(t *testing.T) {
	t.Parallel()
	s := serve(t, "generic")
	s.fault(t, control.Fault{Name: "401", On: "/cob", Times: 1})
	s.put(t, charge())
	s.fault(t, control.Fault{Name: "401", On: "/cob"})
	_, err := s.Charge(t.Context(), txID)
	kind(t, err, psp.Unauthorized)
	s.heal(t)
	s.Options.ClientSecret = "wrong"
	_, err = open(t, s.Options).Charge(t.Context(), txID)
	if kind(t, err, psp.Unauthorized); strings.Contains(err.Error(), "wrong") {
		t.Errorf("the error has the secret: %v", err)
	}
}

func TestBank_ScopeMissing(t *testing.T) {
	t.Parallel()
	s := serve(t, "generic")
	s.fault(t, control.Fault{Name: "fewer-scopes", Value: "cob.write"})
	_, err := s.PutCharge(t.Context(), charge())
	if e := kind(t, err, psp.Forbidden); !strings.Contains(e.Detail, "cob.write") {
		t.Errorf("%v", err)
	}
	_, err = s.Charge(t.Context(), txID)
	kind(t, err, psp.NotFound)
	s = serve(t, "generic")
	s.fault(t, control.Fault{Name: "403", On: "/cob"})
	_, err = s.PutCharge(t.Context(), charge())
	kind(t, err, psp.Forbidden)
}

func TestBank_Limited(t *testing.T) {
	t.Parallel()
	s := serve(t, "generic")
	s.fault(t, control.Fault{Name: "429", On: "/cob", Times: 1})
	before := s.Bank.Clock.Now()
	s.put(t, charge())
	if waited := s.Bank.Clock.Now().Sub(before); waited < 2*time.Second {
		t.Errorf("waited %v", waited)
	}
}

// A charge is not visible at once. What is not found then is not taken for missing.
func TestBank_Lag(t *testing.T) {
	t.Parallel()
	s := serve(t, "generic")
	s.fault(t, control.Fault{Name: "lag", Value: "8s"})
	s.put(t, charge())
	_, err := s.Charge(t.Context(), txID)
	kind(t, err, psp.NotFound)
	s.Bank.Clock.Add(8 * time.Second)
	if state, err := s.Charge(t.Context(), txID); err != nil || state.Status != psp.ChargeActive {
		t.Errorf("%+v, %v", state, err)
	}
}

// No code is handed out that would not pay the charge; the charge can be removed nevertheless.
func TestBank_WrongCode(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"wrong-amount", "bad-crc"} {
		s := serve(t, "generic")
		s.fault(t, control.Fault{Name: fault, On: "/cob"})
		_, err := s.PutCharge(t.Context(), charge())
		kind(t, err, psp.Protocol)
		s.heal(t)
		if state, err := s.RemoveCharge(t.Context(), txID); err != nil || state.Status != psp.ChargeRemoved {
			t.Errorf("%s: %+v, %v", fault, state, err)
		}
	}
}

// A code that is built from the location is one that the bank lets people pay.
func TestBank_NoCode(t *testing.T) {
	t.Parallel()
	s := serve(t, "generic")
	s.fault(t, control.Fault{Name: "no-code", On: "/cob"})
	issued := s.put(t, charge())
	s.pay(t, control.PayRequest{Code: issued.CopyPaste})
	if state, err := s.Charge(t.Context(), txID); err != nil || state.Status != psp.ChargePaid {
		t.Errorf("%+v, %v", state, err)
	}
}

// All money that arrives is in the list, whether or not it fits the charge.
func TestBank_WrongMoney(t *testing.T) {
	t.Parallel()
	s := serve(t, "generic")
	want := map[string]int64{}
	for i, pay := range []control.PayRequest{{Amount: 36_99}, {Amount: 37_01}, {Twice: true}, {NoTxID: true}} {
		c := charge()
		c.TxID = pix.ChargeTxID(fmt.Sprint(i))
		pay.Code = s.put(t, c).CopyPaste
		for _, id := range s.pay(t, pay) {
			if want[id] = pay.Amount; pay.Amount == 0 {
				want[id] = 37_00
			}
		}
	}
	without := 0
	for _, p := range s.today(t) {
		if p.Amount != want[p.EndToEndID] {
			t.Errorf("%+v, want %d", p, want[p.EndToEndID])
		}
		if delete(want, p.EndToEndID); p.TxID == "" {
			without++
		}
	}
	if len(want) > 0 || without != 1 {
		t.Errorf("missing %v; %d without txid", want, without)
	}
}

// Pix that arrive while the pages are read make none of them disappear.
func TestBank_PagesShift(t *testing.T) {
	t.Parallel()
	s := serve(t, "generic")
	s.Options.Profile.PageSize = 2
	s.Client = open(t, s.Options)
	want := map[string]bool{}
	for i := range 5 {
		c := charge()
		c.TxID = pix.ChargeTxID(fmt.Sprint(i))
		want[s.pay(t, control.PayRequest{Code: s.put(t, c).CopyPaste})[0]] = true
	}
	s.fault(t, control.Fault{Name: "shift-pages", Times: 3})
	for _, p := range s.today(t) {
		delete(want, p.EndToEndID)
	}
	if len(want) > 0 {
		t.Errorf("missing %v", want)
	}
}

// Times of a charge are those of the bank's clock, and a window reaches to its now.
func TestBank_ClockOff(t *testing.T) {
	t.Parallel()
	s := serve(t, "generic")
	s.fault(t, control.Fault{Name: "skew", Value: "30s"})
	issued := s.put(t, charge())
	if ahead := issued.CreatedAt.Sub(s.Bank.Clock.Now()); ahead < 28*time.Second || ahead > 31*time.Second {
		t.Errorf("created %v from now", ahead)
	}
	if skew := s.Health().Skew; skew < 28*time.Second || skew > 32*time.Second {
		t.Errorf("skew %v", skew)
	}
	s.pay(t, control.PayRequest{Code: issued.CopyPaste})
	s.Bank.Clock.Add(time.Second) // the bank's clock is known to the second
	if all := s.today(t); len(all) != 1 {
		t.Errorf("%d Pix", len(all))
	}
	for _, f := range s.Check(t.Context()) {
		if f.Check == "clock" && (!f.OK || !strings.Contains(f.Text, "30s")) {
			t.Errorf("%+v", f)
		}
	}
}

func TestBank_UnknownStatus(t *testing.T) {
	t.Parallel()
	s := serve(t, "generic")
	s.put(t, charge())
	s.fault(t, control.Fault{Name: "foreign-status", On: "/cob"})
	state, err := s.Charge(t.Context(), txID)
	if err != nil || state.Status != psp.ChargeUnknown || state.RawStatus != "EM_ANALISE" {
		t.Errorf("%+v, %v", state, err)
	}
}

func TestBank_Returns(t *testing.T) {
	t.Parallel()
	s := serve(t, "generic")
	id := s.pay(t, control.PayRequest{Code: s.put(t, charge()).CopyPaste})[0]
	s.fault(t, control.Fault{Name: "refuse-return", Times: 1})
	if r, err := s.PutReturn(t.Context(), id, "rfd1", 37_00); err != nil || r.Status != psp.TransferProcessing {
		t.Fatalf("%+v, %v", r, err)
	}
	if r := s.ended(t, id, "rfd1"); r.Status != psp.TransferRefused || r.Reason == "" {
		t.Errorf("%+v", r)
	}
	s.fault(t, control.Fault{Name: "drop-answer", On: "/devolucao", Times: 1})
	if r, err := s.PutReturn(t.Context(), id, "rfd2", 37_00); err != nil || r.ID != "rfd2" {
		t.Errorf("%+v, %v", r, err)
	}
	if r := s.ended(t, id, "rfd2"); r.Status != psp.TransferDone {
		t.Errorf("%+v", r)
	}
	if sum := s.state(t).Returned; sum != 37_00 {
		t.Errorf("%d centavos were given back", sum)
	}
	_, err := s.PutReturn(t.Context(), id, "rfd2", 1)
	kind(t, err, psp.Conflict)
	_, err = s.Return(t.Context(), id, "rfd3")
	kind(t, err, psp.NotFound)
}

// A certificate that has ended, on either side, is no connection.
func TestBank_CertificateOver(t *testing.T) {
	t.Parallel()
	s := serve(t, "generic")
	now := s.Bank.Clock.Now()
	certificate, key, err := s.Bank.Folder.Issue(s.Options.ClientID, now.AddDate(-1, 0, 0), now.AddDate(0, 0, -1),
		x509.ExtKeyUsageClientAuth)
	if err != nil {
		t.Fatal(err)
	}
	o := s.Options
	if o.Certificate, err = tls.X509KeyPair(certificate, key); err != nil {
		t.Fatal(err)
	}
	_, err = open(t, o).PutCharge(t.Context(), charge())
	if e := kind(t, err, psp.Unavailable); !strings.Contains(e.Detail, "certificate") {
		t.Errorf("%v", err)
	}
	s.put(t, charge())
	s.fault(t, control.Fault{Name: "expired-cert"})
	_, err = s.Charge(t.Context(), txID)
	kind(t, err, psp.Unavailable)
}

// Whatever fails at random, each charge exists once in the end, and as it was asked for.
func TestBank_Random(t *testing.T) {
	t.Parallel()
	s := serve(t, "generic")
	s.fault(t, control.Fault{Name: "random", Value: "7"})
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			c := charge()
			c.TxID, c.Amount = pix.ChargeTxID(fmt.Sprint("random", i)), int64(1_00+i)
			issued, err := s.PutCharge(t.Context(), c)
			for ; err != nil && t.Context().Err() == nil; issued, err = s.PutCharge(t.Context(), c) {
				if kindOf(err).Refused() {
					t.Errorf("%v", err)
					return
				}
				s.Bank.Clock.Add(time.Second)
			}
			if code, err := pix.Parse(issued.CopyPaste); err != nil || code.Amount != c.Amount {
				t.Errorf("%+v, %v", code, err)
			}
		})
	}
	group.Wait()
	if n := s.state(t).Charges; n != 40 {
		t.Errorf("%d charges", n)
	}
}
