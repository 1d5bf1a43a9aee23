package merchants

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"garoupa/internal/input"
	"garoupa/models"
)

// switchMails are the mails of a switch that is turned on and off.
var switchMails = map[models.Switch]map[bool]string{
	models.SwitchSuspended:          {true: models.MailAccountSuspended, false: models.MailAccountResumed},
	models.SwitchLiveBlocked:        {true: models.MailLiveBlocked, false: models.MailLiveUnblocked},
	models.SwitchWithdrawalsBlocked: {true: models.MailWithdrawalsBlocked, false: models.MailWithdrawalsUnblocked},
}

// SwitchMail returns the kind of mail that the owner gets when a switch is turned on or
// off; "" for an unknown switch.
func SwitchMail(which models.Switch, on bool) string { return switchMails[which][on] }

// SwitchTurn describes how to turn a switch of an account.
type SwitchTurn struct {
	Switch models.Switch
	On     bool
	Reason string // shown to the merchant
	Ticket string // the case number in another system, only for staff; "" for none
	Seen   *int64 // the id of the last change of the switch that the caller saw, 0 for none; nil skips this check
}

// maxTicket limits the case number, in characters.
const maxTicket = 100

// SetSwitch turns a switch of an account on or off, with a reason for the merchant, and mails
// it to the owner. Any member of staff who is not a member of the account may call it. If the
// switch already has this state, or was turned since the caller saw it, it fails with
// ErrChanged. It also fails with Invalid, ErrOwnAccount and refusal.Forbidden, and with
// models.ErrNotFound for an unknown account. Every instance applies the switch within a
// second.
func (s *Service) SetSwitch(ctx context.Context, by models.Actor, accountID string, turn SwitchTurn) error {
	turn.Ticket = input.Trim(turn.Ticket)
	problems := Invalid{}
	problems.reason(&turn.Reason)
	problems.line("ticket", turn.Ticket, 0, maxTicket)
	if !slices.Contains(models.Switches, turn.Switch) {
		problems["switch"] = Unknown
	}
	if err := problems.orNil(); err != nil {
		return err
	}
	by.AccountID = accountID
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		account, err := models.LockAccount(tx, accountID)
		if err != nil {
			return err
		}
		if err := staffFor(tx, by, models.Matter{AccountID: accountID}, models.Review); err != nil {
			return err
		}
		last, err := models.LastSwitchChange(tx, accountID, turn.Switch)
		if err == nil && turn.Seen != nil && *turn.Seen != last {
			err = ErrChanged
		}
		if err != nil {
			return err
		}
		changed, err := models.SetSwitch(tx, accountID, turn.Switch, turn.On)
		if err == nil && !changed {
			err = ErrChanged
		}
		if err != nil {
			return err
		}
		if err := s.recordTurn(tx, by, accountID, turn); err != nil {
			return err
		}
		return s.tellOwner(tx, account, SwitchMail(turn.Switch, turn.On), accountID,
			map[string]string{"reason": turn.Reason})
	})
	s.keys.clear()
	if err != nil {
		return fmt.Errorf("merchants: set switch: %w", err)
	}
	return nil
}

// recordTurn records the change of a switch with its author and reason, for the account and in
// the audit log.
func (s *Service) recordTurn(tx *models.Tx, by models.Actor, accountID string, turn SwitchTurn) error {
	err := models.InsertSwitchChange(tx, models.SwitchChange{
		AccountID: accountID, Switch: turn.Switch, TurnedOn: turn.On, Reason: turn.Reason, ChangedBy: by.UserID,
		ChangedAt: s.now(), Ticket: turn.Ticket,
	})
	if err != nil {
		return err
	}
	name := strings.ToLower(string(turn.Switch))
	action := map[bool]string{true: "switch.turned_on", false: "switch.turned_off"}[turn.On]
	c := change{before: map[string]string{name: strconv.FormatBool(!turn.On)},
		after: map[string]string{name: strconv.FormatBool(turn.On)}}
	detail := map[string]string{"reason": turn.Reason}
	if turn.Ticket != "" {
		detail["ticket"] = turn.Ticket
	}
	return s.auditChange(tx, by, action, accountID, c, detail)
}
