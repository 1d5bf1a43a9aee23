package jobs

import (
	"context"
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/pix/psp"
)

// Two processes that call one bank stay below its limit together: what one of them uses is missing in the
// other's bucket.
func TestShareLimits_Bank(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	other := h.Another(t)
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	one := &sharing{db: h.DB, self: "a", limiters: h.Banks.Limits}
	two := &sharing{db: h.DB, self: "b", limiters: other.Banks.Limits}
	read := func(h *bankstest.House) {
		t.Helper()
		bank, err := h.Banks.For(t.Context(), h.AccountID)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := psp.AllPayments(t.Context(), bank, psp.Window{From: bank.Now().Add(-time.Hour)}); err != nil {
			t.Fatal(err)
		}
	}
	read(h)
	read(other)                                      // both clients exist from now on
	if err := one.publish(t.Context()); err != nil { // what was used until now
		t.Fatal(err)
	}
	h.Later(time.Hour) // the buckets are full again
	now := h.Bank.Clock.Now()
	ready, heard := make(chan struct{}), make(chan struct{}, 10)
	two.listen(ctx, func() { close(ready) }, func(payload string) {
		two.hear(payload, now)
		heard <- struct{}{}
	})
	<-ready
	reads := two.limiters()[h.AccountID+"/reads"]
	for range 50 {
		read(h)
	}
	if err := one.publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-heard
	if left := reads.Take("", now).Remaining; left != 69 { // of 120, fifty and this one are used
		t.Errorf("the other process has %d reads left", left)
	}
}
