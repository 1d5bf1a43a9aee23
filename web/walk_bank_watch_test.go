package web_test

import (
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/pix/psp/bank/banktest"
	"garoupa/web"
	"garoupa/web/webtest"
)

// walkBankWatch sees how banks fare: one in use that is well, and one that is retiring and has every trouble. The
// receiver of the audit log fails, too.
func walkBankWatch(t *testing.T, w *walk) {
	s := webtest.NewWith(t, func(o *web.Options) { o.AuditStreamed = true })
	modelstest.Exec(t, s.DB, `INSERT INTO audit_stream (seal, leased_by, leased_until, sent_at, failing_since, failure)
		VALUES (0, 'x', $1, $1, $1, 'dial tcp 198.51.100.7:443: connect: connection refused')`, s.Clock.Now())
	s.Clock.Advance(time.Since(s.Clock.Now())) // certificates are valid now
	rui, _ := s.Console(t, models.StaffSupervisor)
	ids := map[string]string{}
	for _, name := range []string{"Conta antiga", "Conta nova"} {
		in := bankstest.Account(t, banktest.Serve(t, "generic"))
		in.Name = name
		id, findings, err := s.Banks.AddHere(t.Context(), in)
		if err != nil {
			t.Fatalf("%v: %+v", err, findings)
		}
		ids[name] = id
	}
	troubled, well := ids["Conta antiga"], ids["Conta nova"]
	page := w.openWith(t, s, "/ops/bancos/"+well, rui.Cookies()...)
	page.look("new")
	fillBankWatch(t, s, well, troubled)
	page.visits(map[string]string{"well": "/ops/bancos/" + well, "troubled": "/ops/bancos/" + troubled,
		"health": "/ops/saude", "queues": "/ops"})
	page.AllowConsole("status of 409")
	page.Goto(s.URL + "/ops/bancos/" + troubled)
	page.Click("form[action$='/encerrar'] button")
	page.WaitVisible("[role=alert]")
	page.look("open")
}

// fillBankWatch writes what the pages about two accounts show.
func fillBankWatch(t *testing.T, s *webtest.Site, well, troubled string) {
	t.Helper()
	modelstest.Exec(t, s.DB, `INSERT INTO bank_states (bank_account_id, last_answer_at, last_failure_at, silent_since,
			held_since, last_failure, failed_at, skew_ms, granted_scopes)
		VALUES ($1, now(), NULL, NULL, NULL, '', NULL, 200, NULL),
			($2, now() - interval '25 min', now(), now() - interval '24 min', now() - interval '23 min',
			'bank: list payments: unavailable: the answer did not come', now(),
			-75000, '{cob.write,cob.read,webhook.write,webhook.read}')`,
		well, troubled)
	modelstest.Exec(t, s.DB, `INSERT INTO bank_sweeps (bank_account_id, leased_until, started_at, watermark)
		VALUES ($1, now(), now(), now()), ($2, now(), now(), now() - interval '26 min')`, well, troubled)
	modelstest.Exec(t, s.DB, `INSERT INTO bank_calls SELECT account, date_trunc('hour', now()), call.* FROM
		unnest(ARRAY[$1, $2]) account, (VALUES ('put charge', 'ok', 1240, 267000, 2900),
			('put charge', 'ambiguous', 3, 24000, 8000), ('list payments', 'ok', 4320, 390000, 1200),
			('read charge', 'not found', 2, 300, 180), ('read charge', 'ok', 310, 40000, 700)) call
		UNION ALL SELECT $2, date_trunc('hour', now()), 'list payments', 'held', 412, 0, 0`, well, troubled)
	modelstest.Exec(t, s.DB, `INSERT INTO bank_charges (txid, bank_account_id, project_id, checkout_id, generation,
			amount, expiration, status, next_check_at, failure, created_at)
		VALUES (repeat('a', 32), $1, $2, 'chk_00000000000000000000', 0, 4990, 600, 'REMOVING', now(),
			'the bank has another amount: 49.00', now())`, troubled, s.Live.ProjectID)
	today, compared := time.Now().UTC().Add(-3*time.Hour).Truncate(24*time.Hour), time.Now()
	for ago := 1; ago <= 3; ago++ {
		day := models.BankDay{Day: today.AddDate(0, 0, -ago), ComparedAt: &compared}
		if ago < 3 {
			day.BankDayCounts = models.BankDayCounts{BankPix: 1832, BankPixSum: 183_245_10, BooksPix: 1832,
				BooksPixSum: 183_245_10, BankReturns: int64(ago - 1), BankReturnsSum: 49_90,
				BooksReturns: int64(ago - 1), BooksReturnsSum: 49_90}
		}
		for _, id := range []string{well, troubled} {
			if day.BankAccountID = id; id == troubled && ago == 2 {
				day.BooksPix, day.BooksPixSum = 1831, 183_195_20
				day.Differing = []models.DifferingPix{{EndToEndID: "E99999999202611241530abcdefghijk", Bank: 49_90},
					{EndToEndID: "E99999999202611241531abcdefghijk", Bank: 90_00, Books: 90_00, BankReturned: 90_00}}
			}
			if err := models.SaveBankDay(t.Context(), s.DB.Pool, &day); err != nil {
				t.Fatal(err)
			}
		}
	}
}
