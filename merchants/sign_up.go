package merchants

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"garoupa/internal/input"
	"garoupa/models"
)

// MinPasswordLength is the shortest password, in characters.
const MinPasswordLength = 12

// MaxPasswordLength is the longest password, in characters. It limits the work that an
// attacker can cause.
const MaxPasswordLength = 200

// NewMerchant is a person and the business that they sign up with.
type NewMerchant struct {
	Name, Business, Email, Password string // Password is not used with a passkey
	Language                        string // of the page: "pt-BR" or "en"; also the language of mails
	Terms                           Acceptance
	Verified                        bool // the address is already proven: no verification mail is sent
}

// Merchant is the result of a sign-up.
type Merchant struct {
	UserID, AccountID, ProjectID string
}

// SignUp creates a user, the account that the user owns and the account's first project
// (docs/rules.md, "Accounts and projects"), and sends a mail that verifies the address. It
// fails with Invalid, naming the fields.
func (s *Service) SignUp(ctx context.Context, in NewMerchant, ip string) (m Merchant, err error) {
	in, problems := in.checked()
	problems.password(in.Password, in.Name, in.Email, in.Business)
	if err := problems.orNil(); err != nil {
		return Merchant{}, err
	}
	hash, err := s.hashed(ctx, in.Password)
	if err != nil {
		return Merchant{}, fmt.Errorf("merchants: sign up: %w", err)
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		m, err = s.signUp(tx, in, models.User{ID: models.NewUserID(), PasswordHash: &hash}, ip)
		return err
	})
	if models.Violates(err, models.UsersEmailUnique) {
		return Merchant{}, Invalid{"email": Taken}
	}
	if err != nil {
		return Merchant{}, fmt.Errorf("merchants: sign up: %w", err)
	}
	return m, nil
}

// signUp writes everything that a sign-up creates. user needs only ID and a credential; signUp
// sets the rest.
func (s *Service) signUp(tx *models.Tx, in NewMerchant, user models.User, ip string) (Merchant, error) {
	m := Merchant{UserID: user.ID, AccountID: models.NewAccountID(), ProjectID: models.NewProjectID()}
	now := s.now()
	user.Email, user.Name, user.Language, user.CreatedAt = in.Email, in.Name, in.Language, now
	if in.Verified {
		user.EmailVerifiedAt = &now
	}
	in.Terms.note(&user, now)
	for _, insert := range []func() error{
		func() error { return models.InsertUser(tx, &user) },
		func() error {
			return models.InsertAccount(tx, &models.Account{ID: m.AccountID, Name: in.Business,
				AccountSwitches: models.AccountSwitches{ProductionAccess: models.AccessNotRequested}, CreatedAt: now})
		},
		func() error {
			return models.InsertProject(tx, &models.Project{ID: m.ProjectID, AccountID: m.AccountID, Name: "Default",
				CreatedAt: now})
		},
		func() error {
			return models.InsertMember(tx, &models.Member{AccountID: m.AccountID, UserID: m.UserID,
				Role: models.RoleOwner, CreatedAt: now})
		},
		func() error {
			return s.audit(tx, models.Actor{UserID: m.UserID, AccountID: m.AccountID, IP: ip}, "account.created",
				m.AccountID, nil)
		},
		func() error {
			if in.Verified {
				return nil
			}
			return s.sendVerification(tx, &user)
		},
	} {
		if err := insert(); err != nil {
			return Merchant{}, err
		}
	}
	return m, nil
}

// checked returns the normalized fields and their problems, except those of the password.
func (in NewMerchant) checked() (NewMerchant, Invalid) {
	in.Name, in.Business, in.Email = input.TrimLine(in.Name), input.TrimLine(in.Business), normalEmail(in.Email)
	problems := Invalid{}
	problems.line("name", in.Name, 1, 200)
	problems.line("business", in.Business, 1, 200)
	if !input.MemberEmail(in.Email) {
		problems["email"] = Malformed
	}
	in.Terms.check(problems)
	return in, problems
}

func normalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// Problem is what is wrong with a field of a form. Pages have a text for each problem.
type Problem string

const (
	Missing   Problem = "missing"
	TooShort  Problem = "too_short"
	TooLong   Problem = "too_long"
	Malformed Problem = "malformed"
	Taken     Problem = "taken"
	Common    Problem = "common" // a password that is easy to guess
	Unknown   Problem = "unknown"
	Denied    Problem = "denied" // the person's role does not include it
)

// Invalid reports the problems of a form by field.
type Invalid map[string]Problem

// Error implements error.
func (p Invalid) Error() string {
	parts := make([]string, 0, len(p))
	for field, problem := range p {
		parts = append(parts, field+" is "+string(problem))
	}
	return "merchants: " + strings.Join(parts, ", ")
}

func (p Invalid) orNil() error {
	if len(p) == 0 {
		return nil
	}
	return p
}

// line checks a text that people read and that has one line.
func (p Invalid) line(field, value string, least, most int) {
	p.length(field, value, least, most)
	if !input.Plain(value) {
		p[field] = Malformed
	}
}

// lines is line for a text that may have several lines.
func (p Invalid) lines(field, value string, least, most int) {
	p.length(field, value, least, most)
	if !input.PlainLines(value) {
		p[field] = Malformed
	}
}

// reason trims a reason by staff and checks its length.
func (p Invalid) reason(text *string) {
	reason, ok := input.Reason(*text)
	if *text = reason; !ok {
		p["reason"] = Malformed
	}
}

func (p Invalid) length(field, value string, least, most int) {
	switch n := utf8.RuneCountInString(value); {
	case n == 0 && least > 0, !input.Storable(value):
		p[field] = Missing
	case n < least:
		p[field] = TooShort
	case n > most:
		p[field] = TooLong
	}
}
