package bank_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/pix/psp/bank/control"
)

// payer returns the software of an account at Efí that has R$ 100.00 and receives notices.
func payer(t *testing.T) (*api, *listener) {
	t.Helper()
	a := at(t, "efi")
	l := a.listen(func(n notice) int {
		if n.proven {
			return http.StatusOK
		}
		return http.StatusUnauthorized
	})
	a.register(l)
	for range 2 {
		<-l.got // the probes
	}
	_, body := a.send(a.request("PUT", a.Base()+"/cob/"+txID(1), encode(t, a.charge("100.00"))))
	a.pay(control.PayRequest{Code: decode(t, body)["pixCopiaECola"].(string)})
	<-l.got
	return a, l
}

func (a *api) payout(id, amount string) (int, object) {
	a.t.Helper()
	status, body := a.send(a.request("PUT", a.URL()+"/v3/gn/pix/"+id, encode(a.t, object{"valor": amount,
		"pagador": object{"chave": a.Folder.Account.PixKey}, "favorecido": object{"chave": "loja@example.com"}})))
	return status, decode(a.t, body)
}

func (a *api) sent(id string) object {
	a.t.Helper()
	return a.must(http.StatusOK, "GET", "/gn/pix/enviados/id-envio/"+id, nil)
}

// A payout is in process, then done and told. Its id cannot be used again, and its receiver can
// give it back in parts.
func TestPayout(t *testing.T) {
	t.Parallel()
	a, l := payer(t)
	status, made := a.payout("p1", "60.00")
	if status != http.StatusCreated || made["status"] != "EM_PROCESSAMENTO" {
		t.Fatalf("the payout is %d %v", status, made)
	}
	wait(t, func() bool { return a.sent("p1")["status"] == "REALIZADO" })
	if n := <-l.got; !strings.Contains(n.body, `"idEnvio":"p1"`) {
		t.Errorf("the notice is %+v", n)
	}
	if status, got := a.payout("p1", "60.00"); status != http.StatusConflict {
		t.Errorf("the id a second time is %d %v", status, got)
	}
	id := made["e2eId"].(string)
	if p := a.must(http.StatusOK, "GET", "/gn/pix/enviados/"+id, nil); p["idEnvio"] != "p1" {
		t.Errorf("by its EndToEndID the payout is %v", p)
	}
	for _, amount := range []int64{2000, 4000} {
		if _, err := a.Control.Return(t.Context(), control.ReturnRequest{EndToEndID: id, Amount: amount}); err != nil {
			t.Fatal(err)
		}
	}
	wait(t, func() bool { return a.balance() == 10000 })
	if returns := a.sent("p1")["devolucoes"].([]any); len(returns) != 2 {
		t.Errorf("the payout's returns are %v", returns)
	}
}

// The payment system refuses more than the account has.
func TestPayout_Refused(t *testing.T) {
	t.Parallel()
	a, _ := payer(t)
	if status, got := a.payout("p1", "100.01"); status != http.StatusCreated {
		t.Fatalf("the payout is %d %v", status, got)
	}
	wait(t, func() bool { p := a.sent("p1"); return p["status"] == "NAO_REALIZADO" && p["motivo"] != nil })
	if a.balance() != 10000 {
		t.Errorf("the balance is %d", a.balance())
	}
}

// The fault "send-unknown" loses the answer and keeps the payout in process until it is cleared.
func TestFault_SendUnknown(t *testing.T) {
	t.Parallel()
	a, _ := payer(t)
	a.fault(control.Fault{Name: "send-unknown"})
	r := a.request("PUT", a.URL()+"/v3/gn/pix/p1", encode(t, object{"valor": "1.00",
		"pagador": object{"chave": a.Folder.Account.PixKey}, "favorecido": object{"chave": "loja@example.com"}}))
	r.GetBody = nil
	if status, body, err := a.try(r); err == nil {
		t.Errorf("the answer is %d %s", status, body)
	}
	a.Clock.Add(time.Minute)
	if p := a.sent("p1"); p["status"] != "EM_PROCESSAMENTO" {
		t.Errorf("the payout is %v", p)
	}
	if err := a.Control.ClearFaults(t.Context()); err != nil {
		t.Fatal(err)
	}
	wait(t, func() bool { return a.sent("p1")["status"] == "REALIZADO" })
}

// A dispute is listed, takes one answer in its time, and no answer afterwards.
func TestDispute_Defend(t *testing.T) {
	t.Parallel()
	a, _ := payer(t)
	state, err := a.Control.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	opened, err := a.Control.Dispute(t.Context(), control.DisputeRequest{EndToEndID: state.Recent[0].ID, Amount: 4000})
	if err != nil {
		t.Fatal(err)
	}
	list := a.must(http.StatusOK, "GET", "/gn/infracoes"+a.day(), nil)["infracoes"].([]any)
	if len(list) != 1 || list[0].(object)["idInfracao"] != opened.ID || list[0].(object)["valor"] != "40.00" {
		t.Errorf("the disputes are %v", list)
	}
	path := "/gn/infracoes/" + opened.ID + "/defesa"
	for _, body := range []object{{"analise": "talvez", "justificativa": "x"}, {"analise": "rejeitado"}} {
		if status, got := a.call("POST", path, body); status != http.StatusBadRequest {
			t.Errorf("%v: %d %v", body, status, got)
		}
	}
	answer := object{"analise": "rejeitado", "justificativa": "Entregue."}
	if d := a.must(http.StatusOK, "POST", path, answer); d["status"] != "em_analise" {
		t.Errorf("the answered dispute is %v", d)
	}
	if status, got := a.call("POST", path, answer); status != http.StatusBadRequest {
		t.Errorf("a second answer is %d %v", status, got)
	}
}
