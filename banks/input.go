package banks

import (
	"crypto/x509"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"garoupa/internal/clientcert"
	"garoupa/internal/input"
	"garoupa/internal/taxid"
	"garoupa/pix/pixkey"
	"garoupa/pix/psp/bacen"
	"garoupa/webhook"
)

// Problem says what is wrong with a field. Its value is stable, so that it can name a text in a
// catalog. The problems of files are those of package clientcert.
type Problem string

const (
	Malformed     Problem = "malformed"
	Missing       Problem = "missing"
	Unknown       Problem = "unknown"
	Private       Problem = "private"        // an address that is not on the public internet
	Taken         Problem = "taken"          // another account has the key already
	ForeignHolder Problem = "foreign_holder" // a certificate of another CPF or CNPJ
)

// Invalid has a problem for each field that is wrong.
type Invalid map[string]Problem

// Error implements error. It has the names of the fields and no values.
func (p Invalid) Error() string {
	parts := make([]string, 0, len(p))
	for field, problem := range p {
		parts = append(parts, field+" is "+string(problem))
	}
	slices.Sort(parts)
	return "banks: " + strings.Join(parts, ", ")
}

func (p Invalid) orNil() error {
	if len(p) == 0 {
		return nil
	}
	return p
}

// NewAccount is a bank account that a supervisor proposes.
type NewAccount struct {
	Name           string // for staff, at most 80 characters
	Profile        string // one of Options.Profiles
	Overrides      string // a JSON object of the profile's fields; "" for none
	Sandbox        bool   // at the bank's test environment
	PixKey         string // in any spelling that pixkey accepts
	AccountNumber  string // "" where the bank's calls do not name it
	HolderName     string // as payers' banks show it
	HolderDocument string // CPF or CNPJ, with or without punctuation
	Credential     NewCredential
}

// NewCredential is what a bank has given to the account's holder.
type NewCredential struct {
	ClientID     string
	ClientSecret string // "" where the certificate is the secret
	AppKey       string // "" where the bank has none
	Files        clientcert.Files
}

// check normalizes the fields and returns the profile with the overrides.
func (s *Service) check(in *NewAccount) (bacen.Profile, Invalid) {
	problems := Invalid{}
	line := func(field string, value *string, least, most int) {
		if *value = input.TrimLine(*value); !input.Length(*value, least, most) || !input.Plain(*value) {
			problems[field] = Malformed
		}
	}
	line("name", &in.Name, 1, 80)
	line("holderName", &in.HolderName, 1, 200)
	line("accountNumber", &in.AccountNumber, 0, 40)
	var ok bool
	if in.HolderDocument, ok = taxid.Parse(in.HolderDocument); !ok {
		in.HolderDocument, problems["holderDocument"] = "", Malformed
	}
	if key, ok := parseKey(in.PixKey); ok {
		in.PixKey = key
	} else {
		problems["pixKey"] = Malformed
	}
	if in.Overrides = strings.TrimSpace(in.Overrides); in.Overrides == "" {
		in.Overrides = "{}"
	}
	profile, known := s.Profiles[in.Profile]
	if !known {
		problems["profile"] = Unknown
		return profile, problems
	}
	profile, err := profile.With([]byte(in.Overrides))
	if err != nil || !json.Valid([]byte(in.Overrides)) || !authorities(profile.CA) ||
		!authorities(profile.NoticeProof.CA) {
		problems["overrides"] = Malformed
		return profile, problems
	}
	if problem := s.checkAddresses(profile, in.Sandbox); problem != "" {
		problems["overrides"] = problem
	}
	return profile, problems
}

// authorities reports whether a text is empty, or has a certificate.
func authorities(text string) bool {
	return text == "" || x509.NewCertPool().AppendCertsFromPEM([]byte(text))
}

// parseKey returns a Pix key of any type in its canonical form. A CPF is tried before a phone, since
// a phone begins with +.
func parseKey(text string) (key string, ok bool) {
	for _, kind := range []pixkey.Type{pixkey.EVP, pixkey.CNPJ, pixkey.CPF, pixkey.Email, pixkey.Phone} {
		if kind == pixkey.Phone && !strings.HasPrefix(strings.TrimSpace(text), "+") {
			continue
		}
		if key, err := pixkey.Parse(kind, text); err == nil {
			return key, true
		}
	}
	return "", false
}

// checkAddresses refuses a bank without an address, and one on a private network.
func (s *Service) checkAddresses(p bacen.Profile, sandbox bool) Problem {
	base, token := p.Base, p.TokenURL
	if sandbox {
		base = p.TestBase
		if p.TestTokenURL != "" {
			token = p.TestTokenURL
		}
	}
	if base == "" {
		return Missing
	}
	for _, address := range []string{base, token} {
		if strings.HasPrefix(address, "/") {
			continue // at the host of base
		}
		var refused *webhook.URLError
		if err := webhook.CheckURL(address, true, s.AllowPrivate); errors.As(err, &refused) {
			if refused.Reason == webhook.ReasonPrivate {
				return Private
			}
			return Malformed
		}
	}
	return ""
}

// parse checks credentials for an account with this profile and holder, and reads their files.
func (s *Service) parse(in *NewCredential, profile bacen.Profile, holder string, problems Invalid) clientcert.Parsed {
	in.ClientID, in.ClientSecret = strings.TrimSpace(in.ClientID), strings.TrimSpace(in.ClientSecret)
	in.AppKey = strings.TrimSpace(in.AppKey)
	for field, value := range map[string]string{
		"clientId": in.ClientID, "clientSecret": in.ClientSecret, "appKey": in.AppKey,
	} {
		if !input.Length(value, 0, 4096) || !input.Printable(value) {
			problems[field] = Malformed
		}
	}
	if !input.Length(in.ClientID, 1, 200) {
		problems["clientId"] = Malformed
	}
	if in.ClientSecret == "" && profile.TokenStyle != bacen.FormIDOnly {
		problems["clientSecret"] = Missing
	}
	parsed, err := clientcert.Read(in.Files, s.now())
	var problem clientcert.Problem
	switch {
	case errors.As(err, &problem):
		problems["certificate"] = Problem(problem)
	case err != nil:
		problems["certificate"] = Malformed
	case parsed.Document != "" && parsed.Document != holder && holder != "":
		problems["certificate"] = ForeignHolder
	}
	return parsed
}
