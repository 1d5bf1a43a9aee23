package models

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"garoupa/internal/money"
)

// Limits are the terms of an account besides its fee. A nil field means the installation's
// setting.
type Limits struct {
	MinAmount       *money.Cents `json:"minAmount"` // centavos, of one charge
	MaxAmount       *money.Cents `json:"maxAmount"`
	SettlementDelay *int64       `json:"settlementDelay"` // seconds from a live payment until its money is available
	DestinationHold *int64       `json:"destinationHold"` // seconds from a destination's approval until its first use
	// WebhookEndpoints is how many a project may have in an environment.
	WebhookEndpoints *int64 `json:"webhookEndpoints"`
}

const (
	// UsualEndpoints is the number of webhook endpoints that a project may have in one environment, unless staff
	// set another one, of MostEndpoints at most. Each of them makes every event another delivery.
	UsualEndpoints = 16
	MostEndpoints  = 64
)

// Endpoints returns how many webhook endpoints a project may have in an environment.
func (l Limits) Endpoints() int64 {
	if l.WebhookEndpoints == nil {
		return UsualEndpoints
	}
	return *l.WebhookEndpoints
}

// AccountLimits are limits of an account from a moment on. They never change after they are
// written.
type AccountLimits struct {
	Limits
	AccountID string    `json:"-"`
	ValidFrom time.Time `json:"validFrom"`
	Reason    *string   `json:"-"` // nil, like WrittenBy, in rows from before staff could set limits
	WrittenBy *string   `json:"-"` // a user id
	Writer    string    `json:"-"` // the user's name, read-only
	WrittenAt time.Time `json:"-"`
}

// LimitsHistory holds the past, current and future limits of an account, the ones written last
// first.
type LimitsHistory []AccountLimits

// At returns the limits that apply at t: of the rows whose moment has come, those written
// last.
func (h LimitsHistory) At(t time.Time) Limits {
	for _, l := range h {
		if !l.ValidFrom.After(t) {
			return l.Limits
		}
	}
	return Limits{}
}

// Scan implements sql.Scanner, for the result of limitsOf.
func (h *LimitsHistory) Scan(value any) error {
	*h = nil
	switch v := value.(type) {
	case nil:
		return nil
	case string:
		return json.Unmarshal([]byte(v), h)
	case []byte:
		return json.Unmarshal(v, h)
	}
	return fmt.Errorf("models: limits cannot be read from %T", value)
}

// limitsOf is the SQL expression for the LimitsHistory of an account a; null if there are no
// rows.
const limitsOf = `(SELECT jsonb_agg(jsonb_build_object('minAmount', l.min_amount, 'maxAmount', l.max_amount,
	'settlementDelay', l.settlement_delay, 'destinationHold', l.destination_hold,
	'webhookEndpoints', l.webhook_endpoints, 'validFrom', l.valid_from)
		ORDER BY l.id DESC)
	FROM account_limits l WHERE l.account_id = a.id)`

// InsertAccountLimits writes limits. The caller must hold the lock of the account's row.
func InsertAccountLimits(tx *Tx, l AccountLimits) error {
	return tx.exec(`INSERT INTO account_limits (account_id, min_amount, max_amount, settlement_delay,
			destination_hold, webhook_endpoints, valid_from, reason, written_by, written_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		l.AccountID, l.MinAmount, l.MaxAmount, l.SettlementDelay,
		l.DestinationHold, l.WebhookEndpoints, l.ValidFrom, l.Reason, l.WrittenBy, l.WrittenAt)
}

// AccountLimitsOf lists the past, current and future limits of an account, the ones written
// last first.
func AccountLimitsOf(ctx context.Context, q Querier, accountID string) (LimitsHistory, error) {
	return collect[AccountLimits](ctx, q, `SELECT l.account_id, l.min_amount, l.max_amount, l.settlement_delay,
			l.destination_hold, l.webhook_endpoints, l.valid_from, l.reason,
			l.written_by, coalesce(u.name, '') AS writer, l.written_at
		FROM account_limits l LEFT JOIN users u ON u.id = l.written_by WHERE l.account_id = $1 ORDER BY l.id DESC`,
		accountID)
}
