package models

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// CheckoutStatus is the state of a checkout (contract 3.1).
type CheckoutStatus string

const (
	CheckoutPending   CheckoutStatus = "PENDING"
	CheckoutPaid      CheckoutStatus = "PAID"
	CheckoutExpired   CheckoutStatus = "EXPIRED"
	CheckoutCancelled CheckoutStatus = "CANCELLED"
)

// SettlementStatus says whether a paid checkout's money is available (contract 3.2).
type SettlementStatus string

const (
	SettlementPending   SettlementStatus = "PENDING"
	SettlementAvailable SettlementStatus = "AVAILABLE"
	SettlementCompleted SettlementStatus = "COMPLETED"
)

// Checkout is one charge that a buyer can pay through Pix.
type Checkout struct {
	ID               string
	ProjectID        string
	Environment      Environment `gorm:"column:livemode"`
	Status           CheckoutStatus
	Amount           money.Cents
	Description      string
	ExternalID       string
	CustomerName     *string
	CustomerEmail    *string
	CustomerDocument *string // as read, nil if it is sealed
	SealedDocument   []byte  // sealed by package vault
	DocumentDigest   []byte  // keyed; set for writing
	CustomerPhone    []byte  // sealed by package vault
	Metadata         []byte  // a JSON object of strings
	TxID             string  // the id of the charge at the institution
	CopyPaste        string  // the BR Code
	QRPNG            []byte  // the QR code; only in test, where the API embeds it
	CreatedAt        time.Time
	ExpiresAt        time.Time
	PaidAt           *time.Time
	SettlementStatus SettlementStatus
	SettlementAmount *money.Cents // net, once AVAILABLE
	PaymentLinkID    *string      // nil if the API created the checkout
}

// NamesCustomer reports whether the checkout belongs to a Customer.
func (c *Checkout) NamesCustomer() bool {
	return c.SealedDocument != nil || c.CustomerDocument == nil && (c.CustomerEmail != nil || c.CustomerName != nil)
}

// Position is the checkout's place in lists.
func (c Checkout) Position() Position { return Position{c.CreatedAt, c.ID} }

const checkoutColumns = `c.id, c.project_id, c.livemode, c.status, c.amount, c.description, c.external_id,
	c.customer_name, c.customer_email, c.customer_document, c.sealed_document, c.metadata, c.txid, c.copy_paste,
	c.qr_png, c.created_at, c.expires_at, c.paid_at, c.settlement_status, c.settlement_amount, c.payment_link_id`

func (c *Checkout) targets() []any {
	return []any{&c.ID, &c.ProjectID, &c.Environment, &c.Status, &c.Amount, &c.Description, &c.ExternalID,
		&c.CustomerName, &c.CustomerEmail, &c.CustomerDocument, &c.SealedDocument, &c.Metadata, &c.TxID, &c.CopyPaste,
		&c.QRPNG, &c.CreatedAt, &c.ExpiresAt, &c.PaidAt, &c.SettlementStatus, &c.SettlementAmount, &c.PaymentLinkID}
}

// CheckoutByID returns one checkout of the scope, or ErrNotFound.
func CheckoutByID(ctx context.Context, q Querier, scope Scope, id string) (*Checkout, error) {
	if !checkoutShape.fits(id) {
		return nil, ErrNotFound
	}
	rows, err := q.Query(ctx, "SELECT "+checkoutColumns+` FROM checkouts c
		WHERE c.id = $1 AND c.project_id = $2 AND c.livemode = $3`, id, scope.ProjectID, scope.Environment)
	if err != nil {
		return nil, err
	}
	found, err := collectCheckouts(rows, 1)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, ErrNotFound
	}
	return &found[0], nil
}

// Merchant is the part of an account that the hosted page of a checkout needs.
type Merchant struct {
	Name     string
	Document *string
	AccountSwitches
}

// PublicCheckout is a checkout with the data of the merchant that its buyer may see.
type PublicCheckout struct {
	Checkout
	Merchant   Merchant
	Brand      Brand
	EndToEndID *string     // of the payment that settled it
	Refunded   money.Cents // what of that payment the buyer has again
	SuccessURL *string     // of the payment link
	ReturnURL  *string
	// Mispaid reports that money came which does not pay the checkout, and that was not given back.
	Mispaid bool
	// Of its charge at a bank; nil at the simulator.
	ChargeStatus *BankChargeStatus
	PayableUntil *time.Time // by the bank's clock
	ReadUntil    *time.Time // what the bank account received until then is recorded; by the bank's clock
	// The holder of the bank account, whom the payer's bank shows, and the account's bank.
	HolderName, HolderDocument, BankProfile *string
	// Approved is the request of the merchant that staff approved, with its id, its legal name and
	// its sealed answers; nil if they have not.
	Approved *AccessRequest
}

// Recipient returns who receives the money: the holder of the bank account, as the buyer's bank shows it. If the
// account is not known, it is the merchant, by the legal name approved or, if that is "", by the account's name.
func (c *PublicCheckout) Recipient(approved string) (name string, document *string) {
	if c.HolderName != nil {
		return *c.HolderName, c.HolderDocument
	}
	return cmp.Or(approved, c.Merchant.Name), c.Merchant.Document
}

// PublicCheckoutByID returns a checkout of any merchant for its hosted page, or ErrNotFound.
func PublicCheckoutByID(ctx context.Context, q Querier, id string) (*PublicCheckout, error) {
	if !checkoutShape.fits(id) {
		return nil, ErrNotFound
	}
	var c PublicCheckout
	var request, legalName *string
	var answers []byte
	m := &c.Merchant
	err := q.QueryRow(ctx, "SELECT "+checkoutColumns+`, p.end_to_end_id,
		coalesce((SELECT sum(r.amount) FROM refunds r WHERE r.payment_id = p.id AND r.status = 'COMPLETED'), 0)::bigint,
		l.success_url, l.return_url,
		a.name, a.document, a.production_access, a.suspended, a.live_blocked, a.withdrawals_blocked,
		EXISTS (SELECT FROM payments m JOIN payment_exceptions e ON e.payment_id = m.id
			WHERE m.checkout_id = c.id AND e.decision IS DISTINCT FROM 'REFUNDED'),
		bc.status, bc.payable_until, bs.watermark, ba.holder_name, ba.holder_document, ba.profile,
		r.id, r.legal_name, r.answers, `+brandColumns+`
		FROM checkouts c
		JOIN projects j ON j.id = c.project_id JOIN accounts a ON a.id = j.account_id
			LEFT JOIN brands b ON b.account_id = a.id
		LEFT JOIN payments p ON p.checkout_id = c.id AND p.settles
		LEFT JOIN payment_links l ON l.id = c.payment_link_id
		LEFT JOIN bank_charges bc ON bc.txid = c.txid AND c.livemode
			LEFT JOIN bank_accounts ba ON ba.id = bc.bank_account_id
			LEFT JOIN bank_sweeps bs ON bs.bank_account_id = bc.bank_account_id
		LEFT JOIN LATERAL (SELECT id, legal_name, answers FROM access_requests
			WHERE account_id = a.id AND status = 'APPROVED' ORDER BY submitted_at DESC, id DESC LIMIT 1) r ON true
		WHERE c.id = $1`, id).Scan(slices.Concat(c.targets(),
		[]any{&c.EndToEndID, &c.Refunded, &c.SuccessURL, &c.ReturnURL, &m.Name, &m.Document, &m.ProductionAccess,
			&m.Suspended, &m.LiveBlocked, &m.WithdrawalsBlocked, &c.Mispaid, &c.ChargeStatus, &c.PayableUntil,
			&c.ReadUntil, &c.HolderName, &c.HolderDocument, &c.BankProfile, &request, &legalName, &answers},
		c.Brand.targets())...)
	if err != nil {
		return nil, notFound(err)
	}
	if request != nil {
		c.Approved = &AccessRequest{ID: *request, LegalName: *legalName, Answers: answers}
	}
	return &c, nil
}

// AnyCheckout is a checkout with its account.
type AnyCheckout struct {
	Checkout
	AccountID, AccountName string
}

// AnyCheckoutByID returns a checkout of any account, for staff, or ErrNotFound.
func AnyCheckoutByID(ctx context.Context, q Querier, id string) (*AnyCheckout, error) {
	if !checkoutShape.fits(id) {
		return nil, ErrNotFound
	}
	var c AnyCheckout
	err := q.QueryRow(ctx, "SELECT "+checkoutColumns+`, a.id, a.name FROM checkouts c
		JOIN projects j ON j.id = c.project_id JOIN accounts a ON a.id = j.account_id WHERE c.id = $1`, id).
		Scan(append(c.targets(), &c.AccountID, &c.AccountName)...)
	if err != nil {
		return nil, notFound(err)
	}
	return &c, nil
}

// CheckoutsByAmount lists checkouts of all accounts, for staff, newest first: those that have
// an amount and were created between two times, and those that received a payment of the
// amount then.
func CheckoutsByAmount(ctx context.Context, q Reader, amount money.Cents, from, to time.Time,
	limit int) (list []AnyCheckout, err error) {
	rows, err := q.Query(ctx, "SELECT "+checkoutColumns+`, a.id, a.name FROM checkouts c
		JOIN projects j ON j.id = c.project_id JOIN accounts a ON a.id = j.account_id
		WHERE c.id IN (SELECT id FROM checkouts WHERE created_at >= $2 AND created_at < $3 AND amount = $1
			UNION SELECT checkout_id FROM payments WHERE recorded_at >= $2 AND recorded_at < $3 AND amount = $1)
		ORDER BY c.created_at DESC, c.id DESC LIMIT $4`, amount, from, to, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var c AnyCheckout
		if err := rows.Scan(append(c.targets(), &c.AccountID, &c.AccountName)...); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, rows.Err()
}

// CheckoutFilter narrows a list. The zero value selects everything.
type CheckoutFilter struct {
	Status        CheckoutStatus
	ExternalID    string
	PaymentLinkID string
	After         *Position // the last row of the previous page
	Limit         int
}

// ListCheckouts returns the scope's checkouts, newest first. It pages by keyset: the cost of a
// page grows neither with its depth nor with the number of rows.
func ListCheckouts(ctx context.Context, q Reader, scope Scope, f CheckoutFilter) ([]Checkout, error) {
	query := where{args: []any{scope.ProjectID, scope.Environment, f.Limit}}
	if f.Status != "" {
		query.and("c.status = %s", f.Status)
	}
	if f.ExternalID != "" {
		query.and("c.external_id = %s", f.ExternalID)
	}
	if f.PaymentLinkID != "" {
		query.and("c.payment_link_id = %s", f.PaymentLinkID)
	}
	query.after("c.created_at, c.id", "<", f.After)
	rows, err := q.Query(ctx, "SELECT "+checkoutColumns+" FROM checkouts c WHERE c.project_id = $1 AND c.livemode = $2"+
		query.sql+" ORDER BY c.created_at DESC, c.id DESC LIMIT $3", query.args...)
	if err != nil {
		return nil, err
	}
	return collectCheckouts(rows, f.Limit)
}

// SelfPayingCheckouts returns pending test checkouts, created by the time madeBy, that the
// simulator pays because of their amount (07 centavos), oldest first, at most 100. Only ID,
// TxID and Amount are set.
func SelfPayingCheckouts(ctx context.Context, q Querier, madeBy time.Time) ([]Checkout, error) {
	rows, err := q.Query(ctx, `SELECT txid, amount FROM checkouts
		WHERE status = 'PENDING' AND NOT livemode AND amount % 100 = 7 AND created_at <= $1
		ORDER BY created_at LIMIT 100`, madeBy)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (c Checkout, err error) {
		return c, row.Scan(&c.TxID, &c.Amount)
	})
}

// CheckoutReference is how a merchant identifies a checkout.
type CheckoutReference struct{ ExternalID, Description string }

// CheckoutReferences returns the references of those ids that are checkouts of the account, in
// any project.
func CheckoutReferences(ctx context.Context, q Reader, accountID string,
	ids []string) (map[string]CheckoutReference, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := q.Query(ctx,
		`SELECT c.id, c.external_id, c.description FROM checkouts c JOIN projects j ON j.id = c.project_id
		WHERE c.id = ANY($2) AND j.account_id = $1`, accountID, ids)
	if err != nil {
		return nil, err
	}
	found := map[string]CheckoutReference{}
	var id string
	var r CheckoutReference
	_, err = pgx.ForEachRow(rows, []any{&id, &r.ExternalID, &r.Description}, func() error {
		found[id] = r
		return nil
	})
	return found, err
}
