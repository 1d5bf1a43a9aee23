package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/models/modelstest"
	"garoupa/pix/psp/bank/control"
)

// liveCheckout is what a backend reads of a checkout.
type liveCheckout struct {
	ID, Status string
	Pix        struct{ CopyPaste string }
}

// liveProgram returns the program with a bank account at a served bank as the institution of live.
func liveProgram(t *testing.T) (*program, *servedBank) {
	t.Helper()
	b := newServedBank(t)
	b.start()
	p := newProgramOver(t, "DATABASE_URL="+modelstest.NewURL(t), "GAROUPA_DEMO=true", "GAROUPA_LIVE_PROVIDER=bank")
	if out := p.run("bank", "add", b.dir); !strings.Contains(out, "Added and active: bnk_") {
		t.Fatalf("add says %s", out)
	}
	return p, b
}

// read returns a checkout as the API answers it.
func (p *program) read(key, id string) (c liveCheckout) {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.url+"/v1/checkouts/"+id, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	answer, err := p.client.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil {
		err = json.Unmarshal(body, &c)
	}
	if err != nil || answer.StatusCode != http.StatusOK {
		p.t.Fatalf("%s: %d %s %v", id, answer.StatusCode, body, err)
	}
	return c
}

// becomes reads a checkout until it has a status.
func (p *program) becomes(key, id, status string) {
	p.t.Helper()
	for deadline := time.Now().Add(patience); p.read(key, id).Status != status; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("%s is %s, not %s", id, p.read(key, id).Status, status)
		}
	}
}

// The program is killed (SIGKILL) while clients create charges at the bank. Each key has one checkout
// afterwards, with one charge that can be paid at the bank, and the payment of each is recorded.
func TestBank_LiveKill(t *testing.T) {
	t.Parallel()
	p, b := liveProgram(t)
	key := p.demo().Keys.Live
	told := map[string]string{}
	for round, answers := range []int{2, 9, 20} {
		maps.Copy(told, p.killAfter(answers, key, fmt.Sprintf("round-%d", round)))
	}
	p.serve()
	bank := control.Dial(b.folder.Socket())
	ids := map[string]bool{}
	for idempotencyKey, id := range told {
		status, again := p.create(key, idempotencyKey)
		if id != "" && again != id || status != http.StatusOK && status != http.StatusCreated {
			t.Errorf("%s created %q; after the kill it is %d %s", idempotencyKey, id, status, again)
			continue
		}
		ids[again] = true
		if _, err := bank.Pay(t.Context(), control.PayRequest{Code: p.read(key, again).Pix.CopyPaste}); err != nil {
			t.Errorf("%s cannot be paid: %v", again, err)
		}
	}
	for id := range ids {
		p.becomes(key, id, "PAID")
	}
	state, err := bank.State(t.Context())
	if err != nil || len(ids) != len(told) || state.Paid != len(told) || state.Charges != len(told) {
		t.Errorf("%d keys have %d checkouts; the bank has %d charges, %d paid, %v", len(told), len(ids), state.Charges,
			state.Paid, err)
	}
	if out := p.run("check"); !strings.Contains(out, "books      ok") {
		t.Errorf("check says %s", out)
	}
}
