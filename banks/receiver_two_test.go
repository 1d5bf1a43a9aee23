package banks_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/models"
	"garoupa/pix/psp/bank/banktest"
)

// An account that another process adds is heard soon, and a bank is not heard for the account at another one.
func TestReceiver_TwoBanks(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	n := h.Receive(t)
	if got := h.Post(t, n.URL+h.Path(t), "{}", h.Certificate(t)); got != 200 { // the accounts are known now
		t.Errorf("the first bank: %d", got)
	}
	second := h.Another(t)
	second.Bank = banktest.Serve(t, "generic")
	id, findings, err := second.Banks.AddHere(t.Context(), bankstest.Account(t, second.Bank))
	if err != nil {
		t.Fatalf("%v: %+v", err, findings)
	}
	second.AccountID = id
	h.Later(time.Second)
	// The listener's certificate is of the first bank's authority: h connects.
	for path, want := range map[string][2]int{h.Path(t): {200, 401}, second.Path(t): {401, 200}} {
		first := h.Post(t, n.URL+path, "{}", h.Certificate(t))
		other := h.Post(t, n.URL+path, "{}", second.Certificate(t))
		if got := [2]int{first, other}; got != want {
			t.Errorf("%.10s: %v, want %v", path, got, want)
		}
	}
	for _, account := range []string{h.AccountID, id} {
		counted, err := models.NoticeCounts(t.Context(), h.DB.Pool, account, time.Now().Add(-2*time.Hour))
		if err != nil || len(counted) != 0 {
			t.Errorf("written before its time: %v, %v", counted, err)
		}
	}
	n.WriteCounts(t.Context())
	for _, account := range []string{h.AccountID, id} {
		counted, err := models.NoticeCounts(t.Context(), h.DB.Pool, account, time.Now().Add(-2*time.Hour))
		if err != nil || counted[models.NoticeUnproven] != 1 {
			t.Errorf("%s: counted %v, %v", account, counted, err)
		}
	}
}

// A stranger is answered although the body never comes.
func TestReceiver_StrangerHangs(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	n := h.Receive(t)
	client := h.Bank.ClientWith(t)
	client.Transport.(*http.Transport).ForceAttemptHTTP2 = false
	body, never := io.Pipe()
	defer never.Close()
	answer, err := client.Post(n.URL+h.Path(t), "application/json", body)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusUnauthorized || !answer.Close {
		t.Errorf("%d, closes %t", answer.StatusCode, answer.Close)
	}
}
