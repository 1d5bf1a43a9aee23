package journal_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/pix/psp/bank/journal"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, path string) *journal.Journal {
	t.Helper()
	j, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

func put(t *testing.T, j *journal.Journal, e journal.Entry) {
	t.Helper()
	if err := j.Update(func(*journal.State) (journal.Entry, error) { return e, nil }); err != nil {
		t.Fatal(err)
	}
}

func charge(txID string, revision int) journal.Charge {
	return journal.Charge{TxID: txID, Revision: revision, Status: journal.Active, CreatedAt: noon, Expiration: 60,
		Amount: 4990, Key: "key", LocationID: 1}
}

// everything is a record of each kind.
func everything() journal.Entry {
	back := journal.Return{ID: "r1", RtrID: "D1", Amount: 10, Nature: journal.Original, Status: journal.Processing,
		AskedAt: noon, DueAt: noon}
	return journal.Entry{
		Charges:   []journal.Charge{charge("a", 0), charge("a", 1), charge("b", 0)},
		Locations: []journal.Location{{ID: 1, Token: "token", TxID: "a", CreatedAt: noon}},
		Payments: []journal.Payment{{EndToEndID: "E1", TxID: "a", Amount: 4990, Key: "key", At: noon,
			Returns: []journal.Return{back}}, {EndToEndID: "E2", TxID: "a", Amount: 1, Key: "key", At: noon}},
		Payouts:  []journal.Payout{{ID: "p1", EndToEndID: "E3", Amount: 5, Status: journal.Done, AskedAt: noon}},
		Disputes: []journal.Dispute{{ID: "d1", EndToEndID: "E1", Amount: 7, Status: journal.DisputeOpen}},
		Webhooks: []journal.Webhook{{Key: "key", URL: "https://localhost", CreatedAt: noon}},
		Notices:  []journal.Notice{{ID: 1, EndToEndID: "E1", NextAt: noon}, {ID: 2, EndToEndID: "E2", Done: true}},
		Faults:   &[]journal.Fault{{Name: "slow", Value: "2s"}},
	}
}

// What was written is there again after the file is opened anew, in all its indexes.
func TestOpen_Replays(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.jsonl")
	j := open(t, path)
	put(t, j, everything())
	j.Close()

	j = open(t, path)
	err := j.View(func(s *journal.State) {
		if c, _ := s.Charge("a"); c.Revision != 1 || len(s.Charges["a"]) != 2 {
			t.Errorf("charge a is %+v", c)
		}
		if diff := cmp.Diff([]string{"a", "b"}, s.TxIDs); diff != "" {
			t.Errorf("TxIDs (-want +got)\n%s", diff)
		}
		if p := s.PaymentsOf("a"); len(p) != 2 || p[0].EndToEndID != "E1" || p[1].EndToEndID != "E2" {
			t.Errorf("payments of a are %+v", p)
		}
		if diff := cmp.Diff([]string{"E1"}, s.Processing()); diff != "" {
			t.Errorf("processing (-want +got)\n%s", diff)
		}
		if n := s.Pending(); len(n) != 1 || n[0].EndToEndID != "E1" || s.NextNotice() != 3 {
			t.Errorf("pending notices are %+v, the next is %d", n, s.NextNotice())
		}
		_, token := s.LocationByToken("token")
		_, payout := s.PayoutByEndToEndID("E3")
		_, dispute := s.Dispute("d1")
		if !token || !payout || !dispute || s.Webhooks["key"].URL == "" {
			t.Errorf("location %t, payout %t, dispute %t, webhook %+v", token, payout, dispute, s.Webhooks["key"])
		}
	})
	if f := j.Faults(); err != nil || len(f) != 1 || f[0].Name != "slow" {
		t.Errorf("faults are %+v, %v", f, err)
	}
}

// A record that is written again replaces the one before, and what it leaves is forgotten.
func TestUpdate_Replaces(t *testing.T) {
	t.Parallel()
	j := open(t, filepath.Join(t.TempDir(), "state.jsonl"))
	put(t, j, everything())
	put(t, j, journal.Entry{
		Payments: []journal.Payment{{EndToEndID: "E1", TxID: "a", Amount: 4990, Key: "key", At: noon}},
		Notices:  []journal.Notice{{ID: 1, EndToEndID: "E1", Done: true}},
	})
	if err := j.View(func(s *journal.State) {
		if len(s.Payments) != 2 || len(s.PaymentsOf("a")) != 2 || len(s.Processing()) != 0 || len(s.Pending()) != 0 {
			t.Errorf("%d payments, %v in process, %v pending", len(s.Payments), s.Processing(), s.Pending())
		}
	}); err != nil {
		t.Error(err)
	}
}

// Ended faults stay ended after a start, a returning payout is in process, and there is no location 0.
func TestOpen_ReplaysEnds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.jsonl")
	j := open(t, path)
	put(t, j, everything())
	put(t, j, journal.Entry{
		Faults: &[]journal.Fault{},
		Payouts: []journal.Payout{{ID: "p1", EndToEndID: "E3", Amount: 5, Status: journal.Done,
			Returns: []journal.Return{{ID: "r2", Amount: 5, Status: journal.Processing}}}},
	})
	size, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, j, journal.Entry{})
	if now, err := os.Stat(path); err != nil || now.Size() != size.Size() {
		t.Errorf("a change of nothing wrote a line: %v", err)
	}
	j.Close()
	j = open(t, path)
	if faults := j.Faults(); len(faults) != 0 {
		t.Errorf("the faults are %+v", faults)
	}
	if err := j.View(func(s *journal.State) {
		if _, known := s.Location(0); known || cmp.Diff([]string{"E1", "E3"}, s.Processing()) != "" {
			t.Errorf("there is a location 0: %t; in process are %v", known, s.Processing())
		}
	}); err != nil {
		t.Error(err)
	}
}

// A change that is refused leaves nothing in memory and in the file.
func TestUpdate_Refused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.jsonl")
	j := open(t, path)
	no := errors.New("no")
	if err := j.Update(func(*journal.State) (journal.Entry, error) { return everything(), no }); err != no {
		t.Errorf("the error is %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != 0 {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
	if err := j.View(func(s *journal.State) {
		if len(s.TxIDs) != 0 {
			t.Errorf("there are charges: %v", s.TxIDs)
		}
	}); err != nil {
		t.Error(err)
	}
}

// A line without its end was never answered: it is removed, and the next line is whole.
func TestOpen_CutOff(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.jsonl")
	j := open(t, path)
	long := charge("a", 0)
	long.Message = "longer than the line that follows"
	put(t, j, journal.Entry{Charges: []journal.Charge{long}})
	j.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 1; cut < len(whole); cut++ {
		if err := os.WriteFile(path, append(append([]byte{}, whole...), whole[:cut]...), 0o600); err != nil {
			t.Fatal(err)
		}
		j := open(t, path)
		put(t, j, journal.Entry{Charges: []journal.Charge{charge("b", 0)}})
		j.Close()
		if now, err := os.ReadFile(path); err != nil || now[len(now)-1] != '\n' {
			t.Fatalf("cut after %d bytes: the file ends within a line, %v", cut, err)
		}
		j = open(t, path)
		if err := j.View(func(s *journal.State) {
			if strings.Join(s.TxIDs, " ") != "a b" {
				t.Fatalf("cut after %d bytes: charges are %v", cut, s.TxIDs)
			}
		}); err != nil {
			t.Fatal(err)
		}
		j.Close()
	}
}

// A damaged line inside the file is not skipped: what follows may depend on it.
func TestOpen_Damaged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.jsonl")
	if err := os.WriteFile(path, []byte("{}\n{\"charges\":\n{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Open(path); err == nil || !strings.Contains(err.Error(), "line 2 is damaged") {
		t.Errorf("the error is %v", err)
	}
}

// Two processes cannot write the same file.
func TestOpen_InUse(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.jsonl")
	open(t, path)
	if _, err := journal.Open(path); !errors.Is(err, journal.ErrInUse) {
		t.Errorf("the error is %v", err)
	}
}

// Changes at the same time all take effect, once each.
func TestUpdate_Concurrent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.jsonl")
	j := open(t, path)
	const writers, each = 16, 20
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				e := journal.Entry{Charges: []journal.Charge{charge(fmt.Sprintf("%d-%d", w, i), 0)}}
				if err := j.Update(func(*journal.State) (journal.Entry, error) { return e, nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	j.Close()
	j = open(t, path)
	if err := j.View(func(s *journal.State) {
		if len(s.TxIDs) != writers*each {
			t.Errorf("%d charges", len(s.TxIDs))
		}
	}); err != nil {
		t.Error(err)
	}
}
