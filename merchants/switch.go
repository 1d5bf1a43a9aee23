package merchants

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"garoupa/models"
)

// switchMails are the mails of a switch that goes on, and off.
var switchMails = map[models.Switch]map[bool]string{
	models.SwitchSuspended:          {true: models.MailAccountSuspended, false: models.MailAccountResumed},
	models.SwitchLiveBlocked:        {true: models.MailLiveBlocked, false: models.MailLiveUnblocked},
	models.SwitchWithdrawalsBlocked: {true: models.MailWithdrawalsBlocked, false: models.MailWithdrawalsUnblocked},
}

// SwitchMail is the kind of mail that the owner gets when a switch is turned on, or off;
// "" for no switch.
func SwitchMail(which models.Switch, on bool) string { return switchMails[which][on] }

// SwitchTurn is how a switch of an account is turned.
type SwitchTurn struct {
	Switch models.Switch
	On     bool
	Reason string // the merchant reads it
	Ticket string // the case elsewhere, for staff alone; "" for none
	Seen   *int64 // the id of the switch's last change when it was looked at, 0 for none; nil: whatever it is
}

// maxTicket bounds the number of a case, in characters.
const maxTicket = 100

// SetSwitch turns a switch of an account on or off, with a reason that the merchant
// reads, and mails it to the owner; any of staff who is no member of it may. If the switch is that way already,
// or was turned since it was looked at,
// it fails with ErrChanged; it also fails with Invalid, ErrOwnAccount and
// fault.Forbidden, and with models.ErrNotFound for an unknown account. Every
// instance obeys within a second.
func (s *Service) SetSwitch(ctx context.Context, by Actor, accountID string, turn SwitchTurn) error {
	turn.Reason, turn.Ticket = strings.TrimSpace(strings.ReplaceAll(turn.Reason, "\r\n", "\n")), strings.TrimSpace(turn.Ticket)
	problems := Invalid{}
	problems.length("reason", turn.Reason, MinReasonLength, MaxReasonLength)
	problems.length("ticket", turn.Ticket, 0, maxTicket)
	if !slices.Contains(models.Switches, turn.Switch) {
		problems["switch"] = Unknown
	}
	if err := problems.orNil(); err != nil {
		return err
	}
	by.AccountID = accountID
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		if err := staffFor(tx, by, accountID, models.StaffReviewer, models.StaffSupervisor); err != nil {
			return err
		}
		account, err := models.LockAccount(tx, accountID)
		if err != nil {
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
		return s.tellOwner(tx, account, SwitchMail(turn.Switch, turn.On), accountID, map[string]string{"reason": turn.Reason})
	})
	s.keys.clear()
	if err != nil {
		return fmt.Errorf("merchants: set switch: %w", err)
	}
	return nil
}

// recordTurn writes who turned a switch and why, for the account and for the audit log.
func (s *Service) recordTurn(tx *models.Tx, by Actor, accountID string, turn SwitchTurn) error {
	err := models.InsertSwitchChange(tx, models.SwitchChange{
		AccountID: accountID, Switch: turn.Switch, TurnedOn: turn.On, Reason: turn.Reason, ChangedBy: by.UserID, ChangedAt: s.now(), Ticket: turn.Ticket,
	})
	if err != nil {
		return err
	}
	name := strings.ToLower(string(turn.Switch))
	action := map[bool]string{true: "switch.turned_on", false: "switch.turned_off"}[turn.On]
	c := change{before: map[string]string{name: strconv.FormatBool(!turn.On)}, after: map[string]string{name: strconv.FormatBool(turn.On)}}
	detail := map[string]string{"reason": turn.Reason}
	if turn.Ticket != "" {
		detail["ticket"] = turn.Ticket
	}
	return s.auditChange(tx, by, action, accountID, c, detail)
}
