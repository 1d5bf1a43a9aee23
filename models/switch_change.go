package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Switch is one of the ways in which staff stop an account (decisions, 8).
type Switch string

const (
	SwitchSuspended          Switch = "SUSPENDED"
	SwitchLiveBlocked        Switch = "LIVE_BLOCKED"
	SwitchWithdrawalsBlocked Switch = "WITHDRAWALS_BLOCKED"
)

// Switches are all of them, the gravest first.
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

// SetSwitch turns a switch of an account on or off, and reports whether that
// changed anything. The hosted pages that are open look again when tx commits.
func SetSwitch(tx *Tx, accountID string, s Switch, on bool) (changed bool, err error) {
	column := switchColumns[s]
	result := tx.Model(&Account{}).Where("id = ? AND "+column+" = ?", accountID, !on).Update(column, on)
	if result.Error != nil || result.RowsAffected == 0 {
		return false, result.Error
	}
	return true, notifyAll(tx)
}

// SwitchChange is who turned a switch on or off, when and why. It is final once
// written.
type SwitchChange struct {
	AccountID string
	Switch    Switch
	TurnedOn  bool
	Reason    string // as the merchant reads it
	ChangedBy string
	ChangedAt time.Time
	Ticket    string // the case elsewhere, which no merchant sees; "" for none
}

// LastSwitchChange returns the id of the last change of a switch of an account, 0 if it was
// never turned.
func LastSwitchChange(tx *Tx, accountID string, s Switch) (id int64, err error) {
	err = tx.Raw("SELECT coalesce(max(id), 0) FROM switch_changes WHERE account_id = ? AND switch = ?", accountID, s).Row().Scan(&id)
	return id, err
}

// InsertSwitchChange writes a change.
func InsertSwitchChange(tx *Tx, c SwitchChange) error {
	return tx.Exec("INSERT INTO switch_changes (account_id, switch, turned_on, reason, changed_by, changed_at, ticket) VALUES (?, ?, ?, ?, ?, ?, nullif(?, ''))",
		c.AccountID, c.Switch, c.TurnedOn, c.Reason, c.ChangedBy, c.ChangedAt, c.Ticket).Error
}

// ListedSwitchChange is a change with the name of who made it.
type ListedSwitchChange struct {
	SwitchChange
	ChangerName string
}

// SwitchChanges lists the changes of an account's switches, the latest first.
func SwitchChanges(ctx context.Context, q Querier, accountID string) ([]ListedSwitchChange, error) {
	rows, err := q.Query(ctx, `SELECT c.account_id, c.switch, c.turned_on, c.reason, c.changed_by, c.changed_at, coalesce(c.ticket, ''), u.name
		FROM switch_changes c JOIN users u ON u.id = c.changed_by WHERE c.account_id = $1 ORDER BY c.id DESC LIMIT 100`, accountID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (c ListedSwitchChange, err error) {
		return c, row.Scan(&c.AccountID, &c.Switch, &c.TurnedOn, &c.Reason, &c.ChangedBy, &c.ChangedAt, &c.Ticket, &c.ChangerName)
	})
}

// LatestSwitchChange is the last change of a switch.
type LatestSwitchChange struct {
	ID int64 // grows with every change of any switch
	SwitchChange
}

// LatestSwitchChanges returns the last change of each switch of an account that was
// ever changed.
func LatestSwitchChanges(ctx context.Context, q Querier, accountID string) (map[Switch]LatestSwitchChange, error) {
	rows, err := q.Query(ctx, `SELECT DISTINCT ON (switch) id, account_id, switch, turned_on, reason, changed_by, changed_at, coalesce(ticket, '')
		FROM switch_changes WHERE account_id = $1 ORDER BY switch, id DESC`, accountID)
	if err != nil {
		return nil, err
	}
	latest := map[Switch]LatestSwitchChange{}
	var c LatestSwitchChange
	_, err = pgx.ForEachRow(rows, []any{&c.ID, &c.AccountID, &c.Switch, &c.TurnedOn, &c.Reason, &c.ChangedBy, &c.ChangedAt, &c.Ticket}, func() error {
		latest[c.Switch] = c
		return nil
	})
	return latest, err
}
