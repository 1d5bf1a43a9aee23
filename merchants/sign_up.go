package merchants

import (
	"context"
	"fmt"
	"net/mail"
	"strings"
	"unicode/utf8"

	"garoupa/models"
)

// MinPasswordLength is the shortest password, in characters.
const MinPasswordLength = 12

// MaxPasswordLength is the longest password, in characters: it bounds the work of
// an attempt.
const MaxPasswordLength = 200

// NewMerchant is a person and the business that they sign up with.
type NewMerchant struct {
	Name, Business, Email, Password string // a sign-up with a passkey reads no password
	Language                        string // of the page: "pt-BR" or "en"; mails are written in it
	Terms                           Acceptance
	Verified                        bool // the address is known to be theirs: no mail asks them to prove it
}

// Merchant is what a sign-up made.
type Merchant struct {
	UserID, AccountID, ProjectID string
}

// SignUp makes a user, the account it owns and that account's first project
// (decisions, 1), and sends a mail that proves the address. It fails with Invalid,
// naming the fields.
func (s *Service) SignUp(ctx context.Context, in NewMerchant, ip string) (m Merchant, err error) {
	in, problems := in.checked()
	problems.length("password", in.Password, MinPasswordLength, MaxPasswordLength)
	if err := problems.orNil(); err != nil {
		return Merchant{}, err
	}
	hash := hashPassword(in.Password)
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

// signUp writes all that a sign-up makes. Of the user is given the id and how they log in.
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
			return models.InsertAccount(tx, &models.Account{ID: m.AccountID, Name: in.Business, ProductionAccess: models.AccessNotRequested, CreatedAt: now})
		},
		func() error {
			return models.InsertProject(tx, &models.Project{ID: m.ProjectID, AccountID: m.AccountID, Name: "Default", CreatedAt: now})
		},
		func() error {
			return models.InsertMember(tx, &models.Member{AccountID: m.AccountID, UserID: m.UserID, Role: models.RoleOwner, CreatedAt: now})
		},
		func() error {
			return s.audit(tx, Actor{UserID: m.UserID, AccountID: m.AccountID, IP: ip}, "account.created", m.AccountID, nil)
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

// checked is what was said in the form in which it is kept, with what is wrong with it,
// the password apart.
func (in NewMerchant) checked() (NewMerchant, Invalid) {
	in.Name, in.Business, in.Email = strings.TrimSpace(in.Name), strings.TrimSpace(in.Business), normalEmail(in.Email)
	problems := Invalid{}
	problems.length("name", in.Name, 1, 200)
	problems.length("business", in.Business, 1, 200)
	if !validEmail(in.Email) {
		problems["email"] = Malformed
	}
	in.Terms.check(problems)
	return in, problems
}

func normalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

func validEmail(email string) bool {
	a, err := mail.ParseAddress(email)
	return err == nil && a.Address == email && len(email) <= 254 && strings.Contains(email[strings.LastIndexByte(email, '@'):], ".")
}

// Problem is what is wrong with a field of a form; pages word it.
type Problem string

const (
	Missing   Problem = "missing"
	TooShort  Problem = "too_short"
	TooLong   Problem = "too_long"
	Malformed Problem = "malformed"
	Taken     Problem = "taken"
	Unknown   Problem = "unknown"
)

// Invalid says what is wrong with a form, field by field.
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

func (p Invalid) length(field, value string, least, most int) {
	switch n := utf8.RuneCountInString(value); {
	case n == 0 && least > 0, !utf8.ValidString(value), strings.ContainsRune(value, 0):
		p[field] = Missing
	case n < least:
		p[field] = TooShort
	case n > most:
		p[field] = TooLong
	}
}
