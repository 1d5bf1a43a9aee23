package dashboard_test

import (
	"bufio"
	"context"
	"io"
	"math"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/web/webtest"
)

// download asks for a file and leaves its body to be read.
func download(c *webtest.Client, path string) *http.Response {
	c.T.Helper()
	request, err := http.NewRequestWithContext(c.T.Context(), http.MethodGet, c.Base+path, nil)
	if err != nil {
		c.T.Fatal(err)
	}
	request.Header.Set("Accept-Language", c.Lang)
	response, err := c.HTTP.Do(request)
	if err != nil {
		c.T.Fatal(err)
	}
	c.T.Cleanup(func() { response.Body.Close() })
	return response
}

// The file has what the page shows, for people and for spreadsheets: amounts and times as
// those of the language write them, UTF-8, and nothing that a spreadsheet would run.
func TestStatementFile(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.SetFee(t, money.Fee{BasisPoints: 100})
	texts := []string{`=HYPERLINK("http://x";"a")`, "+55", "-1", "@SUM(A1)", " \t=1", "＝1+1",
		"Café \"à\" mesa\r\n, com vírgula", "10482"}
	for _, text := range texts {
		charge := s.Checkout(t, payments.NewCheckout{Amount: 1234_50,
			ExternalID: strings.TrimSpace(strings.ReplaceAll(text, "\r\n", " ")), Description: text})
		if err := s.SimulatePayment(t.Context(), charge.ID); err != nil {
			t.Fatal(err)
		}
	}
	c := s.Member(t)
	for lang, want := range map[string][]string{
		"pt-BR": {"Data (horário de Brasília)", "Pagamento recebido", "Tarifa do pagamento", "extrato-test.csv",
			"-12,35", "1234,50", "0,00", "01/03/2026 09:00:00", "9777,20"},
		"en": {"Date (Brasília time)", "Payment received", "Payment fee", "statement-test.csv",
			"-12.35", "1234.50", "0.00", "2026-03-01 09:00:00", "9777.20"},
	} {
		c.Lang = lang
		response := download(c, "/app/saldo/extrato.csv")
		if kind := response.Header.Get("Content-Type"); kind != "text/csv; charset=utf-8" ||
			response.Uncompressed ||
			!strings.Contains(response.Header.Get("Content-Disposition"), want[3]) {
			t.Errorf("%s: %s, %s", lang, kind, response.Header.Get("Content-Disposition"))
		}
		raw, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		body, marked := strings.CutPrefix(string(raw), "\uFEFF")
		lines := records(t, lang, body)
		if !marked || len(lines) != 1+2*len(texts) || lines[0][0] != want[0] {
			t.Fatalf("%s: %d lines: %q", lang, len(lines), body)
		}
		for i, text := range texts {
			fee, paid := lines[len(lines)-2-2*i], lines[len(lines)-1-2*i]
			if fee[1] != want[2] || fee[2] != "FEE" || fee[3] != want[4] || paid[1] != want[1] ||
				paid[3] != want[5] || paid[4] != want[6] || paid[0] != want[7] {
				t.Errorf("%s: the lines of %q are %q and %q", lang, text, fee, paid)
			}
			guarded := strings.HasPrefix(paid[8], "'")
			if dangerous := i < 6; guarded != dangerous ||
				!guarded && paid[8] != strings.ReplaceAll(text, "\r\n", "\n") ||
				guarded && strings.ReplaceAll(paid[8], "'", "") != text {
				t.Errorf("%s: the description %q became %q", lang, text, paid[8])
			}
		}
		if lines[1][5] != want[8] { // 8 × (1234.50 − 12.35) = 9777.20
			t.Errorf("%s: the newest total is %s", lang, lines[1][5])
		}
	}
	c.Lang = "en"
	part := download(c, "/app/saldo/extrato.csv?kind=fees&from=2026-03-01").Header.Get("Content-Disposition")
	if !strings.Contains(part, "statement-test-fees-2026-03-01.csv") {
		t.Errorf("a part is called %s", part)
	}
	c.Post("/app/ambiente", "env", "live")
	if response := download(c, "/app/saldo/extrato.csv"); response.StatusCode != http.StatusSeeOther {
		t.Errorf("live before approval: %d", response.StatusCode)
	}
}

// A file of any size begins at once and takes little memory, however slowly it is
// read.
func TestStatementFile_Large(t *testing.T) { // alone: other tests would use the memory that is measured
	s := webtest.New(t)
	const movements = 60_000
	s.Fund(t, models.Test, movements*1_00)
	_, err := s.DB.Pool.Exec(t.Context(), `INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount,
		recorded_at)
		SELECT 'refund/rfd_' || n, 0, $1 || '/test/available', 'platform/test/refunds', 100, now()
		FROM generate_series(1, $2) n`, s.Account.ID, movements)
	if err != nil {
		t.Fatal(err)
	}
	c := s.Member(t)

	// One who stops reading keeps no connection of the database, and what was not read
	// was not made.
	lazy := download(c, "/app/saldo/extrato.csv")
	first := bufio.NewReader(lazy.Body)
	if line, err := first.ReadString('\n'); err != nil || !strings.Contains(line, "Data") {
		t.Fatalf("%q, %v", line, err)
	}
	quiet(t, s)

	if a := c.Get("/app/saldo/extrato.xlsx"); a.Status != http.StatusSeeOther ||
		!strings.Contains(c.Get(a.Header.Get("Location")).Text(), "mais linhas do que uma planilha comporta") {
		t.Errorf("a workbook of %d lines: %d", movements, a.Status)
	}

	before := inUse()
	response := download(c, "/app/saldo/extrato.csv")
	scanner := bufio.NewScanner(response.Body)
	lines, highest := 0, uint64(0)
	for scanner.Scan() {
		if lines++; lines%20_000 == 0 {
			highest = max(highest, inUse())
		}
	}
	if scanner.Err() != nil || lines != 1+movements+2 {
		t.Errorf("%d lines, %v", lines, scanner.Err())
	}
	if grown := int64(highest) - int64(before); grown > 10<<20 {
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
	lazy.Body.Close()
	quiet(t, s)
}

// inUse is how long what is in use of the heap is. What was allocated and given up while
// it looked counts as well, so it looks more than once.
func inUse() uint64 {
	least := uint64(math.MaxUint64)
	for range 3 {
		var now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&now)
		least = min(least, now.HeapAlloc)
	}
	return least
}

// quiet waits until no connection of the pool is in use.
func quiet(t *testing.T, s *webtest.Site) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), webtest.Patience)
	defer cancel()
	for s.DB.Pool.Stat().AcquiredConns() > idleConns {
		select {
		case <-ctx.Done():
			t.Fatalf("%d connections are in use", s.DB.Pool.Stat().AcquiredConns())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// idleConns are in use always: the one that listens for changes.
const idleConns = 1

// A file that cannot be finished breaks off, so that no one takes it for whole.
func TestStatementFile_BreaksOff(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Fund(t, models.Test, 10_00)
	c := s.Member(t)
	charge := s.Checkout(t, payments.NewCheckout{})
	if err := s.SimulatePayment(t.Context(), charge.ID); err != nil {
		t.Fatal(err)
	}
	// The lines are there, and what they are about cannot be read.
	modelstest.Exec(t, s.DB, "ALTER TABLE checkouts RENAME TO gone")
	response := download(c, "/app/saldo/extrato.csv?kind=payments")
	body, err := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusOK || err == nil {
		t.Errorf("the file ends as if it were whole, after %q", body)
	}
}
