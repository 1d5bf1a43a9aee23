package bank_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/pix"
	"garoupa/pix/psp/bank"
	"garoupa/pix/psp/bank/control"
)

// A payer can pay more, less, twice, late or without a TxID, if asked to, and otherwise only what
// the charge says.
func TestPay(t *testing.T) {
	t.Parallel()
	a := generic(t)
	read := func(id string) object { return a.must(http.StatusOK, "GET", "/pix/"+id, nil) }

	code := a.create(1, "49.90")
	less := a.pay(control.PayRequest{Code: code, Amount: 100})
	if p := read(less[0]); p["valor"] != "1.00" || p["txid"] != txID(1) || !pix.ValidEndToEndID(less[0]) {
		t.Errorf("less: %v", p)
	}
	if _, err := a.Control.Pay(t.Context(), control.PayRequest{Code: code}); err == nil ||
		!strings.Contains(err.Error(), "paid already") {
		t.Errorf("paying again: %v", err)
	}
	if twice := a.pay(control.PayRequest{Code: a.create(2, "1.00"), Twice: true}); len(twice) != 2 {
		t.Errorf("twice paid %v", twice)
	}
	without := a.pay(control.PayRequest{Code: a.create(3, "1.00"), NoTxID: true})
	if p := read(without[0]); p["txid"] != nil {
		t.Errorf("without a TxID: %v", p)
	}
	if c := a.must(http.StatusOK, "GET", "/cob/"+txID(3), nil); c["status"] != "ATIVA" {
		t.Errorf("the charge of a payment without its TxID is %v", c)
	}

	late := a.create(4, "1.00")
	a.Clock.Add(2 * time.Hour)
	if _, err := a.Control.Pay(t.Context(), control.PayRequest{Code: late}); err == nil ||
		!strings.Contains(err.Error(), "expired") {
		t.Errorf("paying an expired charge: %v", err)
	}
	a.pay(control.PayRequest{Code: late, Late: true})
}

// A code of the account's key can be paid any number of times.
func TestPay_Key(t *testing.T) {
	t.Parallel()
	a := generic(t)
	code, err := pix.Encode(pix.Code{Key: a.Folder.Account.PixKey, Amount: 500, TxID: "balcao1",
		MerchantName: "LOJA TESTE", MerchantCity: "SAO PAULO"})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		ids := a.pay(control.PayRequest{Code: code})
		if p := a.must(http.StatusOK, "GET", "/pix/"+ids[0], nil); p["valor"] != "5.00" || p["txid"] != "balcao1" {
			t.Errorf("the payment is %v", p)
		}
	}
}

// The account's list of payments has filters and pages, the oldest first.
func TestPayment_List(t *testing.T) {
	t.Parallel()
	a := generic(t)
	var ids []string
	for n := range 4 {
		ids = append(ids, a.pay(control.PayRequest{Code: a.create(n, "1.00"), NoTxID: n == 3})...)
	}
	a.must(http.StatusCreated, "PUT", "/pix/"+ids[1]+"/devolucao/d1", object{"valor": "0.40"})
	list := func(query string) string {
		got := a.must(http.StatusOK, "GET", "/pix"+a.day()+query, nil)
		var found []string
		for _, p := range got["pix"].([]any) {
			found = append(found, p.(object)["endToEndId"].(string))
		}
		return strings.Join(found, " ")
	}
	for query, want := range map[string][]string{
		"":                         ids,
		"&txid=" + txID(2):         {ids[2]},
		"&txIdPresente=false":      {ids[3]},
		"&devolucaoPresente=true":  {ids[1]},
		"&devolucaoPresente=false": {ids[0], ids[2], ids[3]},
		"&paginacao.paginaAtual=1&paginacao.itensPorPagina=2": {ids[2], ids[3]},
		"&paginacao.paginaAtual=2&paginacao.itensPorPagina=2": nil,
	} {
		if got := list(query); got != strings.Join(want, " ") {
			t.Errorf("%q: %s, not %v", query, got, want)
		}
	}
	a.refused(http.StatusNotFound, "PixNaoEncontrado", "GET", "/pix/"+pix.NewEndToEndID(bank.ISPB, a.Clock.Now()), nil)
}

// wait calls ready until it reports true. The bank settles and posts by itself.
func wait(t testing.TB, ready func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ready(); {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen within a minute")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// A return is in process at first and then done. Parts add up to no more than the payment, each
// id is used once, and after 90 days it is too late.
func TestReturn(t *testing.T) {
	t.Parallel()
	a := generic(t)
	ids := a.pay(control.PayRequest{Code: a.create(1, "10.00")})
	path := "/pix/" + ids[0] + "/devolucao/"
	first := a.must(http.StatusCreated, "PUT", path+"d1", object{"valor": "4.00", "descricao": "Troca"})
	if first["status"] != "EM_PROCESSAMENTO" || first["natureza"] != "ORIGINAL" || first["descricao"] != "Troca" {
		t.Errorf("the return is %v", first)
	}
	wait(t, func() bool { return a.must(http.StatusOK, "GET", path+"d1", nil)["status"] == "DEVOLVIDO" })
	a.refused(http.StatusBadRequest, "PixDevolucaoInvalida", "PUT", path+"d1", object{"valor": "4.00"})
	a.refused(http.StatusBadRequest, "PixDevolucaoInvalida", "PUT", path+"d2", object{"valor": "6.01"})
	a.refused(http.StatusBadRequest, "PixDevolucaoInvalida", "PUT", path+"d2", object{"valor": "0.00"})
	a.refused(http.StatusNotFound, "PixDevolucaoNaoEncontrada", "GET", path+"d2", nil)
	a.must(http.StatusCreated, "PUT", path+"d2", object{"valor": "5.00"})
	a.Clock.Add(91 * 24 * time.Hour)
	a.authorize()
	a.refused(http.StatusBadRequest, "PixDevolucaoInvalida", "PUT", path+"d3", object{"valor": "1.00"})
	read := a.must(http.StatusOK, "GET", "/pix/"+ids[0], nil)
	if returns := read["devolucoes"].([]any); len(returns) != 2 {
		t.Errorf("the payment's returns are %v", returns)
	}
}

// A return that the payment system refuses leaves the money where it was.
func TestReturn_Refused(t *testing.T) {
	t.Parallel()
	a := generic(t)
	ids := a.pay(control.PayRequest{Code: a.create(1, "10.00")})
	path := "/pix/" + ids[0] + "/devolucao/"
	a.fault(control.Fault{Name: "refuse-return", Times: 1})
	if r := a.must(http.StatusCreated, "PUT", path+"d1", object{"valor": "10.00"}); r["motivo"] != nil {
		t.Errorf("in process it has a reason: %v", r)
	}
	wait(t, func() bool {
		r := a.must(http.StatusOK, "GET", path+"d1", nil)
		return r["status"] == "NAO_REALIZADO" && r["motivo"] != nil
	})
	a.must(http.StatusCreated, "PUT", path+"d2", object{"valor": "10.00"})
}

// A return that is asked for again is refused for its id, or first for its amount.
func TestReturn_AmountFirst(t *testing.T) {
	t.Parallel()
	a := generic(t)
	path := "/pix/" + a.pay(control.PayRequest{Code: a.create(1, "10.00")})[0] + "/devolucao/d1"
	a.must(http.StatusCreated, "PUT", path, object{"valor": "6.00"})
	broken := func(value string) any {
		_, got := a.call("PUT", path, object{"valor": value})
		return got["violacoes"].([]any)[0].(object)["propriedade"]
	}
	if got := broken("6.00"); got != "id" {
		t.Errorf("without the fault the violation is of %v", got)
	}
	a.fault(control.Fault{Name: "amount-first"})
	for value, want := range map[string]string{"6.00": "devolucao.valor", "4.00": "id"} {
		if got := broken(value); got != want {
			t.Errorf("%s: the violation is of %v, want %s", value, got, want)
		}
	}
}

// The account's holder can return a payment in the bank's app.
func TestReturn_InApp(t *testing.T) {
	t.Parallel()
	a := generic(t)
	ids := a.pay(control.PayRequest{Code: a.create(1, "10.00")})
	made, err := a.Control.Return(t.Context(), control.ReturnRequest{EndToEndID: ids[0], Amount: 300})
	if err != nil {
		t.Fatal(err)
	}
	wait(t, func() bool {
		r := a.must(http.StatusOK, "GET", "/pix/"+ids[0]+"/devolucao/"+made.ID, nil)
		return r["status"] == "DEVOLVIDO" && r["valor"] == "3.00"
	})
	if _, err := a.Control.Return(t.Context(), control.ReturnRequest{EndToEndID: ids[0], Amount: 701}); err == nil ||
		!strings.Contains(err.Error(), "7.00") {
		t.Errorf("returning too much: %v", err)
	}
}

// A payer's claim blocks the amount; the bank's decision returns it or frees it.
func TestDispute(t *testing.T) {
	t.Parallel()
	a := generic(t)
	for outcome, want := range map[string]string{"RETURNED": "0.00", "REJECTED": "10.00"} {
		ids := a.pay(control.PayRequest{Code: a.create(len(outcome)*100+int(outcome[2]), "10.00")})
		before := a.balance()
		d, err := a.Control.Dispute(t.Context(), control.DisputeRequest{EndToEndID: ids[0]})
		if err != nil {
			t.Fatal(err)
		}
		if blocked := a.balance(); blocked != before-1000 {
			t.Errorf("the balance was %d, and %d while the dispute is open", before, blocked)
		}
		if _, err := a.Control.Dispute(t.Context(), control.DisputeRequest{EndToEndID: ids[0]}); err == nil {
			t.Error("a second dispute was opened")
		}
		closed := control.CloseRequest{ID: d.ID, Outcome: outcome}
		if _, err := a.Control.CloseDispute(t.Context(), closed); err != nil {
			t.Fatal(err)
		}
		read := fmt.Sprint(a.must(http.StatusOK, "GET", "/pix/"+ids[0], nil)["devolucoes"])
		if returned := strings.Contains(read, "MED_FRAUDE"); returned != (want == "0.00") {
			t.Errorf("%s: the returns are %s", outcome, read)
		}
	}
	if a.balance() != 1000 {
		t.Errorf("at the end the balance is %d", a.balance())
	}
}

func (a *api) balance() int64 {
	a.t.Helper()
	state, err := a.Control.State(a.t.Context())
	if err != nil {
		a.t.Fatal(err)
	}
	return state.Balance
}
