package models

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// MovementKind says why money moved.
type MovementKind string

const (
	MovementPayment            MovementKind = "PAYMENT"             // a buyer paid
	MovementFee                MovementKind = "FEE"                 // fee of a payment
	MovementSettlement         MovementKind = "SETTLEMENT"          // pending money became available
	MovementAcceptance         MovementKind = "ACCEPTANCE"          // staff credited a payment that changed no checkout
	MovementRefund             MovementKind = "REFUND"              // money went back to a buyer
	MovementRefundUndone       MovementKind = "REFUND_UNDONE"       // a refund failed
	MovementBlock              MovementKind = "BLOCK"               // staff held money back, or a dispute does
	MovementRelease            MovementKind = "RELEASE"             // it was released
	MovementReservation        MovementKind = "RESERVATION"         // a withdrawal was requested
	MovementReservationEnd     MovementKind = "RESERVATION_END"     // the withdrawal was canceled, rejected or failed
	MovementWithdrawal         MovementKind = "WITHDRAWAL"          // a withdrawal was paid out
	MovementWithdrawalFee      MovementKind = "WITHDRAWAL_FEE"      // fee of a withdrawal
	MovementWithdrawalReturned MovementKind = "WITHDRAWAL_RETURNED" // a withdrawal came back
	MovementOwnBank            MovementKind = "OWN_BANK"            // money is at the merchant's own bank account
	MovementOwnBankReturn      MovementKind = "OWN_BANK_RETURN"     // money came from there for a refund
)

// flow is a movement between two kinds of books. It is searched by the account's own book or,
// if both are, by the one with fewer transfers.
type flow struct {
	kind     MovementKind
	from, to string
	byTo     bool
}

// flows lists all ways in which an account's money moves.
var flows = []flow{
	{MovementPayment, "clearing", "pending", true},
	{MovementFee, "pending", "fees", false},
	{MovementFee, "available", "fees", false},
	{MovementSettlement, "pending", "available", true},
	{MovementAcceptance, "suspense", "available", true},
	{MovementAcceptance, "suspense", "pending", true},
	{MovementRefund, "available", "refunds", false},
	{MovementRefund, "pending", "refunds", false},
	{MovementRefund, "blocked", "refunds", false},
	{MovementRefundUndone, "refunds", "pending", true},
	{MovementRefundUndone, "refunds", "available", true},
	{MovementBlock, "available", "blocked", true},
	{MovementRelease, "blocked", "available", false},
	{MovementReservation, "available", "reserved", true},
	{MovementReservationEnd, "reserved", "available", false},
	{MovementWithdrawal, "reserved", "paid_out", false},
	{MovementWithdrawalFee, "reserved", "fees", false},
	{MovementWithdrawalReturned, "paid_out", "available", true},
	{MovementOwnBank, "pending", "paid_out", false},
	{MovementOwnBankReturn, "paid_out", "pending", true},
}

// accountBooks are the kinds of books that an account has.
var accountBooks = []string{"pending", "available", "reserved", "blocked"}

// Movement is one line of an account's statement.
type Movement struct {
	ID   int64     // increases from line to line: statements have the ledger's order
	At   time.Time // by the clock of the process that wrote it; not always in order
	Kind MovementKind
	// Amount is positive if it increases the account's total or, where the total stays the same, the available money.
	Amount money.Cents
	// The account's balance after this line and all lines before it in the ledger's order,
	// including those that a filter leaves out: in total, and the available part.
	Total, Available money.Cents
	// LinkedID is the id of the cause: a checkout (chk_), a withdrawal (wdr_), a refund (rfd_),
	// a dispute (dsp_) or a blocked amount (blk_).
	LinkedID string
}

// Position is the line's place in lists.
func (m Movement) Position() Position { return numbered(m.At, m.ID) }

// StatementFilter narrows a statement. The zero value selects everything.
type StatementFilter struct {
	From, Until time.Time      // bounds of At: From is inclusive, Until exclusive; zero means no bound
	Kinds       []MovementKind // empty means all
	Before      int64          // the ID of the last line of the previous page; 0 starts with the newest
	Limit       int
}

const (
	// statementBatch is the number of lines that StreamStatement reads at a time.
	statementBatch = 1000
	// statementPatience is how long StreamStatement waits for transfers that are being
	// written.
	statementPatience = 2 * time.Second
)

// StreamStatement calls each with every movement of the filter, newest first, and holds only
// one batch of them in memory, for use in files. It ignores Limit. It reads several batches,
// so it starts at a point before which no line can be added anymore: now, or the newest
// snapshot if a transaction with an older id stays open. Only the primary knows this point.
func StreamStatement(ctx context.Context, db *DB, accountID string, environment Environment, f StatementFilter,
	each func(Movement) error) error {
	through, err := DecidedTransfers(ctx, db.Pool, statementPatience)
	if errors.Is(err, ErrUndecided) {
		err = db.Pool.QueryRow(ctx, "SELECT coalesce(max(through_id), 0) FROM ledger_snapshots").Scan(&through)
	}
	if err != nil {
		return err
	}
	for f.Before, f.Limit = through+1, statementBatch; ; {
		batch, err := Statement(ctx, db.Read, accountID, environment, f)
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

// countLines counts the lines, and tells the types of the arguments that only balances need.
const countLines = `, args AS (SELECT $1::text, $2::boolean, $7::text[], $8::text) SELECT count(*) FROM lines`

// CountStatement counts the movements of the filter, up to its Limit.
func CountStatement(ctx context.Context, q Reader, accountID string, environment Environment,
	f StatementFilter) (count int, err error) {
	lines, args := newStatement(accountID, environment).lines(f)
	err = q.QueryRow(ctx, lines+countLines, args...).Scan(&count)
	return count, err
}

// Statement lists the movements of an account's money in the environment, newest first, paged
// by keyset: every page costs the same, and new movements neither shift nor repeat lines.
// Lines are in the ledger's order, which is that of their ids; a line belongs to the day of
// its own At. Lines and balances are read at one moment.
func Statement(ctx context.Context, q Reader, accountID string, environment Environment,
	f StatementFilter) ([]Movement, error) {
	s := newStatement(accountID, environment)
	lines, args := s.lines(f)
	rows, err := q.Query(ctx, lines+statementBalances, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, s.scan)
}

// statement reads the statement of one account in one environment.
type statement struct {
	account         string
	environment     Environment
	owner, platform string // what names of books begin with
}

func newStatement(accountID string, environment Environment) statement {
	within := "/" + environment.String() + "/"
	return statement{account: accountID, environment: environment, owner: accountID + within,
		platform: "platform" + within}
}

// lines returns the start of a query, which selects the lines of the filter, and its arguments.
func (s statement) lines(f StatementFilter) (query string, args []any) {
	if f.Before == 0 {
		f.Before = math.MaxInt64
	}
	lines, args := statementOfAll, []any{
		s.account, s.environment, f.Before, f.Limit, time.Time{}, statementEnd, s.books(), s.book("available"),
	}
	ids := "SELECT 0 AS low, $3::bigint AS high WHERE $5::timestamptz <= $6::timestamptz"
	if !f.From.IsZero() || !f.Until.IsZero() {
		ids, args[4] = statementIDs, f.From
	}
	if !f.Until.IsZero() {
		args[5] = f.Until
	}
	if len(f.Kinds) > 0 {
		lines = statementOfSome
		args = append(args, s.flows(f.Kinds)...)
	}
	return "WITH ids AS (" + ids + "), lines AS (" + lines + " ORDER BY t.id DESC LIMIT $4)", args
}

// statementEnd is later than any line.
var statementEnd = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// statementIDs selects the ranges of ids in which an account's lines of a period may be: those
// of its hours, and all ids after the last one in ledger_hours. Only the times of the lines
// matter, not the clock.
const statementIDs = `
	SELECT min(first_id) - 1 AS low, least($3, max(last_id) + 1) AS high FROM ledger_hours
		WHERE account_id = $1 AND livemode = $2
			AND hour >= date_trunc('hour', $5::timestamptz, 'UTC') AND hour < $6::timestamptz
	UNION ALL
	SELECT through_id, $3 FROM ledger_hours_through`

// statementOfAll selects every movement of the account, once: by the book that received a transfer, or by the one that
// gave it if the money left the account. ledger_lines reads no line outside of a range.
const statementOfAll = `SELECT t.* FROM ids CROSS JOIN unnest($7::text[]) AS b (book) CROSS JOIN LATERAL (
		SELECT * FROM ledger_lines(b.book, true, ids.low, ids.high, $5, $6, '{}', false, $4)
		UNION ALL
		SELECT * FROM ledger_lines(b.book, false, ids.low, ids.high, $5, $6, $7, false, $4)) t`

// statementOfSome selects the movements of some flows.
const statementOfSome = `SELECT t.* FROM ids CROSS JOIN unnest($9::text[], $10::text[], $11::boolean[])
	AS b (from_book, to_book, by_to)
	CROSS JOIN LATERAL ledger_lines(CASE WHEN b.by_to THEN b.to_book ELSE b.from_book END, b.by_to, ids.low, ids.high,
		$5, $6, ARRAY[CASE WHEN b.by_to THEN b.from_book ELSE b.to_book END], true, $4) t`

// statementBalances adds the balances after each line. Lines with the same snapshot before
// them share one sum from the snapshot to the first of them; from there to the last, the sum
// runs over all transfers, including those that the filter leaves out.
const statementBalances = `, runs AS (
		SELECT s.through_id, s.total, s.available, min(l.id) AS first, max(l.id) AS last FROM lines l
		LEFT JOIN LATERAL (SELECT through_id, pending + available + reserved + blocked AS total, available
			FROM ledger_snapshots
			WHERE account_id = $1 AND livemode = $2 AND through_id <= l.id ORDER BY through_id DESC LIMIT 1) s ON true
		GROUP BY 1, 2, 3
	), changes AS (
		SELECT r.first, c.id, sum(c.amount) AS total, sum(c.amount) FILTER (WHERE b.book = $8) AS available
		FROM runs r CROSS JOIN unnest($7::text[]) AS b (book) CROSS JOIN LATERAL (
			SELECT r.first AS id, coalesce(sum(m.amount), 0) AS amount
				FROM ledger_moved(b.book, coalesce(r.through_id, 0), r.first) m
			UNION ALL
			SELECT id, amount FROM ledger_changes(b.book, r.first, r.last)) c
		GROUP BY r.first, c.id
	), balances AS (
		SELECT c.id, coalesce(r.total, 0) + sum(c.total) OVER w AS total,
			coalesce(r.available, 0) + coalesce(sum(c.available) OVER w, 0) AS available
		FROM changes c JOIN runs r USING (first) WINDOW w AS (PARTITION BY c.first ORDER BY c.id)
	)
	SELECT l.id, l.from_book, l.to_book, l.amount, l.recorded_at,
		coalesce(p.checkout_id, x.checkout_id, split_part(l.fact, '/', 2)),
		b.total::bigint, b.available::bigint
	FROM lines l JOIN balances b USING (id) LEFT JOIN payments p ON p.id = split_part(l.fact, '/', 2)
		LEFT JOIN payment_exceptions x ON x.payment_id = p.id
		ORDER BY l.id DESC`

func (s statement) scan(row pgx.CollectableRow) (m Movement, err error) {
	var from, to string
	if err := row.Scan(&m.ID, &from, &to, &m.Amount, &m.At, &m.LinkedID, &m.Total, &m.Available); err != nil {
		return m, err
	}
	return s.signed(m, from, to), nil
}

// signed returns a movement between two books with its kind, and with its sign if it is against the account.
func (s statement) signed(m Movement, from, to string) Movement {
	for _, w := range flows {
		if s.book(w.from) == from && s.book(w.to) == to {
			m.Kind = w.kind
			if w.against() {
				m.Amount = -m.Amount
			}
		}
	}
	return m
}

// against reports whether the flow reduces the account's total, or its available money with
// the same total.
func (w flow) against() bool {
	into, out := slices.Contains(accountBooks, w.to), slices.Contains(accountBooks, w.from)
	return out && (!into || w.from == "available")
}

// flows returns the books and the direction of each flow of some kinds, as arguments.
func (s statement) flows(kinds []MovementKind) []any {
	var from, to []string
	var byTo []bool
	for _, w := range flows {
		if slices.Contains(kinds, w.kind) {
			from, to, byTo = append(from, s.book(w.from)), append(to, s.book(w.to)), append(byTo, w.byTo)
		}
	}
	return []any{from, to, byTo}
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
