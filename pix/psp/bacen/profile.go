package bacen

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

// TokenStyle says where a request for a token has the id and the secret of the client.
type TokenStyle string

// The styles.
const (
	BasicForm  TokenStyle = "basic_form"   // Authorization: Basic, and a form
	BasicJSON  TokenStyle = "basic_json"   // Authorization: Basic, and a JSON body; no scopes are asked for
	FormSecret TokenStyle = "form_secret"  // both in the form
	FormIDOnly TokenStyle = "form_id_only" // the id in the form; the certificate is the secret
)

// TimeFormat says how times are written in queries. They are in UTC.
type TimeFormat string

// The formats.
const (
	Milliseconds TimeFormat = "ms" // 2026-11-23T20:00:00.000Z
	Seconds      TimeFormat = "s"  // 2026-11-23T20:00:00Z
)

// begin writes the begin of a window.
func (f TimeFormat) begin(t time.Time) string {
	if f == Seconds {
		return t.UTC().Format("2006-01-02T15:04:05Z")
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// end writes the end of a window, rounded up, so that nothing is cut off.
func (f TimeFormat) end(t time.Time) string {
	resolution := time.Millisecond
	if f == Seconds {
		resolution = time.Second
	}
	return f.begin(t.Add(resolution - 1))
}

// NoticeProof says how a notice of the bank proves where it comes from.
type NoticeProof struct {
	Kind       string `json:"kind"`        // "mtls", or "secret": a token in the path of the URL
	CA         string `json:"ca"`          // for mtls: PEM of the authorities of the bank's client certificate
	CommonName string `json:"common_name"` // for mtls: its common name; "" for any
}

// Confirmation says when a profile was tried at the bank itself.
type Confirmation struct {
	Date        string `json:"date"`        // 2026-11-23; "" if it was not
	Environment string `json:"environment"` // "test" or "production"
}

// Efi is the only value of Profile.Payer and Profile.Disputer: Efí's own endpoints for payouts and
// disputes, since API Pix has none.
const Efi = "efi"

// Profile is how a bank departs from API Pix. Texts in Headers, Query and RegisterHeaders may
// have {client_id}, {app_key} and {conta}: see Options.Values.
type Profile struct {
	Name         string            `json:"-"`
	Base         string            `json:"base"`           // URL before /cob; "" if the account must name it
	TestBase     string            `json:"test_base"`      // the same of the bank's test environment
	Versions     map[string]string `json:"versions"`       // by resource, such as "cob": v3; "*" for all others
	TokenURL     string            `json:"token_url"`      // absolute, or a path at the host of Base
	TestTokenURL string            `json:"test_token_url"` // "" for TokenURL
	TokenStyle   TokenStyle        `json:"token_style"`
	Scopes       []string          `json:"scopes"` // asked for
	Headers      map[string]string `json:"headers"`
	Query        map[string]string `json:"query"`

	RegisterHeaders map[string]string `json:"register_headers"` // added when notices are registered

	CodeFields []string   `json:"code_fields"` // members with the BR Code, tried in this order
	Conflicts  []string   `json:"conflicts"`   // names of errors with status 400 that may mean "exists" or "not active"
	TimeFormat TimeFormat `json:"time_format"`
	PageSize   int        `json:"page_size"`
	MaxWindow  int        `json:"max_window"` // hours between inicio and fim of a list of Pix

	FiltersReturns bool        `json:"filters_returns"` // understands devolucaoPresente
	NoticeProof    NoticeProof `json:"notice_proof"`

	ReadsPerMinute  int `json:"reads_per_minute"`
	WritesPerMinute int `json:"writes_per_minute"`
	TokensPerMinute int `json:"tokens_per_minute"`
	InFlight        int `json:"in_flight"` // calls at the same time

	CA             string       `json:"ca"` // PEM of the authorities of the bank's server; "" for the system's
	RemoveOnExpiry bool         `json:"remove_on_expiry"`
	Payer          string       `json:"payer"`    // Efi, or "" if the bank cannot send Pix by API
	Disputer       string       `json:"disputer"` // Efi, or "" if the bank does not tell of disputes by API
	Confirmed      Confirmation `json:"confirmed"`
}

// longestWindow is more hours than any list has, and a number of which a time.Duration can be made.
const longestWindow = 24 * 366

// Window returns the longest Window that Payments takes.
func (p Profile) Window() time.Duration {
	return time.Duration(min(p.MaxWindow, longestWindow)) * time.Hour
}

// clone returns a copy that shares nothing with p.
func (p Profile) clone() Profile {
	p.Versions, p.Headers, p.Query = maps.Clone(p.Versions), maps.Clone(p.Headers), maps.Clone(p.Query)
	p.RegisterHeaders = maps.Clone(p.RegisterHeaders)
	p.Scopes, p.CodeFields = slices.Clone(p.Scopes), slices.Clone(p.CodeFields)
	p.Conflicts = slices.Clone(p.Conflicts)
	return p
}

// check returns an error that names the field that is wrong.
func (p Profile) check() error {
	styles := []TokenStyle{BasicForm, BasicJSON, FormSecret, FormIDOnly}
	switch {
	case !slices.Contains(styles, p.TokenStyle):
		return fmt.Errorf("token_style %q is none of %v", p.TokenStyle, styles)
	case p.TimeFormat != Milliseconds && p.TimeFormat != Seconds:
		return fmt.Errorf("time_format %q is neither ms nor s", p.TimeFormat)
	case p.PageSize < 1 || p.PageSize > 1000:
		return fmt.Errorf("page_size %d is not from 1 to 1000", p.PageSize)
	case p.MaxWindow < 1:
		return fmt.Errorf("max_window %d is less than one hour", p.MaxWindow)
	case min(p.ReadsPerMinute, p.WritesPerMinute, p.TokensPerMinute, p.InFlight) < 1:
		return errors.New("reads_per_minute, writes_per_minute, tokens_per_minute or in_flight is less than 1")
	case p.NoticeProof.Kind != "mtls" && p.NoticeProof.Kind != "secret":
		return fmt.Errorf("notice_proof.kind %q is neither mtls nor secret", p.NoticeProof.Kind)
	case len(p.CodeFields) == 0:
		return errors.New("code_fields is empty")
	case p.Payer != "" && p.Payer != Efi || p.Disputer != "" && p.Disputer != Efi:
		return errors.New("payer or disputer is neither empty nor efi")
	}
	for field, text := range map[string]string{"base": p.Base, "test_base": p.TestBase} {
		if err := checkURL(text); text != "" && err != nil {
			return fmt.Errorf("%s: %w", field, err)
		}
	}
	for field, text := range map[string]string{"token_url": p.TokenURL, "test_token_url": p.TestTokenURL} {
		if err := checkURL(text); text != "" && !strings.HasPrefix(text, "/") && err != nil {
			return fmt.Errorf("%s: %w", field, err)
		}
	}
	return nil
}

// checkURL accepts only https, since secrets go there.
func checkURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" {
		return errors.New("is not an https URL without user and fragment")
	}
	return nil
}
