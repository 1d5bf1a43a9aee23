package page

import (
	"bufio"
	"context"
	"io"
	"regexp"
	"strings"
	"time"
	"unicode"

	"garoupa/internal/money"
	"garoupa/views/i18n"
)

// CSVFile writes rows as RFC 4180 says, every field in quotes. A file in Portuguese has what
// spreadsheets in Portuguese expect: semicolons between fields, and a comma in amounts. Fields may
// contain text of strangers, so the file makes sure that no spreadsheet reads a cell as a formula,
// whichever separator it uses.
type CSVFile struct {
	ctx context.Context
	to  *bufio.Writer
}

// NewCSVFile returns a file in the language of ctx that writes to to. It begins with a byte order
// mark, by which spreadsheets recognize UTF-8, and a row of the columns' names. An error is
// returned by a later call.
func NewCSVFile(ctx context.Context, to io.Writer, columns []string, name func(string) string) CSVFile {
	f := CSVFile{ctx, bufio.NewWriter(to)}
	f.to.WriteString("\uFEFF")
	var names []string
	for _, column := range columns {
		names = append(names, name(column))
	}
	f.WriteRow(names...)
	return f
}

// portuguese reports whether the file is one for spreadsheets in Portuguese.
func (f CSVFile) portuguese() bool { return i18n.Of(f.ctx) == i18n.Portuguese }

// Amount returns the field of an amount, which spreadsheets read as a number.
func (f CSVFile) Amount(c money.Cents) string {
	if f.portuguese() {
		return strings.Replace(c.Decimal(), ".", ",", 1)
	}
	return c.Decimal()
}

// Time returns the field of a moment, in Brasília time.
func (f CSVFile) Time(at time.Time) string { return i18n.Stamp(f.ctx, at) }

// Code returns the field of a code: words in Portuguese, and the code itself in English.
func (f CSVFile) Code(code string, words func(context.Context, string) string) string {
	if f.portuguese() && code != "" {
		return words(f.ctx, code)
	}
	return code
}

// WriteCells implements Table.
func (f CSVFile) WriteCells(cells ...any) error {
	fields := make([]string, len(cells))
	for i, cell := range cells {
		switch value := cell.(type) {
		case money.Cents:
			fields[i] = f.Amount(value)
		case time.Time:
			if !value.IsZero() {
				fields[i] = f.Time(value)
			}
		case string:
			fields[i] = value
		}
	}
	return f.WriteRow(fields...)
}

// WriteRow writes a row. An error may be returned only by a later call or by Flush.
func (f CSVFile) WriteRow(fields ...string) error {
	separator := byte(',')
	if f.portuguese() {
		separator = ';'
	}
	for i, field := range fields {
		if i > 0 {
			f.to.WriteByte(separator)
		}
		f.to.WriteString(`"` + strings.ReplaceAll(harmless(field), `"`, `""`) + `"`)
	}
	_, err := f.to.WriteString("\n")
	return err
}

// Flush writes the buffered rows.
func (f CSVFile) Flush() error { return f.to.Flush() }

// ourAmount matches a negative amount in the gateway's notation, which stays a number.
var ourAmount = regexp.MustCompile(`^-\d+[.,]\d{2}$`)

const (
	formulaStarts  = "=+-@＝＋－＠" // characters that begin a formula in spreadsheets (OWASP, CSV injection)
	cellSeparators = ",;\t\r\n"
)

// harmless returns the field with an apostrophe, which turns a formula into text, wherever a
// spreadsheet may begin a cell: at the start and after each separator. Like spreadsheets, it
// skips quotes and spaces before a formula.
func harmless(field string) string {
	if ourAmount.MatchString(field) {
		return field
	}
	var out strings.Builder
	starts := true
	for i, r := range field {
		if starts && startsFormula(field[i:]) {
			out.WriteByte('\'')
		}
		out.WriteRune(r)
		starts = strings.ContainsRune(cellSeparators, r)
	}
	return out.String()
}

func startsFormula(rest string) bool {
	switch rest[0] {
	case '\n':
		return false // the cell starts after the separator
	case '\t', '\r':
		return true // a spreadsheet may skip it and read the rest as a formula
	}
	rest = strings.TrimLeftFunc(rest, func(r rune) bool { return r == '"' || unicode.IsSpace(r) })
	return rest != "" && strings.IndexAny(rest, formulaStarts) == 0
}
