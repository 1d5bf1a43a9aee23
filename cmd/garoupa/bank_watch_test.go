package main

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"garoupa/models/modelstest"
)

// The calls of a process are counted when it stops, and check finds a day on which a bank and the books do
// not agree.
func TestBank_Watch(t *testing.T) {
	t.Parallel()
	b := newServedBank(t)
	b.start()
	url := modelstest.NewURL(t)
	p := newProgramOver(t, "DATABASE_URL="+url, "GAROUPA_DEMO=true", "GAROUPA_LIVE_PROVIDER=bank")
	p.run("bank", "add", b.dir)
	serving := p.serve()
	if status, _ := p.create(p.demo().Keys.Live, "first"); status != http.StatusCreated {
		t.Fatalf("created %d", status)
	}
	p.stop(serving, os.Interrupt)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var calls int
	if err := conn.QueryRow(t.Context(), `SELECT sum(n) FROM bank_calls WHERE operation = 'put charge'
		AND outcome = 'ok'`).Scan(&calls); err != nil || calls != 1 {
		t.Errorf("%d calls are counted, %v", calls, err)
	}
	if out := p.run("check"); !strings.Contains(out, "banks      ok\n") {
		t.Errorf("check says %s", out)
	}
	if _, err := conn.Exec(t.Context(), `INSERT INTO bank_days (bank_account_id, day, bank_pix, bank_pix_sum,
			compared_at, differing) SELECT id, '2026-03-01', 1, 4990, now(), '[{"EndToEndID": "E1", "Bank": 4990}]'
		FROM bank_accounts`); err != nil {
		t.Fatal(err)
	}
	r := p.try("check")
	if r.status != 1 || !strings.Contains(r.out, " 2026-03-01: the bank has 1 Pix of 49.90 and 0 returns of 0.00, "+
		"the books 0 of 0.00 and 0 of 0.00; E1\n") || strings.Contains(r.out, "banks      ok") {
		t.Errorf("check says %+v", r)
	}
}
