package dashboard_test

import (
	"bytes"
	"encoding/json"
	"html"
	"io"
	"math/big"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/thedatashed/xlsxreader"

	"garoupa/internal/money"
	"garoupa/payments"
	"garoupa/web/webtest"
)

// read returns a file whole.
func read(t *testing.T, c *webtest.Client, path, kind, name string) []byte {
	t.Helper()
	response := download(c, path)
	if got := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || got != kind ||
		response.Uncompressed || // it came as it is, so that a client notices if it breaks off
		!strings.Contains(response.Header.Get("Content-Disposition"), name) {
		t.Errorf("%s: %d %s, %s", path, response.StatusCode, got, response.Header.Get("Content-Disposition"))
	}
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// sheet reads the only sheet of a workbook.
func sheet(t *testing.T, raw []byte, title string) (rows []xlsxreader.Row) {
	t.Helper()
	book, err := xlsxreader.NewReader(raw)
	if err != nil {
		t.Fatal(err)
	}
	if len(book.Sheets) != 1 || book.Sheets[0] != title {
		t.Fatalf("the sheets are %q", book.Sheets)
	}
	for row := range book.ReadRows(title) {
		if row.Error != nil {
			t.Fatal(row.Error)
		}
		rows = append(rows, row)
	}
	return rows
}

const (
	xlsxKind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	ofxKind  = "application/x-ofx"
)

// The month's close is read back by other programs: in a workbook amounts are numbers, moments are dates
// and what others wrote is text; in OFX each line that changes the total has a lasting id.
func TestStatementFormats(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.SetFee(t, money.Fee{BasisPoints: 100})
	texts := []string{"=HYPERLINK(\"http://x\";\"a\")", "Café <à> & mesa"}
	for _, text := range texts {
		charge := s.Checkout(t, payments.NewCheckout{Amount: 1234_50, ExternalID: text, Description: text})
		if err := s.SimulatePayment(t.Context(), charge.ID); err != nil {
			t.Fatal(err)
		}
	}
	s.Clock.Advance(time.Minute)
	if _, err := s.SettleDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := s.Member(t)
	for lang, want := range map[string][]string{
		"pt-BR": {"Extrato", "extrato-test", "Pagamento recebido", "Data (horário de Brasília)", "Tarifa do pagamento"},
		"en":    {"Statement", "statement-test", "Payment received", "Date (Brasília time)", "Payment fee"},
	} {
		c.Lang = lang
		raw := read(t, c, "/app/saldo/extrato.xlsx", xlsxKind, want[1]+".xlsx")
		rows := sheet(t, raw, want[0])
		if len(rows) != 1+3*len(texts) || rows[0].Cells[0].Value != want[3] {
			t.Fatalf("%s: %d rows, %v", lang, len(rows), rows[0])
		}
		for i, text := range texts {
			paid := rows[len(rows)-1-2*i].Cells
			if at := paid[0]; at.Type != xlsxreader.TypeDateTime ||
				!strings.HasPrefix(at.Value, "2026-03-01T09:00:00") {
				t.Errorf("%s: the moment is %+v", lang, at)
			}
			if amount := paid[3]; paid[1].Value != want[2] || amount.Type != xlsxreader.TypeNumerical ||
				amount.Value != "1234.5" {
				t.Errorf("%s: the amount is %+v", lang, amount)
			}
			if words := paid[8]; words.Type != xlsxreader.TypeString || words.Value != text {
				t.Errorf("%s: %q became %+v", lang, text, words)
			}
		}
		if bytes.Contains(raw, []byte("xuri")) {
			t.Error("the workbook names its library as its author")
		}
		checkOFX(t, read(t, c, "/app/saldo/extrato.ofx", ofxKind, want[1]+".ofx"), want)
	}
}

// ofxFile is what a statement's file says to ofx-js.
type ofxFile struct {
	OFX struct {
		BANKMSGSRSV1 struct {
			STMTTRNRS struct {
				STMTRS struct {
					CURDEF       string
					BANKACCTFROM struct{ ACCTID string }
					BANKTRANLIST struct{ STMTTRN []ofxLine }
					LEDGERBAL    struct{ BALAMT string }
				}
			}
		}
	}
}

type ofxLine struct{ FITID, DTPOSTED, TRNAMT, MEMO string }

// checkOFX checks the OFX of two payments with their fees.
func checkOFX(t *testing.T, raw []byte, want []string) {
	t.Helper()
	node := exec.CommandContext(t.Context(), "node", "testdata/ofx.mjs")
	node.Stdin = bytes.NewReader(raw)
	output, err := node.Output()
	if err != nil {
		t.Fatalf("node with ofx-js is needed (npm ci): %v in %s", err, raw)
	}
	var file ofxFile
	if err := json.Unmarshal(output, &file); err != nil {
		t.Fatalf("%v in %s", err, output)
	}
	statement := file.OFX.BANKMSGSRSV1.STMTTRNRS.STMTRS
	if statement.CURDEF != "BRL" || !strings.HasPrefix(statement.BANKACCTFROM.ACCTID, "T-") {
		t.Fatalf("%+v", file)
	}
	sum, ids := int64(0), map[string]bool{}
	for i, line := range statement.BANKTRANLIST.STMTTRN {
		amount, exact := cents(line.TRNAMT)
		if !exact || ids[line.FITID] || line.FITID == "" {
			t.Errorf("%+v", line)
		}
		sum, ids[line.FITID] = sum+amount, true
		words := want[2]
		if i%2 == 0 {
			words = want[4]
		}
		if !strings.HasPrefix(line.MEMO, words+" - ") || line.DTPOSTED != "20260301090000[-3:BRT]" {
			t.Errorf("%s at %s", line.MEMO, line.DTPOSTED)
		}
	}
	if memo := html.UnescapeString(statement.BANKTRANLIST.STMTTRN[1].MEMO); memo != want[2]+
		" - Cafe <a> & mesa - Cafe <a> & mesa" {
		t.Errorf("the memo is %q", memo)
	}
	closing, exact := cents(statement.LEDGERBAL.BALAMT)
	if len(ids) != 4 || sum != 2444_30 || closing != sum || !exact { // 2 × (1234.50 − 12.35)
		t.Errorf("%d lines, %d in all, closes with %d", len(ids), sum, closing)
	}
}

// cents returns an amount in centavos.
func cents(amount string) (int64, bool) {
	number, ok := new(big.Rat).SetString(amount)
	if !ok {
		return 0, false
	}
	number.Mul(number, hundred)
	return number.Num().Int64(), number.IsInt()
}

var hundred = big.NewRat(100, 1)
