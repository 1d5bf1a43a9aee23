package merchants

import (
	"context"
	"fmt"
	"strings"

	"garoupa/internal/input"
	"garoupa/models"
)

// MaxNoteLength limits a note about an account, in characters.
const MaxNoteLength = 2000

// NewNote is a note about an account.
type NewNote struct {
	AccountID string
	Text      string
	Form      string // the key of the form; "" without a form
}

// NoteAccount stores a note about an account for staff, once for each form. Any member of
// staff who is not a member of the account may call it. Merchants never see notes. It fails
// with Invalid, ErrOwnAccount, refusal.Forbidden, models.ErrFormReused, or
// models.ErrNotFound.
func (s *Service) NoteAccount(ctx context.Context, by models.Actor, in NewNote) error {
	text := input.Trim(strings.ReplaceAll(in.Text, "\r\n", "\n"))
	problems := Invalid{}
	problems.lines("note", text, 1, MaxNoteLength)
	if err := problems.orNil(); err != nil {
		return err
	}
	by.AccountID = "" // the merchant can read lines about its account
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		matter := models.Matter{AccountID: in.AccountID}
		if err := staffFor(tx, by, matter, models.Review); err != nil {
			return err
		}
		if _, err := models.AccountByID(ctx, tx, in.AccountID); err != nil {
			return err
		}
		earlier, err := models.ClaimForm(tx, models.SentForm{
			OwnerID: in.AccountID, Operation: models.OperationNote, Key: in.Form,
			Said: []string{by.UserID, text}, ResourceID: in.AccountID, SentAt: s.now(),
		})
		if err != nil || earlier != "" {
			return err
		}
		if err := models.InsertAccountNote(tx, models.AccountNote{
			AccountID: in.AccountID, Text: text, WrittenBy: by.UserID, WrittenAt: s.now(),
		}); err != nil {
			return err
		}
		return s.audit(tx, by, "staff.noted", in.AccountID, nil)
	})
	if err != nil {
		return fmt.Errorf("merchants: note account: %w", err)
	}
	return nil
}
