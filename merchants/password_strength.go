package merchants

import (
	"context"
	"fmt"
	"strings"

	"github.com/trustelem/zxcvbn"

	"garoupa/models"
)

// minPasswordScore is the least score of a password that is accepted, of 0 to 4: 3 means at least 10^8
// guesses.
const minPasswordScore = 3

// scoredLength is how many characters of a password are judged. The time for it grows with the square of
// the length.
const scoredLength = 64

// productName is the product's name, which a password may not consist of.
const productName = "Garoupa"

// password adds the problem of a new password, if it has one: too short, too long, or easy to guess,
// because it is common or says what the texts in about say of the person.
func (p Invalid) password(password string, about ...string) {
	p.length("password", password, MinPasswordLength, MaxPasswordLength)
	if p["password"] == "" && easy(password, about...) {
		p["password"] = Common
	}
}

// easy reports whether a password is easy to guess for a person who knows about.
func easy(password string, about ...string) bool {
	known := []string{productName}
	for _, text := range about {
		words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" @.-_", r) })
		known = append(append(known, text), words...)
	}
	judged := []rune(password)
	judged = judged[:min(len(judged), scoredLength)]
	return zxcvbn.PasswordStrength(string(judged), known).Score < minPasswordScore
}

// checkPassword fails with Invalid if a new password of an existing person has a problem.
func (s *Service) checkPassword(ctx context.Context, userID, password string) error {
	user, err := models.UserByID(ctx, s.DB, userID)
	if err != nil {
		return fmt.Errorf("merchants: read whose password it is: %w", err)
	}
	about := []string{user.Name, user.Email}
	accounts, err := models.Memberships(ctx, s.DB.Pool, userID)
	if err != nil {
		return fmt.Errorf("merchants: read the accounts of a person: %w", err)
	}
	for _, account := range accounts {
		about = append(about, account.AccountName)
	}
	problems := Invalid{}
	problems.password(password, about...)
	return problems.orNil()
}
