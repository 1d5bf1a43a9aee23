package bank_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"garoupa/pix/psp/bank/control"
)

// atOnce calls n functions at the same time and returns how many reported true.
func atOnce(n int, act func(i int) bool) (succeeded int) {
	begin := make(chan struct{})
	results := make(chan bool, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-begin
			results <- act(i)
		})
	}
	close(begin)
	all.Wait()
	close(results)
	for ok := range results {
		if ok {
			succeeded++
		}
	}
	return succeeded
}

// status is call for goroutines: it returns only the status, or 0 if there is no answer.
func (a *api) status(method, path string, body object) int {
	status, text, err := a.try(a.request(method, a.Base()+path, encode(a.t, body)))
	if err != nil {
		a.t.Errorf("%s %s: %s, %v", method, path, text, err)
	}
	return status
}

// Payers who pay the same code at the same time pay it once.
func TestPay_AtOnce(t *testing.T) {
	t.Parallel()
	a := generic(t)
	for n := range 5 {
		code := a.create(n, "1.00")
		if paid := atOnce(8, func(int) bool {
			_, err := a.Control.Pay(t.Context(), control.PayRequest{Code: code})
			return err == nil
		}); paid != 1 {
			t.Errorf("the charge was paid %d times", paid)
		}
	}
	if a.balance() != 500 {
		t.Errorf("the balance is %d", a.balance())
	}
}

// A charge that is paid and removed at the same time is either paid or removed.
func TestPay_CrossesRemoval(t *testing.T) {
	t.Parallel()
	a := generic(t)
	var want int64
	for n := range 20 {
		code := a.create(n, "1.00")
		paid := false
		done := atOnce(2, func(i int) (ok bool) {
			if i == 0 {
				_, err := a.Control.Pay(t.Context(), control.PayRequest{Code: code})
				paid = err == nil
				return paid
			}
			removal := object{"status": "REMOVIDA_PELO_USUARIO_RECEBEDOR"}
			return a.status("PATCH", "/cob/"+txID(n), removal) == http.StatusOK
		})
		status := "REMOVIDA_PELO_USUARIO_RECEBEDOR"
		if paid {
			status = "CONCLUIDA"
			want += 100
		}
		if c := a.must(http.StatusOK, "GET", "/cob/"+txID(n), nil); done != 1 || c["status"] != status ||
			(c["pix"] != nil) != paid {
			t.Errorf("%d succeeded, paid: %t, the charge is %v", done, paid, c)
		}
	}
	if a.balance() != want {
		t.Errorf("the balance is %d, not %d", a.balance(), want)
	}
}

// Each answer about a charge has its payment and its status of the same moment.
func TestCharge_ReadWhilePaid(t *testing.T) {
	t.Parallel()
	a := generic(t)
	for n := range 20 {
		code := a.create(n, "1.00")
		atOnce(6, func(i int) bool {
			switch i {
			case 0:
				_, err := a.Control.Pay(t.Context(), control.PayRequest{Code: code})
				return err == nil
			case 1:
				return a.status("POST", "/cob", a.charge("1.00")) == http.StatusCreated // all wait for the disk
			}
			for _, method := range []string{"PUT", "GET", "PUT", "GET", "PUT"} {
				r := a.request(method, a.Base()+"/cob/"+txID(n), encode(t, a.charge("1.00")))
				status, body, err := a.try(r)
				c := decode(t, body)
				if err != nil || status < 300 && (c["status"] == "CONCLUIDA") != (c["pix"] != nil) {
					t.Errorf("the charge is %v, %v", c, err)
				}
			}
			return true
		})
	}
}

// Changes of a charge at the same time make one revision each, and each answer tells its own.
func TestCharge_PutAtOnce(t *testing.T) {
	t.Parallel()
	a := generic(t)
	const n = 8
	var told [n]string // the amount of each revision
	var mu sync.Mutex
	atOnce(n, func(i int) bool {
		charge := encode(t, a.charge(fmt.Sprintf("%d.00", i+1)))
		_, body, err := a.try(a.request("PUT", a.Base()+"/cob/"+txID(1), charge))
		if err != nil {
			t.Error(err)
			return false
		}
		c := decode(t, body)
		mu.Lock()
		defer mu.Unlock()
		told[int(c["revisao"].(float64))] = c["valor"].(object)["original"].(string)
		return true
	})
	for revision, amount := range told {
		c := a.must(http.StatusOK, "GET", fmt.Sprintf("/cob/%s?revisao=%d", txID(1), revision), nil)
		if got := c["valor"].(object)["original"]; got != amount {
			t.Errorf("revision %d was told as %q and is %v", revision, amount, got)
		}
	}
}

// Returns at the same time add up to no more than the payment.
func TestReturn_AtOnce(t *testing.T) {
	t.Parallel()
	a := generic(t)
	ids := a.pay(control.PayRequest{Code: a.create(1, "10.00")})
	if made := atOnce(9, func(i int) bool {
		if i%2 == 0 {
			_, err := a.Control.Return(t.Context(), control.ReturnRequest{EndToEndID: ids[0], Amount: 300})
			return err == nil
		}
		path := fmt.Sprintf("/pix/%s/devolucao/d%d", ids[0], i)
		return a.status("PUT", path, object{"valor": "3.00"}) == http.StatusCreated
	}); made != 3 {
		t.Errorf("%d returns of R$ 3,00 were made of R$ 10,00", made)
	}
}

// Payouts at the same time add up to no more than the balance.
func TestPayout_AtOnce(t *testing.T) {
	t.Parallel()
	a, _ := payer(t)
	if taken := atOnce(8, func(i int) bool {
		status, _ := a.payout(fmt.Sprintf("p%d", i), "30.00")
		return status == http.StatusCreated
	}); taken != 8 {
		t.Errorf("%d payouts were taken", taken)
	}
	done := 0
	for i := range 8 {
		var status any
		wait(t, func() bool {
			status = a.sent(fmt.Sprintf("p%d", i))["status"]
			return status != "EM_PROCESSAMENTO"
		})
		if status == "REALIZADO" {
			done++
		}
	}
	if done != 3 || a.balance() != 1000 {
		t.Errorf("%d payouts are done, the balance is %d", done, a.balance())
	}
}
