//go:build soak

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/models/modelstest"
	"garoupa/pix/psp/bank/journal"
)

// balance compares the bank's file with the books. Amounts are centavos.
type balance struct {
	charges, paid, removed       int
	received, returned           int64 // by the bank's file
	booked, refunded             int64
	differences, lost, repeated  int
	checkouts, mispaid, canceled int
}

// verdict stops the bank, reads its file, and compares each Pix, return and charge in it with the books.
func (s *soak) verdict() (b balance) {
	s.t.Helper()
	s.sound()
	s.bank.kill()
	file, err := journal.Open(filepath.Join(s.bank.dir, "state.jsonl"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer file.Close()
	if err := file.View(func(state *journal.State) { s.compare(state, &b) }); err != nil {
		s.t.Fatal(err)
	}
	b.booked = modelstest.One[int64](s.t, s.db.DB, "SELECT coalesce(sum(amount), 0)::bigint FROM payments")
	b.refunded = modelstest.One[int64](s.t, s.db.DB,
		"SELECT coalesce(sum(amount), 0)::bigint FROM refunds WHERE status = 'COMPLETED'")
	b.checkouts = modelstest.One[int](s.t, s.db.DB, "SELECT count(*) FROM checkouts")
	b.mispaid = modelstest.One[int](s.t, s.db.DB, "SELECT count(*) FROM payment_exceptions")
	b.canceled = modelstest.One[int](s.t, s.db.DB, "SELECT count(*) FROM checkouts WHERE status = 'CANCELLED'")
	for what, wrong := range map[string]bool{
		"the bank received another sum than the books have":    b.received != b.booked,
		"the bank returned another sum than the books have":    b.returned != b.refunded,
		"the keys have not one checkout each":                  b.checkouts != s.charges,
		"more refunds than were asked for":                     b.refunded != int64(s.deeds["refunded"])*soakPart,
		"charges, Pix or returns differ, as said above":        b.differences > 0,
		"events were not written once each, or did not arrive": b.lost > 0,
	} {
		if wrong {
			s.t.Errorf("%s: %+v", what, b)
		}
	}
	return b
}

// compare holds each record of the bank against the books.
func (s *soak) compare(state *journal.State, b *balance) {
	differs := func(format string, args ...any) {
		if b.differences++; b.differences <= 20 {
			s.t.Errorf(format, args...)
		}
	}
	booked, returns := s.sums("SELECT end_to_end_id, amount FROM payments"), s.sums(`SELECT replace(id, '_', ''), amount
		FROM refunds WHERE status = 'COMPLETED'`)
	for _, p := range state.Payments {
		b.received += p.Amount
		if booked[p.EndToEndID] != p.Amount {
			differs("%s is %d at the bank, %d in the books", p.EndToEndID, p.Amount, booked[p.EndToEndID])
		}
		for _, r := range p.Returns {
			if r.Status != journal.Returned {
				continue
			}
			b.returned += r.Amount
			if returns[r.ID] != r.Amount {
				differs("the return %s is %d at the bank, %d in the books", r.ID, r.Amount, returns[r.ID])
			}
		}
	}
	status := map[string]string{}
	rows, err := s.db.Pool.Query(s.t.Context(), "SELECT txid, status FROM bank_charges")
	if err != nil {
		s.t.Fatal(err)
	}
	var txID, is string
	if _, err := pgx.ForEachRow(rows, []any{&txID, &is}, func() error { status[txID] = is; return nil }); err != nil {
		s.t.Fatal(err)
	}
	for _, revisions := range state.Charges {
		c := revisions[len(revisions)-1]
		want := map[journal.ChargeStatus]string{journal.Active: "OPEN", journal.Paid: "PAID",
			journal.RemovedByBank: "REMOVED", journal.RemovedByReceiver: "REMOVED"}[c.Status]
		switch b.charges++; c.Status {
		case journal.Paid:
			b.paid++
		case journal.RemovedByReceiver:
			b.removed++
		}
		if status[c.TxID] != want {
			differs("the charge %s is %s at the bank, %s here", c.TxID, c.Status, status[c.TxID])
		}
	}
	s.countEvents(b)
}

// countEvents counts events that did not arrive, and those that came more than once.
func (s *soak) countEvents(b *balance) {
	arrived := s.seen()
	for _, id := range modelstest.Column[string](s.t, s.db.DB, "SELECT id FROM events") {
		switch n := arrived[parcel{id, eventsPath}]; {
		case n == 0:
			b.lost++
		case n > 1:
			b.repeated++
		}
	}
}

func (s *soak) sums(sql string) map[string]int64 {
	sums := map[string]int64{}
	rows, err := s.db.Pool.Query(s.t.Context(), sql)
	if err != nil {
		s.t.Fatal(err)
	}
	var id string
	var amount int64
	if _, err := pgx.ForEachRow(rows, []any{&id, &amount}, func() error {
		sums[id] += amount
		return nil
	}); err != nil {
		s.t.Fatal(err)
	}
	return sums
}

const (
	soakBegins = "<!-- make soak writes from here -->\n"
	soakEnds   = "<!-- soak: to here -->\n"
)

// report writes the figures of a run into the file that GAROUPA_SOAK_REPORT names.
func (s *soak) report(took time.Duration, b balance) {
	s.t.Helper()
	reais := func(centavos int64) string { return fmt.Sprintf("R$%d.%02d", centavos/100, centavos%100) }
	refused := 0
	for _, n := range s.answers {
		refused += n
	}
	text := fmt.Sprintf(`| Figure | Value |
|---|---|
| Charges, of one key each | %d in %s |
| Killed | the program %d times, the bank %d times |
| Answers other than a success, after which clients tried again | %d |
| At the bank | %d charges: %d paid, %d removed |
| Received, by the bank's file and by the books | %s and %s |
| Returned, by the bank's file and by the books | %s and %s |
| Checkouts | %d, of which %d are canceled; %d Pix are cases for staff |
| Differences | %d |
| Events that never arrived / came again | %d / %d |
`, s.charges, took.Round(time.Second), s.kills[0], s.kills[1], refused, b.charges, b.paid, b.removed, reais(b.received),
		reais(b.booked), reais(b.returned), reais(b.refunded), b.checkouts, b.canceled, b.mispaid, b.differences,
		b.lost,
		b.repeated)
	s.t.Logf("seed %s\n%s", s.seed, text)
	name := os.Getenv("GAROUPA_SOAK_REPORT")
	if name == "" || s.t.Failed() {
		return
	}
	content, err := os.ReadFile(name)
	if err != nil {
		s.t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(content), soakBegins)
	_, after, ends := strings.Cut(rest, soakEnds)
	if !begins || !ends {
		s.t.Fatalf("%s has no place for the report", name)
	}
	if err := os.WriteFile(name, []byte(before+soakBegins+"\n"+text+"\n"+soakEnds+after), 0o644); err != nil {
		s.t.Fatal(err)
	}
}
