package banks_test

import (
	"testing"
	"time"

	"garoupa/banks"
	"garoupa/models/modelstest"
)

// Supervisors hear of the end of a certificate 30 days, 7 days and a day before, once each time, and of
// no certificate that is not in use.
func TestWarnOfExpiry(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	in := h.account(t)
	in.Credential = h.credential(t, 40*24*time.Hour)
	id, _, err := h.AddHere(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.ProposeCredential(t.Context(), h.eva, id, h.credential(t, 20*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, step := range []struct {
		days  int // that have gone by
		mails int // that two supervisors get then, together
	}{{0, 0}, {9, 0}, {11, 2}, {32, 0}, {34, 2}, {39, 2}, {41, 0}} {
		o := h.Service.Options
		o.Now = func() time.Time { return time.Now().Add(time.Duration(step.days) * 24 * time.Hour) }
		later := banks.New(o)
		for range 2 { // the second time changes nothing
			if err := later.WarnOfExpiry(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		told += step.mails
		if n := modelstest.One[int](t, h.DB,
			"SELECT count(*) FROM mails WHERE kind = 'bank_certificate_ends'"); n != told {
			t.Errorf("after %d days there are %d mails, not %d", step.days, n, told)
		}
	}
}
