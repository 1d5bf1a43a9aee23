package payments

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"time"

	"garoupa/models"
)

// disputeWarnings are how long before the deadline of a dispute people get a mail, the last first.
var disputeWarnings = []time.Duration{6 * time.Hour, 24 * time.Hour, 48 * time.Hour}

// WarnOfDisputes mails about disputes whose deadline is 48, 24 or 6 hours away: the members who can MoveMoney while
// their account has not answered, and reviewers while the bank has no answer. Several processes may call it, any number
// of times: each warning is mailed once. A dispute that was opened late gets only the last warning that is due.
func (s *Service) WarnOfDisputes(ctx context.Context) error {
	now := s.now()
	ending, err := models.DisputesEnding(ctx, s.DB.Pool, now, now.Add(disputeWarnings[len(disputeWarnings)-1]))
	if err != nil {
		return fmt.Errorf("payments: find disputes that end: %w", err)
	}
	for _, d := range ending {
		due := 0
		for d.AnswerBy.Sub(now) > disputeWarnings[due] {
			due++
		}
		_, err := s.inDispute(ctx, "warn of", d.ID, func(tx *models.Tx, _ *contested, d *models.Dispute) error {
			if d.Status.Final() || d.DefenseSentAt != nil {
				return nil
			}
			return s.tellOfDispute(tx, d, true, d.ID+"/"+strconv.Itoa(due))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// tellOfDispute mails that a dispute was opened, or that its answer is due: the treasurers while none is
// stored, and reviewers. A recipient gets one mail of each fact.
func (s *Service) tellOfDispute(tx *models.Tx, d *models.Dispute, due bool, fact string) error {
	kind, staffKind := models.MailDisputeOpened, models.MailDisputeOpenedStaff
	if due {
		kind, staffKind = models.MailDisputeDue, models.MailDisputeDueStaff
	}
	params := map[string]string{"amount": strconv.FormatInt(int64(d.Amount), 10),
		"at": d.AnswerBy.Format(time.RFC3339), "dispute": d.ID, "account": "–"}
	if d.AccountID != nil {
		account, err := models.AccountByID(tx.Context(), tx, *d.AccountID)
		if err != nil {
			return fmt.Errorf("read the account: %w", err)
		}
		params["account"] = account.Name
		if d.Status == models.DisputeOpen {
			if err := s.tellMembers(tx, *d.AccountID, kind, fact, maps.Clone(params)); err != nil {
				return err
			}
		}
	}
	people, err := models.StaffWho(tx.Context(), tx, models.Review)
	if err != nil {
		return fmt.Errorf("staff to notify: %w", err)
	}
	letters := make([]models.Mail, 0, len(people))
	for _, person := range people {
		own := maps.Clone(params)
		own["name"] = person.Name
		letters = append(letters, models.Mail{Fact: staffKind + "/" + fact, To: person.Email,
			Language: person.Language, Kind: staffKind, Params: own, CreatedAt: s.now()})
	}
	return models.InsertMails(tx, letters...)
}
