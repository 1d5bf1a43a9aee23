package models

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// collectCheckouts reads up to limit rows of checkoutColumns. A page has hundreds of values,
// so they are decoded in place: scanning each into a variable would cost more than the query
// costs PostgreSQL.
func collectCheckouts(rows pgx.Rows, limit int) ([]Checkout, error) {
	defer rows.Close()
	list := make([]Checkout, 0, limit)
	var d decoder
	for rows.Next() {
		d.row(rows.RawValues())
		list = append(list, d.checkout())
		if d.err != nil {
			return nil, d.err
		}
	}
	return list, rows.Err()
}

// checkout reads checkoutColumns.
func (d *decoder) checkout() Checkout {
	return Checkout{
		ID: d.text(), ProjectID: d.text(), Environment: Environment(d.boolean()), Status: CheckoutStatus(d.text()),
		Amount:      money.Cents(d.integer()),
		Description: d.text(), ExternalID: d.text(), CustomerName: d.nullable(), CustomerEmail: d.nullable(),
		CustomerDocument: d.nullable(), SealedDocument: d.bytes(),
		Metadata: d.bytes(), TxID: d.text(), CopyPaste: d.text(), QRPNG: d.bytes(),
		CreatedAt: d.time(), ExpiresAt: d.time(), PaidAt: d.nullableTime(),
		SettlementStatus: SettlementStatus(d.text()), SettlementAmount: d.nullableCents(), PaymentLinkID: d.nullable(),
	}
}

// errProtocol reports a connection whose values are not in PostgreSQL's binary format, which
// pgx requests unless the connection's URL says otherwise.
var errProtocol = errors.New("models: a value is not in the binary format; the database's URL must not set " +
	"default_query_exec_mode")

// decoder reads the values of rows, from left to right. All texts of a row are parts of one
// string, so they cost one allocation.
type decoder struct {
	values  [][]byte
	texts   string
	next    int // in values
	offset  int // in texts
	scratch []byte
	err     error
}

// row begins to read the values of a row, which may be reused after row returns.
func (d *decoder) row(values [][]byte) {
	d.scratch = d.scratch[:0]
	for _, v := range values {
		d.scratch = append(d.scratch, v...)
	}
	d.values, d.texts, d.next, d.offset = values, string(d.scratch), 0, 0
}

// value returns the next value; ok is false if it is null.
func (d *decoder) value() (v []byte, text string, ok bool) {
	v = d.values[d.next]
	text = d.texts[d.offset : d.offset+len(v)]
	d.next, d.offset = d.next+1, d.offset+len(v)
	return v, text, v != nil
}

func (d *decoder) text() string {
	_, text, _ := d.value()
	return text
}

func (d *decoder) nullable() *string {
	if _, text, ok := d.value(); ok {
		return &text
	}
	return nil
}

func (d *decoder) bytes() []byte {
	if _, text, ok := d.value(); ok {
		return []byte(text)
	}
	return nil
}

// fixed returns the next value, which has size bytes; nil if it is null.
func (d *decoder) fixed(size int) []byte {
	v, _, ok := d.value()
	if ok && len(v) != size {
		d.err, ok = errProtocol, false
	}
	if !ok {
		return nil
	}
	return v
}

func (d *decoder) boolean() bool {
	v := d.fixed(1)
	return v != nil && v[0] == 1
}

func (d *decoder) integer() int64 {
	if v := d.fixed(8); v != nil {
		return int64(binary.BigEndian.Uint64(v))
	}
	return 0
}

func (d *decoder) nullableCents() *money.Cents {
	if v := d.fixed(8); v != nil {
		return new(money.Cents(binary.BigEndian.Uint64(v)))
	}
	return nil
}

// epoch is the origin of PostgreSQL's timestamptz, in microseconds of Unix time.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

func (d *decoder) time() time.Time {
	if t := d.nullableTime(); t != nil {
		return *t
	}
	return time.Time{}
}

func (d *decoder) nullableTime() *time.Time {
	if v := d.fixed(8); v != nil {
		return new(time.UnixMicro(epoch + int64(binary.BigEndian.Uint64(v))).UTC())
	}
	return nil
}
