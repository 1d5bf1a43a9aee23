//go:build faults || cluster

package faults

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// row is one line of the report.
type row struct {
	fault                    string
	charges                  int
	answers                  string
	silence                  time.Duration
	lost, doubled            int
	webhooksMissing, repeats int
}

// report collects the rows of all tests.
var report struct {
	mu   sync.Mutex
	rows []row
}

// judge compares the answers that clients got with the database, waits for the webhooks, checks
// the books, and adds the row to the report.
func (s *site) judge(fault string, saw *seen) {
	s.t.Helper()
	r := row{fault: fault, charges: len(saw.charges), silence: saw.silence, answers: "none"}
	if len(saw.answers) > 0 {
		var words []string
		for _, what := range slices.Sorted(maps.Keys(saw.answers)) {
			words = append(words, fmt.Sprintf("%d × %s", saw.answers[what], what))
		}
		r.answers = strings.Join(words, ", ")
	}
	s.compare(&r, saw)
	s.awaitWebhooks(&r)
	if out := s.check(); !strings.Contains(out, "books      ok") {
		s.t.Errorf("%s: garoupa check says %s", fault, out)
	}
	if r.lost+r.doubled+r.webhooksMissing > 0 || saw.answers["500 Internal Server Error"]+saw.answers["gave up"] > 0 {
		s.t.Errorf("%s: %+v", fault, r)
	}
	if r.charges == 0 {
		s.t.Errorf("%s: no charge was created", fault)
	}
	s.t.Logf("%+v", r)
	report.mu.Lock()
	defer report.mu.Unlock()
	report.rows = append(report.rows, r)
}

// compare counts the charges that are lost or doubled.
func (s *site) compare(r *row, saw *seen) {
	s.t.Helper()
	ctx := context.Background()
	paid := map[string]string{}
	// Each table is read once: a new leader has no statistics, and would read events anew for each charge.
	rows, err := s.pool.Query(ctx, `SELECT c.external_id, c.id FROM checkouts c
		JOIN (SELECT checkout_id FROM payments GROUP BY 1 HAVING count(*) = 1) p ON p.checkout_id = c.id
		JOIN (SELECT checkout_id FROM events WHERE type IN ('checkout.created', 'checkout.paid') GROUP BY 1
			HAVING count(*) FILTER (WHERE type = 'checkout.created') = 1
				AND count(*) FILTER (WHERE type = 'checkout.paid') = 1) e ON e.checkout_id = c.id
		WHERE c.status = 'PAID'`)
	if err != nil {
		s.t.Fatal(err)
	}
	for rows.Next() {
		var externalID, id string
		if err := rows.Scan(&externalID, &id); err != nil {
			s.t.Fatal(err)
		}
		paid[externalID] = id
	}
	for externalID, id := range saw.charges {
		if paid[externalID] != id && id != "made" {
			r.lost++
		}
	}
	err = s.pool.QueryRow(ctx, `SELECT count(*)
		FROM (SELECT external_id FROM checkouts GROUP BY external_id HAVING count(*) > 1) d`).Scan(&r.doubled)
	if err != nil {
		s.t.Fatal(err)
	}
}

// awaitWebhooks waits until every event of an endpoint has arrived.
func (s *site) awaitWebhooks(r *row) {
	s.t.Helper()
	var due int
	deadline := time.Now().Add(patience)
	for {
		err := s.pool.QueryRow(context.Background(),
			"SELECT count(DISTINCT event_id) FROM webhook_deliveries").Scan(&due)
		if err != nil {
			s.t.Fatal(err)
		}
		came, again := s.webhooks.counts()
		r.webhooksMissing, r.repeats = max(0, due-came), again
		if r.webhooksMissing == 0 || time.Now().After(deadline) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// TestMain writes the report when all tests have run.
func TestMain(m *testing.M) {
	status := m.Run()
	if file := os.Getenv("GAROUPA_FAULTS_REPORT"); file != "" && status == 0 {
		if err := writeReport(file); err != nil {
			fmt.Fprintln(os.Stderr, "faults:", err)
			status = 1
		}
	}
	os.Exit(status)
}

func writeReport(file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, begins := strings.Cut(string(content), reportBegins)
	_, after, ends := strings.Cut(rest, reportEnds)
	if !begins || !ends {
		return fmt.Errorf("%s has no place for the report", file)
	}
	var table strings.Builder
	table.WriteString("| What was broken | Charges | What clients saw besides success | Longest silence | Lost | " +
		"Doubled | Webhooks missing / repeated |\n")
	table.WriteString("|---|---|---|---|---|---|---|\n")
	for _, r := range report.rows {
		fmt.Fprintf(&table, "| %s | %d | %s | %.1f s | %d | %d | %d / %d |\n",
			r.fault, r.charges, r.answers, r.silence.Seconds(), r.lost, r.doubled, r.webhooksMissing, r.repeats)
	}
	return os.WriteFile(file, []byte(before+reportBegins+"\n"+table.String()+"\n"+reportEnds+after), 0o644)
}
