package models

import (
	"context"
	"time"
)

// ReasonKind is a kind of decision for which reasons are saved.
type ReasonKind string

const (
	ReasonAccess      ReasonKind = "access"
	ReasonDestination ReasonKind = "destination"
	ReasonWithdrawal  ReasonKind = "withdrawal"
	ReasonRefund      ReasonKind = "payment" // money of a payment goes back to its buyer
	ReasonException   ReasonKind = "exception"
	ReasonDispute     ReasonKind = "dispute"
	ReasonFee         ReasonKind = "fee"
	ReasonName        ReasonKind = "name"
	ReasonBlock       ReasonKind = "block"    // an amount is blocked, or released
	ReasonSwitch      ReasonKind = "switch"   // a switch of an account is turned on or off
	ReasonProposal    ReasonKind = "proposal" // fees are proposed
	ReasonLimits      ReasonKind = "limits"
)

// ReasonKinds lists all kinds, in the order of the console's sections.
var ReasonKinds = []ReasonKind{ReasonAccess, ReasonDestination, ReasonWithdrawal, ReasonException, ReasonRefund,
	ReasonDispute, ReasonFee, ReasonName, ReasonBlock, ReasonSwitch, ReasonProposal, ReasonLimits}

// MostReasons is how many saved reasons a kind has at most, besides retired ones.
const MostReasons = 50

// ReasonsOnce is the constraint that a kind has a saved reason once.
const ReasonsOnce = "decision_reasons_text"

// DecisionReason is a text that staff saved as a reason for decisions of a kind.
type DecisionReason struct {
	ID        string
	Kind      ReasonKind
	Place     int // from 1 to MostReasons, unique among the live ones of the kind
	Text      string
	Version   int // increases with every change
	CreatedBy string
	CreatedAt time.Time
	RetiredBy *string
	RetiredAt *time.Time // nil means that it can be picked
}

const decisionReasonQuery = `SELECT id, kind, place, text, version, created_by, created_at, retired_by, retired_at
	FROM decision_reasons `

// DecisionReasons lists the reasons of a kind that can be picked, in alphabetical order.
func DecisionReasons(ctx context.Context, q Querier, kind ReasonKind) ([]DecisionReason, error) {
	return collect[DecisionReason](ctx, q, decisionReasonQuery+
		"WHERE kind = $1 AND retired_at IS NULL ORDER BY lower(text), id", kind)
}

// LiveReason returns a reason that can be picked, or ErrNotFound.
func LiveReason(ctx context.Context, q Querier, id string) (*DecisionReason, error) {
	if !reasonShape.fits(id) {
		return nil, ErrNotFound
	}
	return one[DecisionReason](ctx, q, decisionReasonQuery+"WHERE id = $1 AND retired_at IS NULL", id)
}

// LockReason returns a reason and locks its row until tx ends, or returns ErrNotFound.
func LockReason(tx *Tx, id string) (*DecisionReason, error) {
	if !reasonShape.fits(id) {
		return nil, ErrNotFound
	}
	return within(tx, func(ctx context.Context, q Querier) (*DecisionReason, error) {
		return one[DecisionReason](ctx, q, decisionReasonQuery+"WHERE id = $1 FOR UPDATE", id)
	})
}

// InsertReason writes a reason at the first free place of its kind. It reports false if no place is free. Those of
// others wait until tx ends.
func InsertReason(tx *Tx, r DecisionReason) (added bool, err error) {
	if err := tx.exec("LOCK TABLE decision_reasons IN SHARE ROW EXCLUSIVE MODE"); err != nil {
		return false, err
	}
	return tx.execOne(`INSERT INTO decision_reasons (id, kind, place, text, created_by, created_at)
		SELECT $1, $2, min(place), $3, $4, $5 FROM generate_series(1, $6) place
		WHERE place NOT IN (SELECT place FROM decision_reasons WHERE kind = $2 AND retired_at IS NULL)
		HAVING count(*) > 0`, r.ID, r.Kind, r.Text, r.CreatedBy, r.CreatedAt, MostReasons)
}

// SaveReason writes the text of a reason, or that it is retired, and increases its version. The caller has locked
// it.
func SaveReason(tx *Tx, r *DecisionReason) error {
	r.Version++
	return tx.exec(`UPDATE decision_reasons SET text = $2, version = $3, retired_by = $4, retired_at = $5
		WHERE id = $1`, r.ID, r.Text, r.Version, r.RetiredBy, r.RetiredAt)
}
