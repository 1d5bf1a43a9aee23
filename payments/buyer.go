package payments

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"garoupa/internal/payload"
	"garoupa/models"
)

// ErrNoBuyer reports a text that is neither a document nor an email address.
var ErrNoBuyer = errors.New("payments: neither a document nor an email address")

// ErrSealing reports that documents of the account that an earlier program wrote in plain are still being sealed,
// so that not all charges of a document can be found yet.
var ErrSealing = errors.New("payments: documents are still being sealed")

// removedAtOnce limits the charges from which one transaction removes a buyer.
const removedAtOnce = 50

// FindBuyer counts the account's charges, of all projects and both environments, that hold a document or an email
// address. For members who can Own; the refusal is Forbidden. It fails with ErrNoBuyer and ErrSealing.
func (s *Service) FindBuyer(ctx context.Context, by models.Actor, accountID, text string) (n models.BuyerCounts,
	err error) {
	err = s.asOwner(ctx, by, accountID, text, func(tx *models.Tx, b *models.Buyer) (err error) {
		n, err = models.CountBuyer(tx, b)
		return err
	})
	if err != nil {
		return n, fmt.Errorf("payments: find a buyer: %w", err)
	}
	return n, nil
}

// RemoveBuyer removes name, email address, document, phone and metadata from the charges that FindBuyer counts, from
// the bodies of their events, and what endpoints answered to these. Amounts, times and ids stay. It leaves a charge
// that can still be paid, one with a refund, a dispute or an exception that is undecided, and one with an event that
// is still to be delivered. For members who can Own; the refusal is Forbidden. It fails with ErrNoBuyer and ErrSealing.
// Each part of removedAtOnce charges is a transaction with a line in the audit log, so a call that was cut off
// can be repeated.
func (s *Service) RemoveBuyer(ctx context.Context, by models.Actor, accountID, text string) (removed int, err error) {
	for after, more := "", true; more; {
		var n int
		var last string
		err := s.asOwner(ctx, by, accountID, text, func(tx *models.Tx, b *models.Buyer) (err error) {
			n, last, err = s.removePart(tx, by, accountID, b, text, after)
			return err
		})
		if err != nil {
			return removed, fmt.Errorf("payments: remove a buyer: %w", err)
		}
		removed, after, more = removed+n, last, last != ""
	}
	return removed, nil
}

func (s *Service) removePart(
	tx *models.Tx, by models.Actor, accountID string, b *models.Buyer, text, after string,
) (removed int, last string, err error) {
	ids, last, err := models.LockBuyer(tx, b, after, removedAtOnce)
	if err != nil || len(ids) == 0 {
		return 0, last, err
	}
	events, err := models.LockEventBodies(tx, ids)
	if err != nil {
		return 0, "", err
	}
	for i, e := range events {
		if events[i].Body, err = payload.WithoutBuyer(e.Body, e.FromLink); err != nil {
			return 0, "", fmt.Errorf("event %s: %w", e.ID, err)
		}
	}
	if err := models.RemoveBuyer(tx, ids, events); err != nil {
		return 0, "", err
	}
	err = s.audit(tx, by, accountID, "buyer.removed", s.buyerID(accountID, text),
		map[string]string{"charges": strconv.Itoa(len(ids))})
	return len(ids), last, err
}

// asOwner runs fn in a transaction that has locked the role of a member who can Own, for the buyer that text names.
func (s *Service) asOwner(ctx context.Context, by models.Actor, accountID, text string,
	fn func(tx *models.Tx, b *models.Buyer) error) error {
	text = strings.TrimSpace(text)
	byEmail := strings.Contains(text, "@")
	if byEmail && !ValidCustomerEmail(text) || !byEmail && (!ValidCustomerDocument(text) || documentText(text) == "") {
		return ErrNoBuyer
	}
	return s.DB.InTx(ctx, func(tx *models.Tx) error {
		if err := member(tx, by, accountID, models.Own); err != nil {
			return err
		}
		b, err := s.buyer(tx, accountID, text, byEmail)
		if err != nil {
			return err
		}
		return fn(tx, b)
	})
}

// buyer returns the buyer in an account whom a document or an email address names. For a document it seals what is
// still plain, and fails with ErrSealing if there is too much of it.
func (s *Service) buyer(tx *models.Tx, accountID, text string, byEmail bool) (*models.Buyer, error) {
	projects, err := models.ProjectIDs(tx, accountID)
	if err != nil {
		return nil, err
	}
	if byEmail {
		return &models.Buyer{Projects: projects, Email: text}, nil
	}
	b := &models.Buyer{Projects: projects}
	for _, id := range projects {
		b.Digests = append(b.Digests, s.documentDigest(id, text))
	}
	if _, err := s.sealSome(tx, projects); err != nil {
		return nil, err
	}
	left, err := models.PlainDocumentsLeft(tx, projects)
	if err == nil && left {
		err = ErrSealing
	}
	return b, err
}

// buyerID returns an id of a buyer for the audit log of an account. Without the key it does not
// tell who the buyer is.
func (s *Service) buyerID(accountID, text string) string {
	if text = strings.TrimSpace(text); strings.Contains(text, "@") {
		text = strings.ToLower(text)
	} else {
		text = documentText(text)
	}
	h := hmac.New(sha256.New, s.documentKey)
	h.Write([]byte(accountID + "/" + text))
	return "buyer_" + hex.EncodeToString(h.Sum(nil)[:10])
}
