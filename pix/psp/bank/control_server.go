package bank

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"garoupa/pix/psp/bank/control"
	"garoupa/pix/psp/bank/journal"
)

// listenControl binds the socket. A socket that a killed process has left is replaced: the lock
// of the journal shows that no process serves it.
func listenControl(path string) (net.Listener, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("bank: remove the old socket: %w", err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("bank: control socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, fmt.Errorf("bank: control socket: %w", err)
	}
	return l, nil
}

// controlHandler serves what a person asks the bank to do.
func (s *Server) controlHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /pay", act(s, s.pay))
	mux.HandleFunc("POST /return", act(s, s.giveBack))
	mux.HandleFunc("POST /med", act(s, s.contest))
	mux.HandleFunc("POST /med-close", act(s, s.closeDispute))
	mux.HandleFunc("POST /remove", act(s, s.remove))
	mux.HandleFunc("POST /fault", act(s, s.setFault))
	mux.HandleFunc("POST /fault/clear", act(s, s.clearFaults))
	mux.HandleFunc("GET /state", act(s, s.state))
	return mux
}

// act serves one operation: it decodes the request, if there is one, and encodes the answer.
func act[Request, Answer any](s *Server, do func(Request) (Answer, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var request Request
		if r.Method == http.MethodPost {
			if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&request); err != nil {
				s.json(http.StatusBadRequest, sentence("the request is not JSON")).write(w)
				return
			}
		}
		got, err := do(request)
		var no refusal
		switch {
		case errors.As(err, &no):
			s.json(no.status, sentence(no.sentence)).write(w)
		case err != nil:
			s.json(http.StatusInternalServerError, sentence(err.Error())).write(w)
		default:
			s.json(http.StatusOK, got).write(w)
		}
	}
}

func sentence(text string) map[string]string { return map[string]string{"error": text} }

// setFault adds a fault, or replaces the one of the same name and path.
func (s *Server) setFault(f control.Fault) (struct{}, error) {
	fault := journal.Fault{Name: f.Name, Value: f.Value, On: f.On, Times: f.Times}
	if err := checkFault(fault); err != nil {
		return struct{}{}, refuse(http.StatusBadRequest, "%v", err)
	}
	return struct{}{}, s.changeFaults(func(faults []journal.Fault) []journal.Fault {
		faults = slices.DeleteFunc(faults, func(old journal.Fault) bool {
			return old.Name == fault.Name && old.On == fault.On
		})
		return append(faults, fault)
	})
}

func (s *Server) clearFaults(struct{}) (struct{}, error) {
	return struct{}{}, s.changeFaults(func([]journal.Fault) []journal.Fault { return []journal.Fault{} })
}

func (s *Server) changeFaults(change func([]journal.Fault) []journal.Fault) error {
	return s.journal.Update(func(*journal.State) (journal.Entry, error) {
		faults := change(slices.Clone(s.journal.Faults()))
		return journal.Entry{Faults: &faults}, nil
	})
}

// recentLines is how many lines of each kind a state shows.
const recentLines = 20

func (s *Server) state(struct{}) (view control.State, err error) {
	view.Profile, view.Base, view.TokenURL = s.profileName, s.Base(), s.TokenURL()
	err = s.journal.View(func(state *journal.State) {
		countCharges(state, &view)
		sumMoney(state, &view)
		view.Notices = len(state.Pending())
		view.Recent = recent(state)
	})
	for _, f := range s.journal.Faults() {
		view.Faults = append(view.Faults, control.Fault{Name: f.Name, Value: f.Value, On: f.On, Times: f.Times})
	}
	return view, err
}

func countCharges(state *journal.State, view *control.State) {
	for _, txID := range state.TxIDs {
		charge, _ := state.Charge(txID)
		view.Charges++
		switch charge.Status {
		case journal.Active:
			view.Active++
		case journal.Paid:
			view.Paid++
		default:
			view.Removed++
		}
	}
}

func sumMoney(state *journal.State, view *control.State) {
	for _, p := range state.Payments {
		view.Received += p.Amount
		for _, r := range p.Returns {
			if r.Status == journal.Returned {
				view.Returned += r.Amount
			}
		}
	}
	for _, p := range state.Payouts {
		if p.Status == journal.Done {
			view.Sent += left(p.Amount, p.Returns)
		}
	}
	view.Blocked, view.Balance = blocked(state), balance(state)
}

func recent(state *journal.State) (lines []control.StateLine) {
	add := func(at time.Time, kind, id, txID, status string, amount int64) {
		lines = append(lines, control.StateLine{At: at, Kind: kind, ID: id, TxID: txID, Status: status, Amount: amount})
	}
	for _, p := range state.Payments[max(0, len(state.Payments)-recentLines):] {
		add(p.At, "pix", p.EndToEndID, p.TxID, "", p.Amount)
		for _, r := range p.Returns {
			add(r.AskedAt, "return", r.ID, "", string(r.Status), r.Amount)
		}
	}
	for _, p := range state.Payouts[max(0, len(state.Payouts)-recentLines):] {
		add(p.AskedAt, "payout", p.EndToEndID, "", string(p.Status), p.Amount)
	}
	for _, d := range state.Disputes[max(0, len(state.Disputes)-recentLines):] {
		add(d.OpenedAt, "dispute", d.ID, "", string(d.Status), d.Amount)
	}
	slices.SortStableFunc(lines, func(a, b control.StateLine) int { return b.At.Compare(a.At) })
	return lines[:min(len(lines), recentLines)]
}
