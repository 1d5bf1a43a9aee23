// Package pixkey parses Pix keys into the form of BACEN's directory (DICT), and refuses
// texts that cannot be keys. Only the directory knows whether a key is registered, and who
// owns it.
package pixkey

import (
	"errors"
	"net/mail"
	"regexp"
	"strings"

	"garoupa/internal/taxid"
)

// Type is the type of a key. The text does not determine it: eleven digits may be a CPF or a
// phone number.
type Type string

const (
	CPF   Type = "CPF"
	CNPJ  Type = "CNPJ" // with letters or without
	Phone Type = "PHONE"
	Email Type = "EMAIL"
	EVP   Type = "EVP" // a random key, "chave aleatória"
)

// Types lists all types.
var Types = []Type{CPF, CNPJ, Phone, Email, EVP}

// The errors of Parse.
var (
	ErrType     = errors.New("pixkey: no such type of key")
	ErrForm     = errors.New("pixkey: not a key of the type")
	ErrChecksum = errors.New("pixkey: the check digits are wrong")
)

// MaxEmail is the longest email address that can be a key, in characters (DICT).
const MaxEmail = 77

var (
	phoneForm = regexp.MustCompile(`^\+55[1-9][0-9][0-9]{8,9}$`)
	evpForm   = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	emailForm = regexp.MustCompile("^[a-z0-9.!#$&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?" +
		"(?:\\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$")
)

// Parse returns a key in the form of DICT: CPF and CNPJ without punctuation, phone numbers
// as +5511987654321, email addresses and random keys in lower case. It accepts
// punctuation, surrounding spaces, capitals and phone numbers without +55. It fails with
// one of the errors above.
func Parse(kind Type, key string) (string, error) {
	key = strings.TrimSpace(key)
	switch kind {
	case CPF:
		return document(key, taxid.CPFLength, taxid.ParseCPF)
	case CNPJ:
		return document(key, taxid.CNPJLength, taxid.ParseCNPJ)
	case Phone:
		key = strings.NewReplacer(" ", "", "-", "", "(", "", ")", "", ".", "").Replace(key)
		if !strings.HasPrefix(key, "+") {
			key = "+55" + key
		}
		return accepted(key, phoneForm.MatchString(key))
	case Email:
		key = strings.ToLower(key)
		a, err := mail.ParseAddress(key)
		return accepted(key, err == nil && a.Address == key && len(key) <= MaxEmail && emailForm.MatchString(key))
	case EVP:
		key = strings.ToLower(key)
		return accepted(key, evpForm.MatchString(key))
	}
	return "", ErrType
}

func accepted(key string, right bool) (string, error) {
	if !right {
		return "", ErrForm
	}
	return key, nil
}

// document distinguishes a wrong length from wrong check digits.
func document(key string, length int, parse func(string) (string, bool)) (string, error) {
	number, right := parse(key)
	if right {
		return number, nil
	}
	if bare := strings.NewReplacer(".", "", "-", "", "/", "", " ", "").Replace(key); len(bare) == length {
		return "", ErrChecksum
	}
	return "", ErrForm
}

// Format returns a key from Parse with the usual punctuation, so that people can compare
// it.
func Format(kind Type, key string) string {
	if kind == CPF || kind == CNPJ {
		return taxid.Format(key)
	}
	return key
}

// Mask returns a key from Parse in the form that people other than its owner may see:
// enough to recognize the key, not enough to use it.
func Mask(kind Type, key string) string {
	switch {
	case kind == CPF && len(key) == taxid.CPFLength:
		return "***." + key[3:6] + "." + key[6:9] + "-**"
	case kind == CNPJ && len(key) == taxid.CNPJLength:
		return "**.***." + key[5:8] + "/" + key[8:12] + "-**"
	case kind == Phone && len(key) > 9:
		return key[:3] + " " + key[3:5] + " *****-" + key[len(key)-4:]
	case kind == Email:
		name, host, _ := strings.Cut(key, "@")
		return name[:min(1, len(name))] + "***@" + host
	case kind == EVP && len(key) == 36:
		return key[:4] + "****-****-****-****-********" + key[32:]
	}
	return strings.Repeat("*", len(key))
}
