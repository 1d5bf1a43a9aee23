package dashboard_test

import (
	"encoding/csv"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"garoupa/internal/money"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/web/webtest"
)

// formulas are texts of which a spreadsheet would make a formula, in some cell, by
// some separator.
var formulas = []string{
	"=1+1", "+1", "-1+1", "@SUM(1)", "＝1+1", " =1+1", `"=1+1`, "\t=1+1", "x;=cmd|'/c calc'!A1;y", "x,=1+1,y", "x\t=1+1",
	"x\n=1+1;y", "x\r\n+1+1",
	`x;"=1+1"`, `x; "" =1+1`, "x;\t@SUM(1)", "x;\n-1+1", ";=1", `",=1`, `";=1`, `"";=1`, `x";"=1`, `x"` + "\n" + `"=1`,
	";;;;=1", "x;-5.00;y", "x,+5.00",
}

// cells splits a file as a spreadsheet does that takes sep between cells and forgives
// quotes that stand elsewhere than at the ends of a field.
func cells(file string, sep rune) []string {
	var all []string
	var cell strings.Builder
	var quoted, closing bool
	end := func() {
		all = append(all, cell.String())
		cell.Reset()
		quoted, closing = false, false
	}
	for _, r := range file {
		switch {
		case quoted && !closing && r == '"':
			closing = true
		case quoted && !closing:
			cell.WriteRune(r)
		case closing && r == '"':
			closing = false
			cell.WriteRune(r)
		case r == sep, r == '\n', r == '\r':
			end()
		case r == '"' && cell.Len() == 0 && !closing:
			quoted = true
		default:
			if closing {
				quoted, closing = false, false
			}
			cell.WriteRune(r)
		}
	}
	end()
	return all
}

var number = regexp.MustCompile(`^-\d+([.,]\d\d)?$`)

// checkCells fails for each cell of a file that a spreadsheet would run, whichever
// separator it takes, and whether or not it minds quotes.
func checkCells(t *testing.T, file string) {
	t.Helper()
	for _, sep := range ",;\t" {
		bare := strings.FieldsFunc(file, func(r rune) bool { return r == sep || r == '\n' || r == '\r' })
		for _, cell := range slices.Concat(cells(file, sep), bare) {
			text := strings.Trim(strings.TrimLeft(cell, " \t\""), `"`)
			if strings.IndexAny(text, "=+-@＝＋－＠") == 0 && !number.MatchString(text) {
				t.Errorf("split at %q, a cell is %q", sep, cell)
			}
		}
	}
}

// records returns the rows of a file in a language.
func records(t *testing.T, lang, file string) [][]string {
	t.Helper()
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(file, "\uFEFF")))
	if lang == "pt-BR" {
		r.Comma = ';'
	}
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatalf("%v in the file %.500q", err, file)
	}
	return rows
}

// In none of the files is what others wrote a formula, and it is there unchanged save
// for apostrophes; the amounts are numbers.
func TestFiles_NoFormulas(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.SetFee(t, money.Fee{BasisPoints: 100})
	for _, text := range formulas {
		plain := strings.NewReplacer("\n", " ", "\r", " ", "\t", " ").Replace(text)
		if _, _, err := s.Merchants.CreateKey(t.Context(), s.Owner, s.Test, merchants.NewKey{
			Name: plain, Permissions: merchants.CheckoutIntegration,
		}); err != nil {
			t.Fatal(err)
		}
		email := "a@example.com"
		charge := s.Checkout(t, payments.NewCheckout{
			Amount: 1234_50, ExternalID: plain, Description: text, Customer: payments.Customer{
				Name: &plain, Email: &email, Document: &text,
			},
		})
		if err := s.SimulatePayment(t.Context(), charge.ID); err != nil {
			t.Fatal(err)
		}
	}
	c := s.Member(t)
	staff, _ := s.Console(t, models.StaffSupervisor)
	for lang, fee := range map[string]string{"pt-BR": "-12,35", "en": "-12.35"} {
		c.Lang, staff.Lang = lang, lang
		for path, client := range map[string]*webtest.Client{
			"/app/cobrancas/cobrancas.csv": c, "/app/saldo/extrato.csv": c, "/app/auditoria.csv": c,
			"/ops/auditoria.csv": staff,
		} {
			checkFile(t, client, path, fee)
		}
	}
}

// checkFile checks that no cell of a file is a formula, that every text is there, and, if it is
// the statement, that every fee is a number.
func checkFile(t *testing.T, client *webtest.Client, path, fee string) {
	t.Helper()
	raw, err := io.ReadAll(download(client, path).Body)
	if err != nil {
		t.Fatal(err)
	}
	file := strings.TrimPrefix(string(raw), "\uFEFF")
	checkCells(t, file)
	rows := records(t, client.Lang, file)
	if len(rows) <= len(formulas) {
		t.Fatalf("%s: %d rows", path, len(rows))
	}
	found, fees := map[string]bool{}, 0
	for _, row := range rows {
		for _, cell := range row {
			found[strings.ReplaceAll(cell, "'", "")] = true
			if cell == fee {
				fees++
			}
		}
	}
	for _, text := range formulas {
		if want := strings.NewReplacer("'", "", "\r\n", "\n").Replace(text); !strings.Contains(path, "auditoria") &&
			!found[want] {
			t.Errorf("%s has lost %q", path, text)
		}
	}
	if strings.Contains(path, "extrato") && fees != len(formulas) {
		t.Errorf("%d fees are numbers, want %d", fees, len(formulas))
	}
}
