package bank_test

import (
	"math"
	"net/http"
	"strings"
	"testing"

	"garoupa/pix"
	"garoupa/pix/psp/bank/control"
)

// What payers and the bank cannot do is refused with a sentence, and moves no money.
func TestControl_Refused(t *testing.T) {
	t.Parallel()
	a := generic(t)
	ctx := t.Context()
	code := a.create(1, "10.00")
	id := a.pay(control.PayRequest{Code: code})[0]
	static := func(key string) string {
		text, err := pix.Encode(pix.Code{Key: key, MerchantName: "LOJA TESTE", MerchantCity: "SAO PAULO"})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	pay := func(r control.PayRequest) error { _, err := a.Control.Pay(ctx, r); return err }
	giveBack := func(id string, amount int64) error {
		_, err := a.Control.Return(ctx, control.ReturnRequest{EndToEndID: id, Amount: amount})
		return err
	}
	contest := func(id string, amount int64) error {
		_, err := a.Control.Dispute(ctx, control.DisputeRequest{EndToEndID: id, Amount: amount})
		return err
	}
	own := static(a.Folder.Account.PixKey)
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"a negative payment":       {pay(control.PayRequest{Code: own, Amount: -1}), "from 0 to 9999999999.99"},
		"an enormous payment":      {pay(control.PayRequest{Code: own, Amount: 1e12}), "from 0 to 9999999999.99"},
		"a payment that overflows": {pay(control.PayRequest{Code: own, Amount: math.MaxInt64}), "from 0 to"},
		"a code without an amount": {pay(control.PayRequest{Code: own}), "names no amount"},
		"the key of another": {pay(control.PayRequest{Code: static("a@b.teste"), Amount: 1}),
			"not the account's"},
		"no code":                 {pay(control.PayRequest{Code: "0002"}), "cannot be read"},
		"a negative return":       {giveBack(id, -1), "R$ 10.00 of this Pix"},
		"an enormous return":      {giveBack(id, math.MaxInt64), "R$ 10.00 of this Pix"},
		"a return of nothing":     {giveBack("E1", 1), "there is no Pix E1"},
		"a negative dispute":      {contest(id, -1), "R$ 10.00 of this Pix"},
		"an enormous dispute":     {contest(id, math.MaxInt64), "R$ 10.00 of this Pix"},
		"a dispute about nothing": {contest("E1", 1), "there is no Pix E1"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v", name, c.err)
		}
	}
	if a.balance() != 1000 {
		t.Errorf("the balance is %d", a.balance())
	}
}

// A dispute ends once, as returned or rejected, with no more than what was contested and is left.
func TestDispute_Close(t *testing.T) {
	t.Parallel()
	a := generic(t)
	id := a.pay(control.PayRequest{Code: a.create(1, "10.00")})[0]
	d, err := a.Control.Dispute(t.Context(), control.DisputeRequest{EndToEndID: id, Amount: 400})
	if err != nil {
		t.Fatal(err)
	}
	refused := func(r control.CloseRequest, want string) {
		t.Helper()
		if _, err := a.Control.CloseDispute(t.Context(), r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	refused(control.CloseRequest{ID: d.ID, Outcome: "RETURNED", Amount: 401}, "R$ 4.00 of this Pix were contested")
	refused(control.CloseRequest{ID: d.ID, Outcome: "RETURNED", Amount: -1}, "can still be returned")
	refused(control.CloseRequest{ID: d.ID, Outcome: "OPEN"}, "RETURNED or REJECTED")
	refused(control.CloseRequest{ID: "inf1", Outcome: "RETURNED"}, "there is no dispute inf1")
	a.must(http.StatusCreated, "PUT", "/pix/"+id+"/devolucao/d1", object{"valor": "7.00"})
	returned := control.CloseRequest{ID: d.ID, Outcome: "RETURNED"} // R$ 3,00 are left of the 4,00
	if _, err := a.Control.CloseDispute(t.Context(), returned); err != nil {
		t.Fatal(err)
	}
	refused(returned, "the dispute is RETURNED")
	if a.balance() != 0 {
		t.Errorf("the balance is %d", a.balance())
	}
	if returns := a.must(http.StatusOK, "GET", "/pix/"+id, nil)["devolucoes"].([]any); len(returns) != 2 ||
		returns[1].(object)["valor"] != "3.00" {
		t.Errorf("the returns are %v", returns)
	}
}

// A part of what was contested can go back, and the rest is free again.
func TestDispute_ClosePart(t *testing.T) {
	t.Parallel()
	a := generic(t)
	l := a.listen(nil)
	a.register(l)
	id := a.pay(control.PayRequest{Code: a.create(1, "10.00")})[0]
	<-l.got
	d, err := a.Control.Dispute(t.Context(), control.DisputeRequest{EndToEndID: id, Amount: 400})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Control.CloseDispute(t.Context(), control.CloseRequest{ID: d.ID, Outcome: "RETURNED",
		Amount: 150}); err != nil {
		t.Fatal(err)
	}
	if n := <-l.got; !strings.Contains(n.body, "MED_FRAUDE") || a.balance() != 850 {
		t.Errorf("the notice is %+v, the balance %d", n, a.balance())
	}
}

// A payout that is not done, or was refused, cannot be given back.
func TestReturn_PayoutInProcess(t *testing.T) {
	t.Parallel()
	a, _ := payer(t)
	_, made := a.payout("p1", "100.01")
	id := made["e2eId"].(string)
	give := func() error {
		_, err := a.Control.Return(t.Context(), control.ReturnRequest{EndToEndID: id})
		return err
	}
	if err := give(); err == nil {
		t.Error("a payout in process was given back")
	}
	wait(t, func() bool { return a.sent("p1")["status"] == "NAO_REALIZADO" })
	if state, err := a.Control.State(t.Context()); err != nil || state.Sent != 0 || give() == nil {
		t.Errorf("a refused payout was given back, or sent: %+v, %v", state, err)
	}
}

// A state counts as returned what has gone back, and not what is in process or was refused.
func TestState_Returned(t *testing.T) {
	t.Parallel()
	a := generic(t)
	id := a.pay(control.PayRequest{Code: a.create(1, "10.00")})[0]
	a.fault(control.Fault{Name: "refuse-return", Times: 1})
	for _, back := range []string{"d1", "d2"} { // the first is refused
		path := "/pix/" + id + "/devolucao/" + back
		a.must(http.StatusCreated, "PUT", path, object{"valor": "2.00"})
		wait(t, func() bool { return a.must(http.StatusOK, "GET", path, nil)["status"] != "EM_PROCESSAMENTO" })
	}
	if state, err := a.Control.State(t.Context()); err != nil || state.Returned != 200 || state.Balance != 800 {
		t.Errorf("the state is %+v, %v", state, err)
	}
}
