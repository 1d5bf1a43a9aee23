package models

import (
	"context"
	"time"
)

// Switch is one of the ways in which staff stop an account (docs/rules.md, "Account
// switches").
type Switch string

const (
	SwitchSuspended          Switch = "SUSPENDED"
	SwitchLiveBlocked        Switch = "LIVE_BLOCKED"
	SwitchWithdrawalsBlocked Switch = "WITHDRAWALS_BLOCKED"
)

// Switches lists all switches, the most severe first.
var Switches = []Switch{SwitchSuspended, SwitchLiveBlocked, SwitchWithdrawalsBlocked}

// On reports whether the switch is on in the account.
func (s Switch) On(a *Account) bool {
	switch s {
	case SwitchSuspended:
		return a.Suspended
	case SwitchLiveBlocked:
		return a.LiveBlocked
	case SwitchWithdrawalsBlocked:
		return a.WithdrawalsBlocked
	}
	return false
}

var switchColumns = map[Switch]string{
	SwitchSuspended: "suspended", SwitchLiveBlocked: "live_blocked", SwitchWithdrawalsBlocked: "withdrawals_blocked",
}

// SetSwitch turns a switch of an account on or off, and reports whether that changed anything.
// Open hosted pages are notified when tx commits.
func SetSwitch(tx *Tx, accountID string, s Switch, on bool) (changed bool, err error) {
	column := switchColumns[s]
	result := tx.Model(&Account{}).Where("id = ? AND "+column+" = ?", accountID, !on).Update(column, on)
	if result.Error != nil || result.RowsAffected == 0 {
		return false, result.Error
	}
	return true, notifyAll(tx)
}

// SwitchChange records who turned a switch on or off, when and why. It never changes after it
// is written.
type SwitchChange struct {
	AccountID string
	Switch    Switch
	TurnedOn  bool
	Reason    string // shown to the merchant
	ChangedBy string
	ChangedAt time.Time
	Ticket    string // reference to a case in another system, not shown to the merchant; "" for none
}

// LastSwitchChange returns the id of the last change of a switch of an account, or 0 if there
// is none.
func LastSwitchChange(tx *Tx, accountID string, s Switch) (id int64, err error) {
	err = tx.Scan("SELECT coalesce(max(id), 0) FROM switch_changes WHERE account_id = $1 AND switch = $2",
		[]any{accountID, s}, &id)
	return id, err
}

// InsertSwitchChange writes a change.
func InsertSwitchChange(tx *Tx, c SwitchChange) error {
	return tx.exec(`INSERT INTO switch_changes (account_id, switch, turned_on, reason, changed_by, changed_at, ticket)
		VALUES ($1, $2, $3, $4, $5, $6, nullif($7, ''))`,
		c.AccountID, c.Switch, c.TurnedOn, c.Reason, c.ChangedBy, c.ChangedAt, c.Ticket)
}

// ListedSwitchChange is a change with the name of the person who made it.
type ListedSwitchChange struct {
	SwitchChange
	ChangerName string
}

// SwitchChanges lists the changes of an account's switches, newest first.
func SwitchChanges(ctx context.Context, q Reader, accountID string) ([]ListedSwitchChange, error) {
	return collect[ListedSwitchChange](ctx, q, `SELECT c.account_id, c.switch, c.turned_on, c.reason, c.changed_by,
			c.changed_at, coalesce(c.ticket, '') AS ticket, u.name AS changer_name
		FROM switch_changes c JOIN users u ON u.id = c.changed_by
		WHERE c.account_id = $1 ORDER BY c.id DESC LIMIT 100`, accountID)
}

// LatestSwitchChange is the last change of a switch.
type LatestSwitchChange struct {
	ID int64 // increases with every change of any switch
	SwitchChange
}

// LatestSwitchChanges returns the last change of each switch of an account that was ever
// changed.
func LatestSwitchChanges(ctx context.Context, q Querier, accountID string) (map[Switch]LatestSwitchChange, error) {
	changes, err := collect[LatestSwitchChange](ctx, q, `SELECT DISTINCT ON (switch) id, account_id, switch, turned_on,
			reason, changed_by, changed_at, coalesce(ticket, '') AS ticket
		FROM switch_changes WHERE account_id = $1 ORDER BY switch, id DESC`, accountID)
	latest := map[Switch]LatestSwitchChange{}
	for _, c := range changes {
		latest[c.Switch] = c
	}
	return latest, err
}
