package pages

import (
	"context"

	"garoupa/views/components"
	"garoupa/views/i18n"
)

// The names of the fields with files of the forms with credentials at a bank.
const (
	BankCertificateFile = "certificate"
	BankPrivateKeyFile  = "privateKey"
)

// BankFinding is the result of one check. Text is English: it is the connector's.
type BankFinding struct {
	Check, Text string
	OK          bool
}

// result names the text that says how a check ended.
func (f BankFinding) result() string {
	if f.OK {
		return "ops.bank_check_passed"
	}
	return "ops.bank_check_failed"
}

// bankNames are the proper nouns of the profiles that have one.
var bankNames = map[string]string{
	"bb": "Banco do Brasil", "bradesco": "Bradesco", "btg": "BTG Pactual", "c6": "C6 Bank", "caixa": "Caixa",
	"efi": "Efí", "inter": "Inter", "itau": "Itaú", "santander": "Santander", "sicoob": "Sicoob",
	"sicredi": "Sicredi",
}

// ProperBankName returns the bank's own name, or "" if its profile has none.
func ProperBankName(profile string) string { return bankNames[profile] }

// BankName returns the name of the bank of a profile. An operator's own profile is shown by its
// own name.
func BankName(ctx context.Context, profile string) string {
	if profile == "generic" {
		return i18n.T(ctx, "ops.bank_generic")
	}
	if name := bankNames[profile]; name != "" {
		return name
	}
	return profile
}

// BankOptions are the options of a field that chooses one of the profiles of banks.
func BankOptions(ctx context.Context, profiles []string) (options []components.SelectOption) {
	for _, profile := range profiles {
		options = append(options, components.SelectOption{Value: profile, Label: BankName(ctx, profile)})
	}
	return options
}
