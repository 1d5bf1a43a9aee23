package bank

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"garoupa/pix/psp/bank/journal"
)

// faultNames are the failures that can be asked for; true means that the fault needs a value.
// docs/bank.md says what each does.
var faultNames = map[string]bool{
	"drop-answer": false, "reset": false, "slow": true, "hang": false, "401": false, "403": false, "429": false,
	"500-done": false, "500-undone": false, "lag": true, "wrong-amount": false, "bad-crc": false, "no-code": false,
	"other-charge": false, "foreign-status": false, "skew": true, "token-down": false, "fewer-scopes": false,
	"no-notices": false, "double-notices": false, "array-notices": false, "forged-notice": false,
	"refuse-return": false, "amount-first": false, "send-unknown": false, "expired-cert": false, "shift-pages": false,
	"repeat-address": false, "random": true,
}

// checkFault returns an error that a person can act on.
func checkFault(f journal.Fault) error {
	needsValue, known := faultNames[f.Name]
	switch {
	case !known:
		return fmt.Errorf("%q is not a fault; there are %s", f.Name,
			strings.Join(slices.Sorted(maps.Keys(faultNames)), ", "))
	case needsValue && f.Value == "":
		return fmt.Errorf("%s needs a value, such as %s=2s", f.Name, f.Name)
	case f.Times < 0:
		return errors.New("times cannot be less than 0")
	}
	switch f.Name {
	case "slow", "lag", "skew":
		if _, err := time.ParseDuration(f.Value); err != nil {
			return fmt.Errorf("%s needs a duration, such as 2s or 500ms", f.Name)
		}
	case "random":
		if _, err := strconv.ParseUint(f.Value, 10, 64); err != nil {
			return errors.New("random needs a seed, a whole number")
		}
	}
	return nil
}

// standing returns the fault of this name without using it up.
func (s *Server) standing(name string) (f journal.Fault, active bool) {
	faults := s.journal.Faults()
	i := slices.IndexFunc(faults, func(f journal.Fault) bool { return f.Name == name })
	if i < 0 {
		return journal.Fault{}, false
	}
	return faults[i], true
}

func (s *Server) active(name string) bool {
	_, active := s.standing(name)
	return active
}

// duration returns the value of a fault that has a duration, or 0.
func (s *Server) duration(name string) time.Duration {
	f, active := s.standing(name)
	if !active {
		return 0
	}
	d, _ := time.ParseDuration(f.Value) // checkFault has parsed it
	return d
}

// happens reports whether a fault of these names that concerns the path is active, and counts the
// first one. It must not be called inside View and Update.
func (s *Server) happens(path string, names ...string) (f journal.Fault, happens bool) {
	concerns := func(f journal.Fault) bool {
		return slices.Contains(names, f.Name) && strings.Contains(path, f.On)
	}
	if !slices.ContainsFunc(s.journal.Faults(), concerns) {
		return journal.Fault{}, false
	}
	err := s.journal.Update(func(*journal.State) (journal.Entry, error) {
		left := slices.Clone(s.journal.Faults())
		i := slices.IndexFunc(left, concerns)
		if happens = i >= 0; !happens {
			return journal.Entry{}, nil
		}
		if f = left[i]; f.Times == 0 {
			return journal.Entry{}, nil
		}
		if left[i].Times--; left[i].Times == 0 {
			left = slices.Delete(left, i, i+1)
		}
		return journal.Entry{Faults: &left}, nil
	})
	return f, happens && err == nil
}

// clock returns the time by the bank's clock, which a fault can move.
func (s *Server) clock() time.Time {
	return s.now().Add(s.duration("skew")).Round(time.Millisecond)
}

// beforeWork and afterWork are the faults of a call, in the order in which they are looked for.
var (
	beforeWork = []string{"reset", "hang", "401", "403", "429", "500-undone"}
	afterWork  = []string{"drop-answer", "500-done"}
)

// meetFaults calls work, unless a fault of this call prevents it, and returns what is answered.
func (s *Server) meetFaults(c call, work func() answer) answer {
	path := c.URL.Path
	chosen := s.choose(path)
	if f, happens := s.happens(path, "slow"); happens {
		d, _ := time.ParseDuration(f.Value)
		wait(c, d)
	} else if chosen == "slow" {
		wait(c, 200*time.Millisecond)
	}
	if clientOf(c.Request) != nil && s.active("expired-cert") {
		panic(http.ErrAbortHandler) // the connection is older than the fault
	}
	if path == s.profile.tokenPath {
		if _, happens := s.happens(path, "token-down"); happens {
			return s.problem(unavailable())
		}
	}
	if name := s.next(path, chosen, beforeWork); name != "" {
		return s.refuse(c, name)
	}
	after := s.next(path, chosen, afterWork)
	a := work()
	switch after {
	case "drop-answer":
		panic(http.ErrAbortHandler)
	case "500-done":
		return s.problem(internal())
	}
	return a
}

// next returns the fault that happens now: one that was asked for, or the one chosen at random.
func (s *Server) next(path, chosen string, names []string) string {
	if f, happens := s.happens(path, names...); happens {
		return f.Name
	}
	if slices.Contains(names, chosen) {
		return chosen
	}
	return ""
}

// refuse answers a call, or ends its connection, without doing what it asks for.
func (s *Server) refuse(c call, name string) answer {
	switch name {
	case "hang":
		<-c.Context().Done() // until the client gives up, or the server ends
		panic(http.ErrAbortHandler)
	case "401":
		return s.problem(unauthorized("O token não vale."))
	case "403":
		return s.problem(forbidden("O contrato não inclui esta operação."))
	case "429":
		return s.problem(problem{status: http.StatusTooManyRequests, name: "LimiteExcedido",
			title: "Limite excedido.", detail: "Muitas requisições."})
	case "500-undone":
		return s.problem(internal())
	}
	panic(http.ErrAbortHandler) // reset
}

func unavailable() problem {
	return problem{status: http.StatusServiceUnavailable, name: "ServicoIndisponivel", title: "Serviço indisponível.",
		detail: "O serviço está em manutenção."}
}

// wait returns after d, or when the client has gone.
func wait(c call, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.Context().Done():
	}
}

// choose returns the name of a fault for one call in five while the fault "random" is active,
// and otherwise "". The same seed gives the same choices in the same order of calls.
func (s *Server) choose(path string) string {
	f, active := s.standing("random")
	if !active || !strings.Contains(path, f.On) {
		return ""
	}
	seed, _ := strconv.ParseUint(f.Value, 10, 64) // checkFault has parsed it
	s.chance.Lock()
	defer s.chance.Unlock()
	if s.dice == nil || s.seed != f.Value {
		s.dice, s.seed = rand.New(rand.NewPCG(seed, 0)), f.Value
	}
	if s.dice.IntN(5) > 0 {
		return ""
	}
	all := []string{"slow", "reset", "drop-answer", "401", "429", "500-done", "500-undone"}
	return all[s.dice.IntN(len(all))]
}
