package payments

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"strings"
	"unicode"

	"garoupa/models"
)

// sealedAtOnce limits the documents that one transaction seals.
const sealedAtOnce = 500

// sealDocument prepares a customer's document for writing.
func (s *Service) sealDocument(c *models.Checkout) {
	if c.CustomerDocument != nil {
		c.SealedDocument = s.Vault.Seal(models.SealedDocument.Place(c.ID), *c.CustomerDocument)
		c.DocumentDigest = s.documentDigest(c.ProjectID, *c.CustomerDocument)
	}
}

// OpenDocument sets the customer's document of a checkout that was read. A value that does not open is
// logged and left out: the payment of its checkout must not fail for it.
func (s *Service) OpenDocument(c *models.Checkout) {
	if c.SealedDocument == nil || c.CustomerDocument != nil {
		return
	}
	text, err := s.Vault.Open(models.SealedDocument.Place(c.ID), c.SealedDocument)
	if err != nil {
		slog.Error("the document of a customer does not open", "checkout", c.ID, "error", err)
		return
	}
	c.CustomerDocument = &text
}

// opened opens the documents of a list.
func (s *Service) opened(list []models.Checkout, err error) ([]models.Checkout, error) {
	for i := range list {
		s.OpenDocument(&list[i])
	}
	return list, err
}

// documentDigest returns the digest by which a project's checkouts with a document are found. Punctuation
// and case do not matter. The key keeps documents, which are few enough to try them all, from being
// guessed; the project keeps a person's purchases in different projects from being connected.
func (s *Service) documentDigest(projectID, document string) []byte {
	h := hmac.New(sha256.New, s.documentKey)
	h.Write([]byte(projectID + "/" + documentText(document)))
	return h.Sum(nil)
}

// documentText returns a document's letters and digits.
func documentText(document string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, document)
}

// SealDocuments seals the documents that earlier programs wrote in plain. Instances may run it at the same
// time: each seals different ones.
func (s *Service) SealDocuments(ctx context.Context) error {
	for more := true; more; {
		err := s.DB.InTx(ctx, func(tx *models.Tx) (err error) {
			more, err = s.sealSome(tx, nil)
			return err
		})
		if err != nil {
			return fmt.Errorf("payments: seal documents: %w", err)
		}
	}
	return nil
}

// sealSome seals plain documents of the projects, of all if projects is nil, and reports whether more may be left.
func (s *Service) sealSome(tx *models.Tx, projects []string) (more bool, err error) {
	plain, err := models.LockPlainDocuments(tx, projects, sealedAtOnce)
	if err != nil {
		return false, err
	}
	for i := range plain {
		s.sealDocument(&plain[i])
	}
	return len(plain) == sealedAtOnce, models.SaveDocuments(tx, plain)
}
