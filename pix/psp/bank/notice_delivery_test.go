package bank_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"garoupa/pix"
	"garoupa/pix/psp/bank/control"
)

// counter is the code of the account's key, which can be paid any number of times.
func (a *api) counter() string {
	a.t.Helper()
	code, err := pix.Encode(pix.Code{Key: a.Folder.Account.PixKey, Amount: 100, TxID: "balcao1",
		MerchantName: "LOJA TESTE", MerchantCity: "SAO PAULO"})
	if err != nil {
		a.t.Fatal(err)
	}
	return code
}

func (a *api) pendingNotices() int {
	a.t.Helper()
	state, err := a.Control.State(a.t.Context())
	if err != nil {
		a.t.Fatal(err)
	}
	return state.Notices
}

// What has waited comes in the order of its arrival, at most 64 payments at a time. Payments that arrive
// together are told together.
func TestNotice_Batches(t *testing.T) {
	t.Parallel()
	a := generic(t)
	release := make(chan struct{})
	l := a.listen(func(notice) int { <-release; return http.StatusOK })
	a.register(l)
	code := a.counter()
	a.pay(control.PayRequest{Code: code})
	var ids []string
	for range 35 {
		ids = append(ids, a.pay(control.PayRequest{Code: code, Twice: true})...)
	}
	close(release)
	first := (<-l.got).ids(t) // the first payment, and perhaps others that came before it was posted
	var told []string
	for len(first)+len(told) < 71 {
		got := (<-l.got).ids(t)
		if told = append(told, got...); len(got) > 64 {
			t.Errorf("%d payments in one body", len(got))
		}
	}
	if !slices.Equal(append(first[1:], told...), ids) {
		t.Errorf("told were %v and %v, paid %v", first, told, ids)
	}
}

// A notice that is never received is posted ten times in all.
func TestNotice_TenTimes(t *testing.T) {
	t.Parallel()
	a := generic(t)
	l := a.listen(func(notice) int { return http.StatusServiceUnavailable })
	a.register(l)
	a.pay(control.PayRequest{Code: a.counter()})
	posts := 0
	wait(t, func() bool {
		select {
		case <-l.got:
			posts++
			a.Clock.Add(time.Minute)
		default:
		}
		return a.pendingNotices() == 0
	})
	if posts += len(l.got); posts != 10 {
		t.Errorf("it was posted %d times", posts)
	}
}

// A redirect is no receipt, and the bank does not follow it.
func TestNotice_Redirected(t *testing.T) {
	t.Parallel()
	a := generic(t)
	l := a.listen(func(notice) int { return http.StatusTemporaryRedirect })
	a.register(l)
	a.pay(control.PayRequest{Code: a.counter()})
	for range 3 {
		if n := <-l.got; n.path != "/aviso/pix" {
			t.Errorf("the notice is %+v", n)
		}
		a.Clock.Add(time.Minute)
	}
}

// What is still to be posted is not posted to an address that was removed.
func TestNotice_Removed(t *testing.T) {
	t.Parallel()
	a := generic(t)
	called, answers := make(chan bool, 2), make(chan int, 2)
	l := a.listen(func(notice) int {
		called <- true
		return <-answers
	})
	a.register(l)
	a.pay(control.PayRequest{Code: a.counter()})
	<-called // the notice is on its way
	a.must(http.StatusNoContent, "DELETE", "/webhook/"+a.Folder.Account.PixKey, nil)
	answers <- http.StatusInternalServerError
	answers <- http.StatusOK // for a second one
	<-l.got
	a.Clock.Add(time.Minute)
	wait(t, func() bool { return a.pendingNotices() == 0 })
	if len(l.got) > 0 {
		t.Errorf("after its removal the address got %+v", <-l.got)
	}
}

// A payment without a TxID is not told, neither when it arrives nor when it is returned.
func TestNotice_NoTxID(t *testing.T) {
	t.Parallel()
	a := generic(t)
	l := a.listen(nil)
	a.register(l)
	without := a.pay(control.PayRequest{Code: a.create(1, "10.00"), NoTxID: true})[0]
	d, err := a.Control.Dispute(t.Context(), control.DisputeRequest{EndToEndID: without, Amount: 100})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Control.CloseDispute(t.Context(), control.CloseRequest{ID: d.ID, Outcome: "RETURNED"}); err != nil {
		t.Fatal(err)
	}
	path := "/pix/" + without + "/devolucao/d1"
	a.must(http.StatusCreated, "PUT", path, object{"valor": "1.00"})
	wait(t, func() bool { return a.must(http.StatusOK, "GET", path, nil)["status"] == "DEVOLVIDO" })
	with := a.pay(control.PayRequest{Code: a.counter()})
	if n := <-l.got; !slices.Equal(n.ids(t), with) {
		t.Errorf("the first notice is %+v", n)
	}
}

// A bank that has ended keeps no connection to the address of its notices.
func TestNotice_Disconnects(t *testing.T) {
	t.Parallel()
	a := generic(t)
	l := a.listen(nil)
	a.register(l)
	a.pay(control.PayRequest{Code: a.counter()})
	<-l.got
	wait(t, func() bool { return a.pendingNotices() == 0 })
	a.Stop()
	<-l.closed
}
