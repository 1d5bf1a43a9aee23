package page

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/banks"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// bankAgain is the problem of a secret or a file that was sent with a form with other problems. It
// is never sent back, so it must be given again.
const bankAgain banks.Problem = "again"

// ReadBankCredential reads the part of a form that is about credentials.
func ReadBankCredential(c *fiber.Ctx) (in banks.NewCredential, err error) {
	in.ClientID, in.ClientSecret = Field(c, "clientId"), Field(c, pages.BankSecret)
	in.AppKey, in.Files.Password = Field(c, pages.BankAppKey), Field(c, pages.BankKeyPassword)
	if in.Files.Certificate, err = FormFile(c, pages.BankCertificateFile); err != nil {
		return in, err
	}
	in.Files.Key, err = FormFile(c, pages.BankPrivateKeyFile)
	return in, err
}

// bankFormFields are the fields of the forms, in their order.
var bankFormFields = []string{"name", "profile", "pixKey", "accountNumber", "holderName", "holderDocument", "clientId",
	pages.BankSecret, pages.BankAppKey, pages.BankCertificateFile, "overrides"}

// BankErrors returns the texts for what is wrong with a form, and says which secrets and files have
// to be given again.
func BankErrors(c *fiber.Ctx, problems banks.Invalid, in banks.NewCredential) (errs components.FieldErrors) {
	for field, sent := range map[string]bool{
		pages.BankSecret:          strings.TrimSpace(in.ClientSecret) != "",
		pages.BankAppKey:          strings.TrimSpace(in.AppKey) != "",
		pages.BankCertificateFile: len(in.Files.Certificate) > 0,
	} {
		if sent && problems[field] == "" {
			problems[field] = bankAgain
		}
	}
	for _, field := range bankFormFields {
		if problem := problems[field]; problem != "" {
			errs = append(errs, components.FieldError{Field: field, Text: BankProblem(c, field, problem)})
		}
	}
	return errs
}

// BankProblem says what is wrong with a field, and what to do.
func BankProblem(c *fiber.Ctx, field string, problem banks.Problem) string {
	return i18n.T(c.UserContext(), "problem.bank_"+field+"_"+string(problem))
}

// BankFindings returns what was tried at a bank, as pages show it.
func BankFindings(found banks.Failed) (shown []pages.BankFinding) {
	for _, f := range found {
		shown = append(shown, pages.BankFinding{Check: f.Check, Text: f.Text, OK: f.OK})
	}
	return shown
}
