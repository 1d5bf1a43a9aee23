package merchants

import (
	"context"
	"fmt"
	"strings"

	"garoupa/models"
)

// MaxNoteLength bounds a note about an account, in characters.
const MaxNoteLength = 2000

// NoteAccount keeps a note about an account for staff; anybody of staff who is no member
// of it may write one. No merchant learns of it. It fails with Invalid, ErrOwnAccount,
// fault.Forbidden, or models.ErrNotFound.
func (s *Service) NoteAccount(ctx context.Context, by Actor, accountID, text string) error {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	problems := Invalid{}
	problems.length("note", text, 1, MaxNoteLength)
	if err := problems.orNil(); err != nil {
		return err
	}
	by.AccountID = "" // the merchant reads the lines about their account
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		if err := staffFor(tx, by, accountID, models.StaffReviewer, models.StaffSupervisor); err != nil {
			return err
		}
		if _, err := models.AccountByID(tx.DB, accountID); err != nil {
			return err
		}
		if err := models.InsertAccountNote(tx, models.AccountNote{AccountID: accountID, Text: text, WrittenBy: by.UserID, WrittenAt: s.now()}); err != nil {
			return err
		}
		return s.audit(tx, by, "staff.noted", accountID, nil)
	})
	if err != nil {
		return fmt.Errorf("merchants: note account: %w", err)
	}
	return nil
}
