package merchants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"garoupa/models"
)

// maxDraftAnswer limits an answer in a draft, in characters. It is more than any answer of a
// request may have.
const maxDraftAnswer = 4096

// AccessDraft holds the answers of an unfinished AccessForm, as typed.
type AccessDraft struct {
	LegalName     string
	Document      string
	Website       string
	Sells         string
	MonthlyVolume string
	ContactName   string
	ContactEmail  string
	ContactPhone  string
}

// SaveAccessDraft stores the answers for a request that is sent later, and replaces those
// stored before. It fails with Invalid for an answer longer than maxDraftAnswer, and with
// ErrChanged and refusal.Forbidden like RequestAccess.
func (s *Service) SaveAccessDraft(ctx context.Context, by models.Actor, in AccessDraft) error {
	problems := Invalid{}
	for field, answer := range map[string]string{
		"legalName": in.LegalName, "document": in.Document, "website": in.Website, "sells": in.Sells,
		"monthlyVolume": in.MonthlyVolume,
		"contactName":   in.ContactName, "contactEmail": in.ContactEmail, "contactPhone": in.ContactPhone,
	} {
		problems.length(field, answer, 0, maxDraftAnswer)
	}
	if err := problems.orNil(); err != nil {
		return err
	}
	answers, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("merchants: save draft: %w", err)
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		account, err := s.lockForAdministrator(tx, by)
		if err != nil {
			return err
		}
		if account.ProductionAccess != models.AccessNotRequested && account.ProductionAccess != models.AccessRejected {
			return ErrChanged
		}
		return models.SaveAccessDraft(tx, &models.AccessDraft{
			ID: account.ID, Answers: s.Vault.Seal(models.SealedAccessDraft.Place(account.ID), string(answers)),
			SavedBy: by.UserID, SavedAt: s.now(),
		})
	})
	return accessError("save draft of", err)
}

// AccessDraftOf returns an account's stored answers for a request that has not been sent, and
// the time they were stored. draft is nil if there are none.
func (s *Service) AccessDraftOf(ctx context.Context, accountID string) (draft *AccessDraft, savedAt time.Time,
	err error) {
	kept, err := models.AccessDraftOf(ctx, s.DB, accountID)
	if errors.Is(err, models.ErrNotFound) {
		return nil, time.Time{}, nil
	} else if err != nil {
		return nil, time.Time{}, fmt.Errorf("merchants: read draft: %w", err)
	}
	answers, err := s.Vault.Open(models.SealedAccessDraft.Place(kept.ID), kept.Answers)
	if err == nil {
		draft = &AccessDraft{}
		err = json.Unmarshal([]byte(answers), draft)
	}
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("merchants: open draft of %s: %w", kept.ID, err)
	}
	return draft, kept.SavedAt, nil
}
