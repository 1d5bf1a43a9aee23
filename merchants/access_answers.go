package merchants

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"garoupa/internal/taxid"
	"garoupa/models"
)

// answersAtOnce limits the requests whose answers one transaction seals or deletes.
const answersAtOnce = 100

// sealedAnswers are the answers of a request for production access that are personal data, beside the phone
// number, which has a column of its own.
type sealedAnswers struct {
	LegalName    string `json:"legalName"`
	Document     string `json:"document"`
	ContactName  string `json:"contactName"`
	ContactEmail string `json:"contactEmail"`
}

// sealAnswers seals the plain answers of a request of the account with the name.
func (s *Service) sealAnswers(r *models.AccessRequest, accountName string) error {
	plain, err := json.Marshal(sealedAnswers{r.LegalName, r.Document, r.ContactName, r.ContactEmail})
	if err != nil {
		return err
	}
	r.Answers = s.Vault.Seal(models.SealedAccessAnswers.Place(r.ID), string(plain))
	r.DocumentDigest, r.EmailDigest = s.answerDigest("document", r.Document), s.answerDigest("email", r.ContactEmail)
	r.SealAnswers(accountName)
	return nil
}

// openAnswers sets the answers of a request that was read. Answers that ended are "".
func (s *Service) openAnswers(r *models.AccessRequest) error {
	if r.Plain() {
		return nil
	}
	var plain sealedAnswers
	if r.Answers != nil {
		text, err := s.Vault.Open(models.SealedAccessAnswers.Place(r.ID), r.Answers)
		if err == nil {
			err = json.Unmarshal([]byte(text), &plain)
		}
		if err != nil {
			return fmt.Errorf("answers of %s: %w", r.ID, err)
		}
	}
	r.LegalName, r.Document, r.ContactName, r.ContactEmail = plain.LegalName, plain.Document, plain.ContactName,
		plain.ContactEmail
	return nil
}

// AccessRequest returns a request of any account with its answers, or models.ErrNotFound.
func (s *Service) AccessRequest(ctx context.Context, id string) (*models.AccessRequest, error) {
	return s.openedRequest(models.AccessRequestByID(ctx, s.DB, id))
}

// LatestAccessRequest returns the newest request of an account with its answers, or models.ErrNotFound.
func (s *Service) LatestAccessRequest(ctx context.Context, accountID string) (*models.AccessRequest, error) {
	return s.openedRequest(models.LatestAccessRequest(ctx, s.DB, accountID))
}

func (s *Service) openedRequest(r *models.AccessRequest, err error) (*models.AccessRequest, error) {
	if err == nil {
		err = s.openAnswers(r)
	}
	if err != nil {
		return nil, fmt.Errorf("merchants: read a request for production access: %w", err)
	}
	return r, nil
}

// OpenAccessRequests sets the answers of a list that was read. Answers that do not open are logged and left
// empty, because staff need the rest of the list.
func (s *Service) OpenAccessRequests(ctx context.Context, list []models.ListedAccessRequest) {
	for i := range list {
		r := &list[i].AccessRequest
		if err := s.openAnswers(r); err != nil {
			slog.ErrorContext(ctx, "the answers of a request for production access do not open", "request", r.ID,
				"error", err)
			r.LegalName, r.Document, r.ContactName, r.ContactEmail = "", "", "", ""
		}
	}
}

// ApprovedName returns the legal name that staff approved for the merchant of a charge, or "" if there is none
// or it does not open: buyers see the account's name then.
func (s *Service) ApprovedName(ctx context.Context, c *models.PublicCheckout) string {
	if c.Approved == nil {
		return ""
	}
	r := models.AccessRequest{ID: c.Approved.ID, LegalName: c.Approved.LegalName, Answers: c.Approved.Answers}
	if err := s.openAnswers(&r); err != nil {
		slog.ErrorContext(ctx, "the legal name of a merchant does not open", "checkout", c.ID, "error", err)
		return ""
	}
	return r.LegalName
}

// SharedDocument lists other accounts' requests with the CPF or CNPJ of a request that was opened, newest first.
func (s *Service) SharedDocument(ctx context.Context, r *models.AccessRequest) ([]models.ListedAccessRequest, error) {
	if r.Document == "" {
		return nil, nil
	}
	list, err := models.AccessRequestsByDocument(ctx, s.DB.Pool, r.Document, s.answerDigest("document", r.Document),
		r.AccountID)
	if err != nil {
		return nil, fmt.Errorf("merchants: requests with the same document: %w", err)
	}
	s.OpenAccessRequests(ctx, list)
	return list, nil
}

// Find searches all accounts and both environments (see models.Find).
func (s *Service) Find(ctx context.Context, text string) ([]models.Found, error) {
	document, _ := taxid.Parse(text)
	if document == "" {
		document = text
	}
	found, err := models.Find(ctx, s.DB.Read, document, s.answerDigest("document", document),
		s.answerDigest("email", normalEmail(text)))
	if err != nil {
		return nil, fmt.Errorf("merchants: search: %w", err)
	}
	return found, nil
}

// answerDigest returns the digest by which requests with an answer are found. Staff compare the documents of
// all accounts, so it does not depend on the account. Without the key, documents, which are few enough to try
// them all, cannot be guessed from it.
func (s *Service) answerDigest(what, answer string) []byte {
	h := hmac.New(sha256.New, s.Vault.Key("answers of access requests"))
	h.Write([]byte(what + "/" + answer))
	return h.Sum(nil)
}

// SealAccessRequests seals the answers that earlier programs wrote in plain. Instances may run it at the same
// time: each seals different ones.
func (s *Service) SealAccessRequests(ctx context.Context) error {
	return s.inBatches(ctx, "seal access requests", func(tx *models.Tx) (done int, err error) {
		plain, err := models.LockPlainAccessRequests(tx, answersAtOnce)
		for i := range plain {
			r := &plain[i].AccessRequest
			if err == nil {
				err = s.sealAnswers(r, plain[i].AccountName)
			}
			if err == nil {
				err = models.SaveSealedAnswers(tx, r)
			}
		}
		return len(plain), err
	})
}

// EndAccessAnswers deletes the personal data in the answers of requests that gave no access, or whose access was
// revoked, and that did not change since before. Instances may run it at the same time.
func (s *Service) EndAccessAnswers(ctx context.Context, before time.Time) error {
	return s.inBatches(ctx, "end access requests", func(tx *models.Tx) (done int, err error) {
		ids, err := models.LockEndedAccessRequests(tx, before, answersAtOnce)
		for _, id := range ids {
			if err == nil {
				err = models.EndAccessAnswers(tx, id, s.Vault.Seal(models.SealedContactPhone.Place(id), ""))
			}
		}
		return len(ids), err
	})
}

// inBatches calls act in one transaction after the other until it does less than answersAtOnce.
func (s *Service) inBatches(ctx context.Context, what string, act func(tx *models.Tx) (done int, err error)) error {
	for done := answersAtOnce; done == answersAtOnce; {
		err := s.DB.InTx(ctx, func(tx *models.Tx) (err error) {
			done, err = act(tx)
			return err
		})
		if err != nil {
			return fmt.Errorf("merchants: %s: %w", what, err)
		}
	}
	return nil
}

// ContactPhone returns the phone number of a request's contact, "" if the answers ended.
func (s *Service) ContactPhone(r *models.AccessRequest) (string, error) {
	phone, err := s.Vault.Open(models.SealedContactPhone.Place(r.ID), r.ContactPhone)
	if err != nil {
		return "", fmt.Errorf("merchants: contact of %s: %w", r.ID, err)
	}
	return phone, nil
}
