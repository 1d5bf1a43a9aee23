package page

import (
	"bytes"
	"context"
	"io"
	"os"
	"time"

	"github.com/xuri/excelize/v2"

	"garoupa/internal/money"
	"garoupa/views/i18n"
)

// Table is a file of rows. A cell is a string, a money.Cents, or a time.Time, whose zero leaves the
// cell empty.
type Table interface {
	WriteCells(cells ...any) error
	Flush() error
}

const (
	// SheetLines is how many lines a workbook has at most. All of it is in memory until it is
	// sent, unlike a CSV file.
	SheetLines = 20_000
	// sheetsAtOnce is how many workbooks a process makes at once; others wait.
	sheetsAtOnce = 2

	sheetAmount = `[$R$-416] #,##0.00;[Red]-[$R$-416] #,##0.00`
	sheetMoment = `dd/mm/yyyy hh:mm:ss`
	sheetWidth  = 22 // of each column, in digits
)

var sheetTurns = make(chan struct{}, sheetsAtOnce)

// WriteSheet writes a workbook with one sheet of that title, whose rows fill writes. Amounts are
// numbers and moments are dates in Brasília time. A text stays a text whatever it begins with, so
// that no cell is a formula.
func WriteSheet(ctx context.Context, to io.Writer, title string, columns []string,
	fill func(Table) error) error {
	made, err := makeSheet(ctx, title, columns, fill)
	if err != nil {
		return err
	}
	_, err = made.WriteTo(to)
	return err
}

func makeSheet(ctx context.Context, title string, columns []string, fill func(Table) error) (*bytes.Buffer, error) {
	select {
	case sheetTurns <- struct{}{}:
		defer func() { <-sheetTurns }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	// A long sheet would go to a temporary file. What merchants sell stays in memory, and the
	// image of the product has no place for such files.
	file := excelize.NewFile(excelize.Options{TmpDir: os.DevNull})
	defer file.Close()
	t, err := newSheet(file, title)
	if err != nil {
		return nil, err
	}
	if err := t.writeHead(columns); err != nil {
		return nil, err
	}
	if err := fill(t); err != nil {
		return nil, err
	}
	if err := t.stream.Flush(); err != nil {
		return nil, err
	}
	return file.WriteToBuffer()
}

// sheet is a Table in a workbook.
type sheet struct {
	stream               *excelize.StreamWriter
	row                  int
	head, amount, moment int // styles
}

func newSheet(file *excelize.File, title string) (*sheet, error) {
	if err := file.SetSheetName(file.GetSheetName(0), title); err != nil {
		return nil, err
	}
	if err := file.SetDocProps(&excelize.DocProperties{Creator: "Garoupa", Title: title}); err != nil {
		return nil, err
	}
	t := &sheet{}
	amount, moment := sheetAmount, sheetMoment
	for style, to := range map[*excelize.Style]*int{
		{Font: &excelize.Font{Bold: true}}: &t.head,
		{CustomNumFmt: &amount}:            &t.amount,
		{CustomNumFmt: &moment}:            &t.moment,
	} {
		id, err := file.NewStyle(style)
		if err != nil {
			return nil, err
		}
		*to = id
	}
	var err error
	t.stream, err = file.NewStreamWriter(title)
	return t, err
}

// writeHead writes the names of the columns, which stay in sight.
func (t *sheet) writeHead(columns []string) error {
	if err := t.stream.SetColWidth(1, len(columns), sheetWidth); err != nil {
		return err
	}
	if err := t.stream.SetPanes(&excelize.Panes{
		Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft",
	}); err != nil {
		return err
	}
	cells := make([]any, len(columns))
	for i, column := range columns {
		cells[i] = excelize.Cell{StyleID: t.head, Value: column}
	}
	return t.write(cells)
}

// WriteCells implements Table.
func (t *sheet) WriteCells(cells ...any) error {
	typed := make([]any, len(cells))
	for i, cell := range cells {
		switch value := cell.(type) {
		case money.Cents:
			typed[i] = excelize.Cell{StyleID: t.amount, Value: float64(value) / 100}
		case time.Time:
			if !value.IsZero() {
				typed[i] = excelize.Cell{StyleID: t.moment, Value: wall(value)}
			}
		case string:
			typed[i] = value
		}
	}
	return t.write(typed)
}

func (t *sheet) write(cells []any) error {
	t.row++
	place, err := excelize.CoordinatesToCellName(1, t.row)
	if err != nil {
		return err
	}
	return t.stream.SetRow(place, cells)
}

// Flush implements Table: a workbook is sent as a whole.
func (t *sheet) Flush() error { return nil }

// wall returns what clocks in Brasília show, because cells know no time zones.
func wall(at time.Time) time.Time {
	at = i18n.Brasilia(at)
	return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0, time.UTC)
}
