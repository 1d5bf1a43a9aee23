package models

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/money"
)

// MovementKind says what a line of a statement is about.
type MovementKind string

const (
	MovementPayment            MovementKind = "PAYMENT"             // a buyer paid
	MovementFee                MovementKind = "FEE"                 // on a payment
	MovementSettlement         MovementKind = "SETTLEMENT"          // pending money became available
	MovementAcceptance         MovementKind = "ACCEPTANCE"          // a payment that paid no checkout was credited
	MovementRefund             MovementKind = "REFUND"              // back to a buyer
	MovementBlock              MovementKind = "BLOCK"               // staff hold it back
	MovementRelease            MovementKind = "RELEASE"             // and let it go
	MovementReservation        MovementKind = "RESERVATION"         // a withdrawal was asked for
	MovementReservationEnd     MovementKind = "RESERVATION_END"     // it was cancelled, rejected or failed
	MovementWithdrawal         MovementKind = "WITHDRAWAL"          // it was paid out
	MovementWithdrawalFee      MovementKind = "WITHDRAWAL_FEE"      // the fee in it
	MovementWithdrawalReturned MovementKind = "WITHDRAWAL_RETURNED" // it came back
)

// flow is a way between two kinds of books. A flow is found by the account's own
// book in it, or by the rarer one of two.
type flow struct {
	kind     MovementKind
	from, to string
	byTo     bool
}

// flows are all that an account's money takes.
var flows = []flow{
	{MovementPayment, "clearing", "pending", true},
	{MovementFee, "pending", "fees", false},
	{MovementFee, "available", "fees", false},
	{MovementSettlement, "pending", "available", true},
	{MovementAcceptance, "suspense", "available", true},
	{MovementRefund, "available", "refunds", false},
	{MovementBlock, "available", "blocked", true},
	{MovementRelease, "blocked", "available", false},
	{MovementReservation, "available", "reserved", true},
	{MovementReservationEnd, "reserved", "available", false},
	{MovementWithdrawal, "reserved", "paid_out", false},
	{MovementWithdrawalFee, "reserved", "fees", false},
	{MovementWithdrawalReturned, "paid_out", "available", true},
}

// accountBooks are the kinds of books that an account has.
var accountBooks = []string{"pending", "available", "reserved", "blocked"}

// Movement is one line of an account's statement.
type Movement struct {
	ID     int64 // grows from line to line
	At     time.Time
	Kind   MovementKind
	Amount money.Cents // above zero if it is in favour of the account, or of what it has available
	// After it: all that the account has, and what of it is available.
	Total, Available money.Cents
	// LinkedID names what moved it: a checkout (chk_), a withdrawal (wdr_), a refund
	// (rfd_) or a blocked amount (blk_).
	LinkedID string

	total, available money.Cents // what it changed
}

// StatementFilter narrows a statement. The zero value is all of it.
type StatementFilter struct {
	From, Until time.Time      // of At: from the first, up to before the second; zero: unbounded
	Kinds       []MovementKind // empty: all
	Before      int64          // the ID of the last line of the page before; 0 begins with the newest
	Limit       int
}

// statementBatch is how many lines StreamStatement reads at a time.
const statementBatch = 1000

// StreamStatement hands every movement of the filter to each, the newest first,
// without ever holding all of them: it is for files. Limit is not looked at.
func StreamStatement(ctx context.Context, q Querier, accountID string, livemode bool, f StatementFilter, each func(Movement) error) error {
	for f.Limit = statementBatch; ; {
		batch, err := Statement(ctx, q, accountID, livemode, f)
		if err != nil {
			return err
		}
		for _, m := range batch {
			if err := each(m); err != nil {
				return err
			}
			f.Before = m.ID
		}
		if len(batch) < statementBatch {
			return nil
		}
	}
}

// Statement lists the movements of an account's money in the environment, the
// newest first, by keyset: a page costs the same wherever it is, and what moves
// while a reader pages neither shifts nor repeats one.
func Statement(ctx context.Context, q Querier, accountID string, livemode bool, f StatementFilter) ([]Movement, error) {
	s := statement{accountID: accountID, livemode: livemode, owner: accountID + "/test/", platform: "platform/test/"}
	if livemode {
		s.owner, s.platform = accountID+"/live/", "platform/live/"
	}
	page, err := s.page(ctx, q, f)
	if err != nil || len(page) == 0 {
		return nil, err
	}
	if len(f.Kinds) > 0 { // lines are missing between those of the page
		return page, s.balances(ctx, q, page)
	}
	last := len(page) - 1
	if err := s.balances(ctx, q, page[last:]); err != nil {
		return nil, err
	}
	for i := last - 1; i >= 0; i-- {
		page[i].Total, page[i].Available = page[i+1].Total+page[i].total, page[i+1].Available+page[i].available
	}
	return page, nil
}

// statement is one account's, in one environment.
type statement struct {
	accountID       string
	livemode        bool
	owner, platform string // what names of books begin with
}

// statementColumns are what a line is made of; statementRange is where it may be.
const (
	statementColumns = "t.id, t.fact, t.from_book, t.to_book, t.amount, t.recorded_at"
	statementRange   = " AND t.id > bounds.low AND t.id < bounds.high AND t.recorded_at >= $1 AND t.recorded_at < $2 ORDER BY t.id DESC LIMIT $3"
)

// statementBounds finds, by the snapshots' times, between which ids the movements of
// a time are: what was recorded before a snapshot was taken has an id up to its
// own. A minute and an hour are more than clocks and transactions take.
const statementBounds = `bounds AS (SELECT
		coalesce((SELECT through_id FROM ledger_snapshots WHERE account_id = $5 AND livemode = $6 AND taken_at < $1::timestamptz - interval '1 minute'
			ORDER BY taken_at DESC LIMIT 1), 0) AS low,
		least($4, coalesce((SELECT through_id + 1 FROM ledger_snapshots WHERE account_id = $5 AND livemode = $6 AND taken_at > $2::timestamptz + interval '1 hour'
			ORDER BY taken_at LIMIT 1), $4)) AS high)`

// Every movement of the account, once: by the book that it went to, or by the one
// that it came from if it left the account.
const statementOfAll = `SELECT ` + statementColumns + ` FROM bounds CROSS JOIN unnest($7::text[]) AS b (book) CROSS JOIN LATERAL (
		(SELECT * FROM ledger_transfers t WHERE t.to_book = b.book` + statementRange + `)
		UNION ALL
		(SELECT * FROM ledger_transfers t WHERE t.from_book = b.book AND t.to_book <> ALL($7)` + statementRange + `)) t`

// The movements of some flows. "|| ”" keeps the planner from looking them up by the
// other book, which is the platform's and has everybody's.
const statementOfSome = `SELECT ` + statementColumns + ` FROM bounds CROSS JOIN unnest($7::text[], $8::text[], $9::boolean[]) AS f (from_book, to_book, by_to) CROSS JOIN LATERAL (
		(SELECT * FROM ledger_transfers t WHERE f.by_to AND t.to_book = f.to_book AND t.from_book || '' = f.from_book` + statementRange + `)
		UNION ALL
		(SELECT * FROM ledger_transfers t WHERE NOT f.by_to AND t.from_book = f.from_book AND t.to_book || '' = f.to_book` + statementRange + `)) t`

// page reads the lines of a page, without the balances after them.
func (s statement) page(ctx context.Context, q Querier, f StatementFilter) ([]Movement, error) {
	if f.Before == 0 {
		f.Before = math.MaxInt64
	}
	if f.Until.IsZero() {
		f.Until = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	lines, args := statementOfAll, []any{f.From, f.Until, f.Limit, f.Before, s.accountID, s.livemode}
	if len(f.Kinds) == 0 {
		args = append(args, s.books())
	} else {
		lines = statementOfSome
		var from, to []string
		var byTo []bool
		for _, w := range flows {
			if slices.Contains(f.Kinds, w.kind) {
				from, to, byTo = append(from, s.book(w.from)), append(to, s.book(w.to)), append(byTo, w.byTo)
			}
		}
		args = append(args, from, to, byTo)
	}
	rows, err := q.Query(ctx, "WITH "+statementBounds+`, lines AS (`+lines+` ORDER BY t.id DESC LIMIT $3)
		SELECT l.id, l.from_book, l.to_book, l.amount, l.recorded_at, coalesce(p.checkout_id, split_part(l.fact, '/', 2))
		FROM lines l LEFT JOIN payments p ON p.id = split_part(l.fact, '/', 2) ORDER BY l.id DESC`, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, s.scan)
}

func (s statement) scan(row pgx.CollectableRow) (m Movement, err error) {
	var from, to string
	if err := row.Scan(&m.ID, &from, &to, &m.Amount, &m.At, &m.LinkedID); err != nil {
		return m, err
	}
	for _, w := range flows {
		if s.book(w.from) == from && s.book(w.to) == to {
			m.Kind = w.kind
			m.effect(w)
		}
	}
	return m, nil
}

// effect gives the amount its sign: what favours the account as a whole, or else
// what it has available, is above zero.
func (m *Movement) effect(w flow) {
	if w.to == "available" {
		m.available = m.Amount
	} else if w.from == "available" {
		m.available = -m.Amount
	}
	into, out := slices.Contains(accountBooks, w.to), slices.Contains(accountBooks, w.from)
	switch {
	case !out:
		m.total = m.Amount
	case !into:
		m.total = -m.Amount
	}
	if m.total < 0 || m.total == 0 && m.available < 0 {
		m.Amount = -m.Amount
	}
}

// balances fills in what the account had after each of the lines.
func (s statement) balances(ctx context.Context, q Querier, lines []Movement) error {
	ids := make([]int64, len(lines))
	for i, m := range lines {
		ids[i] = m.ID
	}
	rows, err := q.Query(ctx, `SELECT coalesce(s.pending + s.available + s.reserved + s.blocked, 0) + coalesce(m.total, 0), coalesce(s.available, 0) + coalesce(m.available, 0)
		FROM unnest($4::bigint[]) WITH ORDINALITY AS i (id, place)
		LEFT JOIN LATERAL (SELECT * FROM ledger_snapshots WHERE account_id = $1 AND livemode = $2 AND through_id <= i.id
			ORDER BY through_id DESC LIMIT 1) s ON true
		CROSS JOIN LATERAL (
			SELECT sum(x.amount)::bigint AS total, (sum(x.amount) FILTER (WHERE b.book ~ '/available$'))::bigint AS available
			FROM unnest($3::text[]) AS b (book) CROSS JOIN LATERAL ledger_moved(b.book, coalesce(s.through_id, 0), i.id) x) m
		ORDER BY i.place`, s.accountID, s.livemode, s.books(), ids)
	if err != nil {
		return err
	}
	i, total, available := 0, money.Cents(0), money.Cents(0)
	_, err = pgx.ForEachRow(rows, []any{&total, &available}, func() error {
		lines[i].Total, lines[i].Available = total, available
		i++
		return nil
	})
	return err
}

func (s statement) book(kind string) string {
	if slices.Contains(accountBooks, kind) {
		return s.owner + kind
	}
	return s.platform + kind
}

func (s statement) books() (books []string) {
	for _, kind := range accountBooks {
		books = append(books, s.owner+kind)
	}
	return books
}
