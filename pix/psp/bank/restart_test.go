package bank_test

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"garoupa/pix/psp/bank/control"
)

// A bank that is started again has what it had: charges, payments, returns in process, disputes,
// webhooks and faults. Only its tokens have ended.
func TestRestart(t *testing.T) {
	t.Parallel()
	a := generic(t)
	a.must(http.StatusOK, "PUT", "/webhook/"+a.Folder.Account.PixKey, object{"webhookUrl": "https://localhost:1"})
	ids := a.pay(control.PayRequest{Code: a.create(1, "10.00")})
	a.create(2, "5.00")
	if _, err := a.Control.Dispute(t.Context(), control.DisputeRequest{EndToEndID: ids[0], Amount: 300}); err != nil {
		t.Fatal(err)
	}
	a.fault(control.Fault{Name: "429", On: "/loc", Times: 2})
	a.must(http.StatusCreated, "PUT", "/pix/"+ids[0]+"/devolucao/d1", object{"valor": "1.00"})
	path := "/pix/" + ids[0] + "/devolucao/d1"
	wait(t, func() bool { return a.must(http.StatusOK, "GET", path, nil)["status"] == "DEVOLVIDO" })
	before, err := a.Control.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a.Stop()
	a.Start(t)
	after, err := a.Control.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before.Notices, after.Notices = 0, 0                      // the bank goes on posting them
	before.Base, before.TokenURL = after.Base, after.TokenURL // the port is another
	if diff := cmp.Diff(before, after); diff != "" || after.Received != 1000 || after.Blocked != 300 {
		t.Errorf("before and after the start (-want +got)\n%s", diff)
	}
	a.refused(http.StatusUnauthorized, "AcessoNegado", "GET", "/cob/"+txID(1), nil)
	a.authorize()
	if c := a.must(http.StatusOK, "GET", "/cob/"+txID(2), nil); c["status"] != "ATIVA" {
		t.Errorf("the charge is %v", c)
	}
}

// The bank can remove a charge, which then cannot be paid.
func TestRemove(t *testing.T) {
	t.Parallel()
	a := generic(t)
	code := a.create(1, "1.00")
	if _, err := a.Control.Remove(t.Context(), control.RemoveRequest{TxID: txID(1)}); err != nil {
		t.Fatal(err)
	}
	if c := a.must(http.StatusOK, "GET", "/cob/"+txID(1), nil); c["status"] != "REMOVIDA_PELO_PSP" {
		t.Errorf("the charge is %v", c)
	}
	if _, err := a.Control.Pay(t.Context(), control.PayRequest{Code: code}); err == nil {
		t.Error("a removed charge was paid")
	}
	for _, id := range []string{txID(1), txID(2)} {
		if _, err := a.Control.Remove(t.Context(), control.RemoveRequest{TxID: id}); err == nil {
			t.Errorf("%s was removed", id)
		}
	}
}

// BenchmarkCharge measures how many charges a second the bank creates for clients that share
// connections, each on the disk before its answer.
func BenchmarkCharge(b *testing.B) {
	a := generic(b)
	a.router = nil
	body := encode(b, a.charge("1.00"))
	var n atomic.Int64
	b.SetParallelism(16)
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			status, got, err := a.try(a.request("PUT", a.Base()+"/cob/"+txID(int(n.Add(1))), body))
			if err != nil || status != http.StatusCreated {
				b.Errorf("%d %s, %v", status, got, err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "charges/s")
}
