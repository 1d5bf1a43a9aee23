//go:build soak

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"garoupa/internal/refusal"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/pix/psp/bank/control"
)

const (
	soakClients  = 24
	soakRefunds  = 4   // clients that refund
	soakAmount   = 499 // centavos less than a charge, of a Pix that pays too little
	soakPart     = 1000
	soakSettling = 15 * time.Minute // how long the end may take
	// soakLimits lets the program make as many calls as it can. One call in 35 costs a token.
	soakLimits = `{"generic": {"reads_per_minute": 60000, "writes_per_minute": 60000, "tokens_per_minute": 6000}}`
)

// soak is a run: clients create live charges, pay, cancel and refund them, while calls to the bank fail at
// random and either process is killed (SIGKILL) in turn.
type soak struct {
	*house
	charges int
	seed    string
	every   time.Duration // between kills

	next    atomic.Int64 // the charge that is created next
	refunds chan string  // ids of checkouts
	kills   [2]int       // of the program and of the bank

	mu      sync.Mutex
	answers map[int]int // answers other than a success by status, 0 without one
	deeds   map[string]int
}

// GAROUPA_SOAK_CHARGES, _KILL_EVERY and _SEED change the run; make soak writes docs/reliability.md.
func TestBank_Soak(t *testing.T) {
	s := &soak{charges: 20_000, seed: "14", every: time.Minute, refunds: make(chan string, 1<<16),
		answers: map[int]int{}, deeds: map[string]int{}}
	var err error
	if text := os.Getenv("GAROUPA_SOAK_CHARGES"); text != "" {
		if s.charges, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	if text := os.Getenv("GAROUPA_SOAK_KILL_EVERY"); text != "" {
		if s.every, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	if text := os.Getenv("GAROUPA_SOAK_SEED"); text != "" {
		s.seed = text
	}
	profiles := filepath.Join(t.TempDir(), "profiles.json")
	if err := os.WriteFile(profiles, []byte(soakLimits), 0o600); err != nil {
		t.Fatal(err)
	}
	s.house = newHouseAt(t, "generic", "GAROUPA_BANK_PROFILES="+profiles)
	s.mayRefund()
	// Requests for tokens are left out: a refused one keeps the program from the bank for a minute.
	s.fault(control.Fault{Name: "random", Value: s.seed, On: "/v2/"})
	begun := time.Now()
	s.run()
	took := time.Since(begun)
	s.settled()
	s.report(took, s.verdict())
}

// run lets the clients work, and kills, until all charges are done.
func (s *soak) run() {
	s.t.Helper()
	var clients, refunders sync.WaitGroup
	for range soakClients {
		clients.Go(func() {
			for i := int(s.next.Add(1)); i <= s.charges; i = int(s.next.Add(1)) {
				s.work(i)
			}
		})
	}
	for range soakRefunds {
		refunders.Go(func() {
			for id := range s.refunds {
				s.giveBack(id)
			}
		})
	}
	done := make(chan struct{})
	go func() {
		clients.Wait()
		close(s.refunds)
		refunders.Wait()
		close(done)
	}()
	for turn := 0; ; turn++ {
		select {
		case <-done:
			return
		case <-time.After(s.every):
			if s.kills[turn%2]++; turn%2 == 0 {
				s.kill(s.process)
				s.process = s.serve()
			} else {
				s.bank.kill()
				s.bank.start()
			}
			s.t.Logf("%d of %d charges, %v", s.next.Load(), s.charges, s.counted())
		}
	}
}

// work creates the charge of a number, and does with it what the number says.
func (s *soak) work(i int) {
	c := s.make(fmt.Sprintf("soak-%d", i))
	switch deed := i % 8; deed {
	case 0, 1, 2, 3:
		s.buy(c, 0)
		if deed == 3 {
			s.refunds <- c.ID
		}
	case 4:
		s.call(c)
	case 5: // both at the same time
		var both sync.WaitGroup
		both.Go(func() { s.buy(c, 0) })
		s.call(c)
		both.Wait()
	case 6:
		s.buy(c, 4990-soakAmount)
	}
}

func (s *soak) did(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deeds[what]++
}

func (s *soak) counted() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprint(s.deeds, s.answers)
}

// ask makes a request and returns its status, 0 without a complete answer.
func (s *soak) ask(method, path, body, idempotencyKey string) (status int, answer []byte) {
	request, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Error(err)
		return 0, nil
	}
	request.Header.Set("Authorization", "Bearer "+s.key)
	request.Header.Set("Content-Type", "application/json")
	if idempotencyKey != "" {
		request.Header.Set("Idempotency-Key", idempotencyKey)
	}
	if response, err := s.client.Do(request); err == nil {
		defer response.Body.Close()
		if answer, err = io.ReadAll(response.Body); err == nil {
			status = response.StatusCode
		}
	}
	if status != http.StatusOK && status != http.StatusCreated {
		s.mu.Lock()
		s.answers[status]++
		s.mu.Unlock()
		time.Sleep(100 * time.Millisecond) // as a client that tries again
	}
	return status, answer
}

// make repeats a request until it succeeds.
func (s *soak) make(key string) (c liveCheckout) {
	for {
		status, answer := s.ask(http.MethodPost, "/v1/checkouts", order(86400), key)
		if status == http.StatusOK || status == http.StatusCreated {
			if err := json.Unmarshal(answer, &c); err != nil {
				s.t.Error(err)
			}
			s.did("created")
			return c
		}
	}
}

// buy pays until the bank says that the charge is paid, or that it can be paid no more.
func (s *soak) buy(c liveCheckout, amount int64) {
	for {
		_, err := s.control.Pay(context.Background(), control.PayRequest{Code: c.Pix.CopyPaste, Amount: amount})
		switch {
		case err == nil, strings.Contains(err.Error(), "paid already"):
			s.did("paid")
			return
		case strings.Contains(err.Error(), "removed"):
			s.did("removed first")
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// call cancels as a member does, until the cancellation is done, under way, or too late.
func (s *soak) call(c liveCheckout) {
	for {
		err := s.payments.CancelCheckout(context.Background(), s.owner, s.live, c.ID)
		if err == nil || errors.Is(err, payments.ErrCancelRequested) ||
			refusal.Of(err).Code == refusal.CheckoutNotPending {
			s.did("canceled")
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// giveBack refunds a part of a checkout once it is paid.
func (s *soak) giveBack(id string) {
	for {
		var c liveCheckout
		status, answer := s.ask(http.MethodGet, "/v1/checkouts/"+id, "", "")
		if status == http.StatusOK && json.Unmarshal(answer, &c) == nil && c.Status == "PAID" {
			break
		}
		time.Sleep(time.Second)
	}
	for {
		status, _ := s.ask(http.MethodPost, "/v1/refunds", fmt.Sprintf(`{"checkoutId":%q,"amount":%d}`, id, soakPart),
			"refund-"+id)
		if status == http.StatusOK || status == http.StatusCreated {
			s.did("refunded")
			return
		}
	}
}

// settled ends the faults and waits until the program knows all that the bank has.
func (s *soak) settled() {
	s.t.Helper()
	s.heal()
	const open = `SELECT (SELECT count(*) FROM bank_charges WHERE status IN ('CREATING', 'REMOVING'))
		+ (SELECT count(*) FROM refunds WHERE status IN ('REQUESTED', 'PROCESSING'))
		+ (SELECT count(*) FROM webhook_deliveries WHERE status = 'PENDING')`
	const received = "SELECT coalesce(sum(amount), 0)::bigint FROM payments"
	for end := time.Now().Add(soakSettling); ; time.Sleep(time.Second) {
		s.hurry()
		s.due("refunds", "id", "next_try_at", "true")
		if modelstest.One[int](s.t, s.db.DB, open) == 0 &&
			modelstest.One[int64](s.t, s.db.DB, received) == s.state().Received {
			return
		} else if time.Now().After(end) {
			s.t.Errorf("not all is settled: %d open", modelstest.One[int](s.t, s.db.DB, open))
			return
		}
	}
}
