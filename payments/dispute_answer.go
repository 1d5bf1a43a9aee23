package payments

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // pictures of answers
	_ "image/png"
	"net/http"
	"path"
	"slices"
	"strings"

	"garoupa/internal/input"
	"garoupa/internal/refusal"
	"garoupa/models"
)

// DisputeAnswer is what an account says to a dispute.
type DisputeAnswer struct {
	Agrees bool   // that the bank gives the money back
	Text   string // why not: 1 to MaxDefense characters
}

var (
	answered    = refusal.New(refusal.WrongState, "The dispute was answered or closed already.")
	answerIsDue = refusal.New(refusal.WrongState, "The time for an answer is over.")
)

// AnswerDispute stores an account's answer to a dispute, which is final: it contests the dispute, or agrees
// that the bank gives the money back. What is blocked stays so until the bank decides. The answer goes to
// the bank afterwards, or staff bring it there. The same answer again changes nothing. For members who can
// MoveMoney. Refusals: NotFound, Forbidden, WrongState (it was answered or closed, or its time is over),
// DefenseRequired.
func (s *Service) AnswerDispute(ctx context.Context, by models.Actor, accountID, id string,
	in DisputeAnswer) (*models.Dispute, error) {
	text := input.Trim(strings.ReplaceAll(in.Text, "\r\n", "\n"))
	if !in.Agrees && (!input.Length(text, 1, models.MaxDefense) || !input.PlainLines(text)) {
		return nil, refusal.New(refusal.DefenseRequired, "The answer must have 1 to %d characters.", models.MaxDefense)
	}
	return s.inDispute(ctx, "answer", id, func(tx *models.Tx, _ *contested, d *models.Dispute) error {
		if err := s.answerable(tx, by, accountID, d); err != nil {
			return err
		}
		switch {
		case d.DefenseBy != nil && *d.DefenseBy == by.UserID && same(d, in.Agrees, text):
			return nil
		case d.Status != models.DisputeOpen:
			return answered
		case s.now().After(d.AnswerBy):
			return answerIsDue
		}
		now, what := s.now(), "accepted"
		d.Status, d.DefenseBy, d.DefenseAt = models.DisputeAccepted, &by.UserID, &now
		if !in.Agrees {
			d.Status, d.Defense, what = models.DisputeDefended, &text, "defended"
		}
		if err := models.SaveDispute(tx, d); err != nil {
			return err
		}
		if d.BankAccountID != nil {
			if err := models.HurryDisputeRead(tx, *d.BankAccountID); err != nil {
				return err
			}
		}
		return s.auditDispute(tx, by, d, what)
	})
}

// answerable refuses an actor who may not answer a dispute, and hides disputes of other accounts.
func (s *Service) answerable(tx *models.Tx, by models.Actor, accountID string, d *models.Dispute) error {
	if d.AccountID == nil || *d.AccountID != accountID {
		return noDispute
	}
	return member(tx, by, accountID, models.MoveMoney)
}

// same reports whether a dispute has this answer.
func same(d *models.Dispute, agrees bool, text string) bool {
	if agrees {
		return d.Defense == nil
	}
	return d.Defense != nil && *d.Defense == text
}

// RecordAnswerSent records that staff have brought an account's answer to the bank, for banks that take none
// by API. For staff who are not members of the account. Refusals: NotFound, Forbidden, WrongState (there is
// no answer, the bank has it, or the dispute is closed).
func (s *Service) RecordAnswerSent(ctx context.Context, by models.Actor, id string) (*models.Dispute, error) {
	return s.inDispute(ctx, "record the answer of", id, func(tx *models.Tx, c *contested, d *models.Dispute) error {
		if err := staff(tx, by, models.Matter{AccountID: c.AccountID, Since: d.CreatedAt}); err != nil {
			return err
		}
		if d.DefenseAt == nil || d.DefenseSentAt != nil || d.Status.Final() {
			return refusal.New(refusal.WrongState, "The dispute has no answer that waits for the bank.")
		}
		now := s.now()
		d.DefenseSentAt = &now
		if err := models.SaveDispute(tx, d); err != nil {
			return err
		}
		return s.auditDispute(tx, by, d, "answer_sent")
	})
}

// NewDisputeFile is a file that supports an answer.
type NewDisputeFile struct {
	Name    string // a path before it is left out
	Content []byte // 1 to MaxDisputeFile bytes of a PDF, a JPEG or a PNG
}

// AddDisputeFile adds a file to the answer of a dispute, before the answer is given. The type is told by the
// content. The same content again adds nothing. For members who can MoveMoney. Refusals: NotFound,
// Forbidden, WrongState (it was answered or closed, or its time is over), InvalidFile (another type, too
// large, or a file too many).
func (s *Service) AddDisputeFile(ctx context.Context, by models.Actor, accountID, id string,
	in NewDisputeFile) (*models.Dispute, error) {
	mediaType, err := fileType(in.Content)
	if err != nil {
		return nil, fmt.Errorf("payments: add a file to dispute %s: %w", id, err)
	}
	return s.inDispute(ctx, "add a file to", id, func(tx *models.Tx, _ *contested, d *models.Dispute) error {
		if err := s.answerable(tx, by, accountID, d); err != nil {
			return err
		}
		switch {
		case d.Status != models.DisputeOpen:
			return answered
		case s.now().After(d.AnswerBy):
			return answerIsDue
		}
		files, err := models.LockedDisputeFiles(tx, d.ID)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(files, func(f models.DisputeFile) bool { return bytes.Equal(f.Content, in.Content) }) {
			return nil
		}
		if len(files) >= models.MaxDisputeFiles {
			return refusal.New(refusal.InvalidFile, "An answer has at most %d files.", models.MaxDisputeFiles)
		}
		f := &models.DisputeFile{ID: models.NewDisputeFileID(), DisputeID: d.ID, Place: len(files) + 1,
			Name: fileName(in.Name, mediaType), MediaType: mediaType, Content: in.Content, CreatedBy: by.UserID,
			CreatedAt: s.now()}
		if err := models.InsertDisputeFile(tx, f); err != nil {
			return err
		}
		return s.auditDispute(tx, by, d, "file_added")
	})
}

// extensions are those of the types that an answer may have.
var extensions = map[string]string{"application/pdf": ".pdf", "image/jpeg": ".jpg", "image/png": ".png"}

// fileType returns the media type that the content of a file has. The refusal is InvalidFile.
func fileType(content []byte) (string, error) {
	if len(content) > models.MaxDisputeFile {
		return "", refusal.New(refusal.InvalidFile, "A file has at most 2 MiB.")
	}
	mediaType := http.DetectContentType(content)
	_, allowed := extensions[mediaType]
	if allowed && mediaType != "application/pdf" {
		_, _, err := image.DecodeConfig(bytes.NewReader(content))
		allowed = err == nil
	}
	if !allowed {
		return "", refusal.New(refusal.InvalidFile, "A file must be a PDF, a JPEG or a PNG.")
	}
	return mediaType, nil
}

// fileName returns the name under which a file is kept: without a path, and with the extension of its type.
func fileName(name, mediaType string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`"'<>:|?*/;%`, r) {
			return '-'
		}
		return r
	}, input.TrimLine(input.ToStorable(strings.TrimSuffix(name, path.Ext(name)))))
	runes := slices.DeleteFunc([]rune(name), func(r rune) bool { return !input.Printable(string(r)) })
	name = strings.Trim(string(runes[:min(len(runes), 90)]), ". ")
	if name == "" {
		name = "arquivo"
	}
	return name + extensions[mediaType]
}

// Dispute returns a dispute of an account, with its files. The refusal is NotFound.
func (s *Service) Dispute(ctx context.Context, accountID, id string) (*models.Dispute, []models.DisputeFile, error) {
	d, files, err := s.AnyDispute(ctx, id)
	if err == nil && (d.AccountID == nil || *d.AccountID != accountID) {
		err = noDispute
	}
	if err != nil {
		return nil, nil, err
	}
	return d, files, nil
}

// AnyDispute returns a dispute of any account, with its files, for staff. The refusal is NotFound.
func (s *Service) AnyDispute(ctx context.Context, id string) (*models.Dispute, []models.DisputeFile, error) {
	d, err := models.DisputeByID(ctx, s.DB.Pool, id)
	if errors.Is(err, models.ErrNotFound) {
		return nil, nil, noDispute.Because(err)
	} else if err != nil {
		return nil, nil, fmt.Errorf("payments: read dispute %s: %w", id, err)
	}
	files, err := models.DisputeFiles(ctx, s.DB.Pool, id)
	if err != nil {
		return nil, nil, fmt.Errorf("payments: read the files of %s: %w", id, err)
	}
	return d, files, nil
}
