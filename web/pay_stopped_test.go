package web_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

// statuses is what the page of a checkout hears, as it comes.
func (s *site) statuses(t *testing.T, id string) (next func() string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/pay/"+id+"/events", nil)
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
		late := time.AfterFunc(patience, stop)
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

// staff is somebody who may turn switches.
func (s *site) staff(t *testing.T) merchants.Actor {
	t.Helper()
	return merchants.Actor{UserID: s.Staff(t).UserID, IP: "127.0.0.1"}
}

// stop turns a switch of the merchant.
func (s *site) stop(t *testing.T, by merchants.Actor, which models.Switch, on bool) {
	t.Helper()
	if err := s.Merchants.SetSwitch(t.Context(), by, s.Account.ID, merchants.SwitchTurn{Switch: which, On: on, Reason: "Ordem judicial 123."}); err != nil {
		t.Fatal(err)
	}
}

// While its merchant may not charge, a live checkout shows no code, on the page and to
// who watches it; it shows it again afterwards, and money that came meanwhile pays it.
func TestPay_Stopped(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.GoLive(t)
	by := s.staff(t)
	c, _, err := s.CreateCheckout(t.Context(), s.Live, s.Account, paymentstest.Filled(payments.NewCheckout{Amount: 1249_90}))
	if err != nil {
		t.Fatal(err)
	}
	inTest := s.Checkout(t, payments.NewCheckout{})
	buyer, heard := s.client(t), s.statuses(t, c.ID)
	if got := heard(); got != "PENDING" {
		t.Fatalf("heard %s", got)
	}
	for _, which := range []models.Switch{models.SwitchSuspended, models.SwitchLiveBlocked} {
		s.stop(t, by, which, true)
		if got := heard(); got != "STOPPED" {
			t.Fatalf("%s: heard %s", which, got)
		}
		a := buyer.get("/pay/" + c.ID)
		if a.status != http.StatusOK || a.Find("#code, #qr, [data-copy], a[href$='qr.png']").Length() != 0 || strings.Contains(a.body, c.CopyPaste) {
			t.Errorf("%s: %d, and the code is shown", which, a.status)
		}
		if text := a.Text(); a.Find("#state").AttrOr("data-status", "") != "STOPPED" || !strings.Contains(text, "não está recebendo pagamentos agora") ||
			!strings.Contains(text, "Nada foi cobrado. Não pague com um código copiado antes.") || a.Find("a.no-js").Length() != 1 {
			t.Errorf("%s: the page says %q", which, text)
		}
		if a := buyer.get("/pay/" + inTest.ID); a.Find("#code").Length() != 1 {
			t.Errorf("%s: a test checkout shows no code", which)
		}
		s.stop(t, by, which, false)
		if got := heard(); got != "PENDING" {
			t.Fatalf("%s lifted: heard %s", which, got)
		}
		if a := buyer.get("/pay/" + c.ID); a.Find("#code").AttrOr("value", "") != c.CopyPaste {
			t.Errorf("%s lifted: no code", which)
		}
	}
	s.stop(t, by, models.SwitchWithdrawalsBlocked, true)
	if a := buyer.get("/pay/" + c.ID); a.Find("#code").Length() != 1 {
		t.Error("a block of withdrawals takes the code away")
	}

	s.stop(t, by, models.SwitchSuspended, true)
	if got := heard(); got != "STOPPED" {
		t.Fatalf("heard %s", got)
	}
	if err := s.ConfirmPayment(t.Context(), true, simulator.Pay(c.TxID, int64(c.Amount), s.Clock.Now())); err != nil {
		t.Fatal(err)
	}
	if got := heard(); got != "PAID" {
		t.Errorf("paid all the same: heard %s", got)
	}
	if a := buyer.get("/pay/" + c.ID); a.Find("#receipt").Length() != 1 {
		t.Error("paid all the same: no receipt")
	}
	if books, err := s.Balance(t.Context(), s.Account, true); err != nil || books.Gross != c.Amount {
		t.Errorf("booked %+v, %v", books, err)
	}
}
