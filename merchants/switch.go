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

// SetSwitch turns a switch of an account on or off, with a reason that the merchant
// reads, and mails it to the owner; any of staff who is no member of it may. If the switch is that way already
// it fails with ErrChanged; it also fails with Invalid, ErrOwnAccount and
// fault.Forbidden, and with models.ErrNotFound for an unknown account. Every
// instance obeys within a second.
func (s *Service) SetSwitch(ctx context.Context, by Actor, accountID string, which models.Switch, on bool, reason string) error {
	reason = strings.TrimSpace(strings.ReplaceAll(reason, "\r\n", "\n"))
	problems := Invalid{}
	problems.length("reason", reason, MinReasonLength, MaxReasonLength)
	if !slices.Contains(models.Switches, which) {
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
		changed, err := models.SetSwitch(tx, accountID, which, on)
		if err == nil && !changed {
			err = ErrChanged
		}
		if err != nil {
			return err
		}
		err = models.InsertSwitchChange(tx, models.SwitchChange{
			AccountID: accountID, Switch: which, TurnedOn: on, Reason: reason, ChangedBy: by.UserID, ChangedAt: s.now(),
		})
		if err != nil {
			return err
		}
		if err := s.tellOwner(tx, account, SwitchMail(which, on), accountID, map[string]string{"reason": reason}); err != nil {
			return err
		}
		name := strings.ToLower(string(which))
		action := map[bool]string{true: "switch.turned_on", false: "switch.turned_off"}[on]
		c := change{before: map[string]string{name: strconv.FormatBool(!on)}, after: map[string]string{name: strconv.FormatBool(on)}}
		return s.auditChange(tx, by, action, accountID, c, map[string]string{"reason": reason})
	})
	s.keys.clear()
	if err != nil {
		return fmt.Errorf("merchants: set switch: %w", err)
	}
	return nil
}
