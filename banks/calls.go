package banks

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"garoupa/models"
	"garoupa/pix/psp"
	"garoupa/pix/psp/bacen"
)

// heard is what a process has learned from calls of banks and not saved yet.
type heard struct {
	calls  map[models.BankCalls]models.BankCalls // by what names a count, with the count
	states map[string]models.BankState           // by the id of the bank account, also when saved
	fresh  map[string]bool                       // accounts whose state is not saved
}

func newHeard() heard {
	return heard{calls: map[models.BankCalls]models.BankCalls{}, states: map[string]models.BankState{},
		fresh: map[string]bool{}}
}

// observe counts a call that was made with the active credentials of an account. Those that are only
// tried tell nothing about the account.
func (s *Service) observe(accountID, credentialID string, o bacen.Observation) {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.accounts[accountID].credentialID != credentialID {
		return
	}
	s.heard.add(accountID, o, now)
	if s.Called != nil {
		s.Called(o.Op, outcomeOf(o), o.Took)
	}
}

func (h *heard) add(accountID string, o bacen.Observation, now time.Time) {
	ms := max(0, o.Took.Milliseconds()) // a clock may be set back
	h.count(models.BankCalls{BankAccountID: accountID, Hour: now.Truncate(time.Hour), Operation: o.Op,
		Outcome: outcomeOf(o), N: 1, TotalMs: ms, MaxMs: ms})
	state := h.states[accountID]
	state.BankAccountID = accountID
	if o.Err != nil && !o.Held && o.Err.Kind != psp.NotFound { // which is an answer as good as any
		short := *o.Err
		short.Err = nil
		state.LastFailure, state.FailedAt = short.Error(), &now
	}
	switch {
	case o.Answered():
		state.LastAnswerAt, state.SilentSince = &now, nil
	case !o.Held:
		if state.LastFailureAt = &now; state.SilentSince == nil {
			state.SilentSince = &now
		}
	}
	h.states[accountID], h.fresh[accountID] = state, true
}

// outcomeOf returns how a call ended: models.BankCallOK, models.BankCallHeld, or the kind of its error.
func outcomeOf(o bacen.Observation) string {
	switch {
	case o.Held:
		return models.BankCallHeld
	case o.Err != nil:
		return string(o.Err.Kind)
	}
	return models.BankCallOK
}

// count adds a count to those that wait.
func (h *heard) count(c models.BankCalls) {
	name := models.BankCalls{BankAccountID: c.BankAccountID, Hour: c.Hour, Operation: c.Operation, Outcome: c.Outcome}
	before := h.calls[name]
	c.N, c.TotalMs, c.MaxMs = c.N+before.N, c.TotalMs+before.TotalMs, max(c.MaxMs, before.MaxMs)
	h.calls[name] = c
}

// SaveCalls adds the calls of banks that this process made since the last time to those of all processes,
// with what they told of the banks. If it fails, they wait for the next time. If it is not known whether
// they were written, they may be counted twice.
func (s *Service) SaveCalls(ctx context.Context) error {
	calls, states := s.takeCalls()
	if len(calls) == 0 {
		return nil
	}
	err := models.AddBankCalls(ctx, s.DB.Pool, calls, states)
	if err == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range calls {
		s.heard.count(c)
	}
	for _, state := range states {
		s.heard.fresh[state.BankAccountID] = true
	}
	return fmt.Errorf("banks: save calls: %w", err)
}

// takeCalls returns what waits, and what is known now of the accounts that were called.
func (s *Service) takeCalls() (calls []models.BankCalls, states []models.BankState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls = slices.Collect(maps.Values(s.heard.calls))
	for id := range s.heard.fresh {
		state := s.heard.states[id]
		if c := s.accounts[id].client; c != nil {
			health := c.Health()
			state.SkewMs, state.GrantedScopes = health.Skew.Milliseconds(), health.Scopes
			if !health.SilentSince.IsZero() {
				state.HeldSince = &health.SilentSince
			}
		}
		states = append(states, state)
	}
	clear(s.heard.calls)
	clear(s.heard.fresh)
	return calls, states
}
