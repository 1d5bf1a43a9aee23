package models

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// FoundKind is the kind of a search result.
type FoundKind string

const (
	FoundAccount     FoundKind = "account"
	FoundUser        FoundKind = "user" // one result for each account of the user
	FoundRequest     FoundKind = "request"
	FoundCheckout    FoundKind = "checkout"
	FoundLink        FoundKind = "link"
	FoundPayment     FoundKind = "payment"
	FoundException   FoundKind = "exception"
	FoundWithdrawal  FoundKind = "withdrawal"
	FoundDestination FoundKind = "destination"
	FoundDispute     FoundKind = "dispute"
	FoundBlock       FoundKind = "block"
	FoundAct         FoundKind = "act" // a line of the audit log
)

// Found is one search result, of any account.
type Found struct {
	Kind        FoundKind
	ID          string // id of the object to show: for an event its checkout, for a user the account
	Detail      string // a status, an email address or an action; for an account its document
	AccountID   string // "" without an account
	AccountName string
	Access      ProductionAccess // of the account; "" without an account
}

// foundLimit limits the results of a search.
const foundLimit = 50

// ofAccount joins the account of a result; the account's id follows.
const ofAccount = " JOIN accounts a ON a.id = "

// byID contains the search for each of our ids, by the id's prefix.
var byID = map[string]string{
	"acc_": "SELECT 'account', id, coalesce(document, ''), id, name FROM accounts WHERE id = $1",
	"usr_": foundUsers + "u.id = $1",
	"acr_": "SELECT 'request', r.id, r.status, a.id, a.name FROM access_requests r" + ofAccount +
		"r.account_id WHERE r.id = $1",
	"prj_": "SELECT 'account', a.id, j.name, a.id, a.name FROM projects j" + ofAccount + "j.account_id WHERE j.id = $1",
	"key_": "SELECT 'account', a.id, k.name, a.id, a.name FROM api_keys k JOIN projects j ON j.id = k.project_id" +
		ofAccount + "j.account_id WHERE k.id = $1",
	"we_": "SELECT 'account', a.id, e.url, a.id, a.name FROM webhook_endpoints e JOIN projects j ON j.id = " +
		"e.project_id" + ofAccount + "j.account_id WHERE e.id = $1",
	"chk_": "SELECT 'checkout', c.id, c.status, a.id, a.name FROM checkouts c JOIN projects j ON j.id = c.project_id" +
		ofAccount + "j.account_id WHERE c.id = $1",
	"evt_": `SELECT CASE WHEN e.withdrawal_id IS NOT NULL THEN 'withdrawal'
		WHEN e.checkout_id IS NOT NULL THEN 'checkout' ELSE 'account' END,
		coalesce(e.withdrawal_id, e.checkout_id, a.id), e.type, a.id, a.name
			FROM events e JOIN projects j ON j.id = e.project_id` + ofAccount + "j.account_id WHERE e.id = $1",
	"plink_": "SELECT 'link', l.id, CASE WHEN l.active THEN 'ACTIVE' ELSE 'INACTIVE' END, a.id, a.name FROM " +
		"payment_links l JOIN projects j ON j.id = l.project_id" + ofAccount + "j.account_id WHERE l.id = $1",
	"pay_": foundPayments + "p.id = $1",
	"wdr_": foundWithdrawals + "w.id = $1",
	"dst_": "SELECT 'destination', d.id, d.status, a.id, a.name FROM destinations d" + ofAccount +
		"d.account_id WHERE d.id = $1",
	"rfd_": `SELECT 'checkout', p.checkout_id, r.id, a.id, a.name
		FROM refunds r JOIN payments p ON p.id = r.payment_id` + ofAccount + "r.account_id WHERE r.id = $1",
	"blk_": "SELECT 'block', b.id, '', a.id, a.name FROM blocked_amounts b" + ofAccount +
		"b.account_id WHERE b.id = $1",
	"dsp_": `SELECT 'dispute', d.id, d.status, coalesce(a.id, ''), coalesce(a.name, '')
		FROM disputes d LEFT JOIN accounts a ON a.id = d.account_id WHERE d.id = $1`,
}

// A payment that changed no checkout is found as an exception, any other as a payment of its
// checkout.
const foundPayments = `SELECT CASE WHEN x.payment_id IS NOT NULL THEN 'exception' ELSE 'payment' END,
	CASE WHEN x.payment_id IS NOT NULL THEN p.id ELSE p.checkout_id END, p.end_to_end_id, coalesce(a.id, ''),
	coalesce(a.name, '')
	FROM payments p LEFT JOIN payment_exceptions x ON x.payment_id = p.id LEFT JOIN checkouts c ON c.id = p.checkout_id
	LEFT JOIN projects j ON j.id = c.project_id LEFT JOIN accounts a ON a.id = j.account_id WHERE `

const foundUsers = `SELECT 'user', coalesce(a.id, ''), concat_ws(' ', u.email, m.role, u.staff_role),
	coalesce(a.id, ''), coalesce(a.name, '')
	FROM users u LEFT JOIN members m ON m.user_id = u.id LEFT JOIN accounts a ON a.id = m.account_id WHERE `

const foundWithdrawals = "SELECT 'withdrawal', w.id, w.status, a.id, a.name FROM withdrawals w" + ofAccount +
	"w.account_id WHERE "

// The requests for production access whose answers are sealed. Their value is a digest.
const (
	foundByDocument = "SELECT 'request', r.id, r.status, a.id, a.name FROM access_requests r" + ofAccount +
		"r.account_id WHERE r.document_digest = $1"
	foundByEmail = "SELECT 'request', r.id, r.status, a.id, a.name FROM access_requests r" + ofAccount +
		"r.account_id WHERE r.email_digest = $1"
)

// withAccess adds the account's production access to the results of a search.
const withAccess = `SELECT f.kind, f.id, f.detail, f.account_id, f.name, coalesce(a.production_access, '')
	FROM (%s) f (kind, id, detail, account_id, name) LEFT JOIN accounts a ON a.id = f.account_id LIMIT $2`

// Find searches all accounts and both environments for text: one of our ids, an EndToEndID, a
// TxID, a transaction hash, a Request-Id in the audit log, an email address, a CPF or CNPJ
// without punctuation, or part of an account's name. The digests find the requests for
// production access with text as their document or email address. It returns at most
// foundLimit results.
func Find(ctx context.Context, q Reader, text string, documentDigest, emailDigest []byte) ([]Found, error) {
	var searches []string
	digests := map[string][]byte{foundByDocument: documentDigest, foundByEmail: emailDigest}
	prefix, _, _ := strings.Cut(text, "_")
	if search, ours := byID[prefix+"_"]; ours {
		searches = append(searches, search)
	}
	if endToEndID.MatchString(text) {
		searches = append(searches, foundPayments+"p.end_to_end_id = $1", foundWithdrawals+"w.end_to_end_id = $1")
	}
	if chargeTxID.MatchString(text) {
		searches = append(searches,
			"SELECT 'checkout', c.id, c.status, a.id, a.name FROM checkouts c JOIN projects j ON j.id = c.project_id"+
				ofAccount+"j.account_id WHERE c.txid = $1",
			foundPayments+"p.txid = $1 AND p.checkout_id IS NULL")
	}
	if IsTxHash(text) {
		searches = append(searches, foundWithdrawals+"w.tx_hash = $1")
	}
	if strings.Contains(text, "@") {
		searches = append(searches,
			foundUsers+"u.email = lower($1)",
			"SELECT 'request', r.id, r.contact_email, a.id, a.name FROM access_requests r"+ofAccount+
				"r.account_id WHERE r.contact_email = lower($1)", foundByEmail)
	}
	if len(searches) == 0 || strings.HasPrefix(text, "req_") {
		searches = append(searches,
			"SELECT 'act', l.object_id, l.action, coalesce(a.id, ''), coalesce(a.name, '') FROM audit_log l LEFT "+
				"JOIN accounts a ON a.id = l.account_id WHERE l.request_id = $1",
			"SELECT 'account', id, coalesce(document, ''), id, name FROM accounts WHERE document = $1 OR "+
				"strpos(lower(name), lower($1)) > 0",
			"SELECT 'request', r.id, r.status, a.id, a.name FROM access_requests r"+ofAccount+
				"r.account_id WHERE r.document = $1", foundByDocument)
	}
	var found []Found
	for _, search := range searches {
		var wanted any = text
		if digest, is := digests[search]; is {
			wanted = digest
		}
		rows, err := q.Query(ctx, fmt.Sprintf(withAccess, search), wanted, foundLimit-len(found))
		if err != nil {
			return nil, err
		}
		more, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Found])
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}
