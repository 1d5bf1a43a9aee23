package hosted_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
	"garoupa/web/webtest"
)

// statuses is what the page of a checkout hears, as it comes.
func statuses(t *testing.T, s *webtest.Site, id string) (next func() string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/pay/"+id+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	lines, last := bufio.NewScanner(answer.Body), ""
	return func() string { // the next that is not the one before
		t.Helper()
		late := time.AfterFunc(webtest.Patience, stop)
		defer late.Stop()
		for lines.Scan() {
			if status, ok := strings.CutPrefix(lines.Text(), "data: "); ok && status != last {
				last = status
				return status
			}
		}
		t.Fatalf("the stream ended after %q: %v", last, lines.Err())
		return ""
	}
}

// While its merchant may not charge, a live checkout shows no code, on the page and to
// who watches it; it shows it again afterwards, and money that came meanwhile pays it.
func TestPay_Stopped(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	by := s.Staff(t)
	c, _, err := s.CreateCheckout(t.Context(), s.Live, s.Account,
		paymentstest.Filled(payments.NewCheckout{Amount: 1249_90}))
	if err != nil {
		t.Fatal(err)
	}
	inTest := s.Checkout(t, payments.NewCheckout{})
	buyer, heard := s.Client(t), statuses(t, s, c.ID)
	if got := heard(); got != "PENDING" {
		t.Fatalf("heard %s", got)
	}
	for _, which := range []models.Switch{models.SwitchSuspended, models.SwitchLiveBlocked} {
		s.TurnSwitch(t, by, which, true)
		if got := heard(); got != "STOPPED" {
			t.Fatalf("%s: heard %s", which, got)
		}
		a := buyer.Get("/pay/" + c.ID)
		if a.Status != http.StatusOK || a.Find("#code, #qr, [data-copy], a[href$='qr.png']").Length() != 0 ||
			strings.Contains(a.Body, c.CopyPaste) {
			t.Errorf("%s: %d, and the code is shown", which, a.Status)
		}
		if text := a.Text(); a.Find("#state").AttrOr("data-status", "") != "STOPPED" ||
			!strings.Contains(text, "não está recebendo pagamentos agora") ||
			!strings.Contains(text, "Nada foi cobrado. Não pague com um código copiado antes.") ||
			a.Find("a.no-js").Length() != 1 {
			t.Errorf("%s: the page says %q", which, text)
		}
		if a := buyer.Get("/pay/" + inTest.ID); a.Find("#code").Length() != 1 {
			t.Errorf("%s: a test checkout shows no code", which)
		}
		s.TurnSwitch(t, by, which, false)
		if got := heard(); got != "PENDING" {
			t.Fatalf("%s lifted: heard %s", which, got)
		}
		if a := buyer.Get("/pay/" + c.ID); a.Find("#code").AttrOr("value", "") != c.CopyPaste {
			t.Errorf("%s lifted: no code", which)
		}
	}
	s.TurnSwitch(t, by, models.SwitchWithdrawalsBlocked, true)
	if a := buyer.Get("/pay/" + c.ID); a.Find("#code").Length() != 1 {
		t.Error("a block of withdrawals takes the code away")
	}

	s.TurnSwitch(t, by, models.SwitchSuspended, true)
	if got := heard(); got != "STOPPED" {
		t.Fatalf("heard %s", got)
	}
	if err := s.ConfirmPayment(t.Context(), models.Live,
		simulator.Pay(c.TxID, int64(c.Amount), s.Clock.Now())); err != nil {
		t.Fatal(err)
	}
	if got := heard(); got != "PAID" {
		t.Errorf("paid all the same: heard %s", got)
	}
	if a := buyer.Get("/pay/" + c.ID); a.Find("#receipt").Length() != 1 {
		t.Error("paid all the same: no receipt")
	}
	if books, err := s.Balance(t.Context(), s.Account, models.Live); err != nil || books.Gross != c.Amount {
		t.Errorf("booked %+v, %v", books, err)
	}
}
