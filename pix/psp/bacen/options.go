package bacen

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"time"
)

// Options are what a Client needs. Profile, Certificate, ClientID and PixKey are mandatory, and
// ClientSecret unless the profile's tokens need none.
type Options struct {
	Profile  Profile
	Sandbox  bool   // use the bank's test environment
	BaseURL  string // instead of the profile's
	TokenURL string // instead of the profile's

	Certificate            tls.Certificate
	Roots                  *x509.CertPool // of the bank's server; nil for the profile's, else the system's
	ClientID, ClientSecret string
	PixKey                 string
	NoticeToken            string            // the secret in the address for notices, if there is one
	Values                 map[string]string // app_key and conta of the profile's headers and query
	HolderName, HolderCity string            // for codes that the bank leaves to be built from a location
	Proxy                  *url.URL          // for CONNECT; nil for none. The environment is ignored

	// AllowTestBank accepts answers with the header of the test bank of this module, which holds
	// no money.
	AllowTestBank bool

	Now  func() time.Time                                 // nil for time.Now
	Wait func(ctx context.Context, d time.Duration) error // returns after d, or when ctx ends; nil for a timer
	Log  *slog.Logger                                     // nil for none

	// Observe is told of each call that was made, and of each that failed at once because the bank is known
	// not to answer. It must be quick; nil for none.
	Observe func(Observation)
}

// complete checks o and fills in what may be left out.
func (o Options) complete() (Options, error) {
	p, err := o.Profile.With(nil)
	if err != nil {
		return o, err
	}
	o.Profile = p
	switch {
	case len(o.Certificate.Certificate) == 0:
		return o, errors.New("bacen: the client certificate is missing")
	case o.ClientID == "":
		return o, errors.New("bacen: the client id is missing")
	case o.ClientSecret == "" && p.TokenStyle != FormIDOnly:
		return o, errors.New("bacen: the client secret is missing")
	case o.PixKey == "":
		return o, errors.New("bacen: the Pix key is missing")
	}
	if o.Roots == nil && p.CA != "" {
		o.Roots = x509.NewCertPool()
		if !o.Roots.AppendCertsFromPEM([]byte(p.CA)) {
			return o, errors.New("bacen: the profile's ca has no certificate")
		}
	}
	if o.Certificate.Leaf == nil {
		if o.Certificate.Leaf, err = x509.ParseCertificate(o.Certificate.Certificate[0]); err != nil {
			return o, errors.New("bacen: the client certificate cannot be read")
		}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Wait == nil {
		o.Wait = wait
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Observe == nil {
		o.Observe = func(Observation) {}
	}
	return o, nil
}

// addresses returns the URL before all resources, without a slash at its end, and that of tokens.
func (o Options) addresses() (base, token string, err error) {
	base, token = o.Profile.Base, o.Profile.TokenURL
	if o.Sandbox {
		base = o.Profile.TestBase
		if o.Profile.TestTokenURL != "" {
			token = o.Profile.TestTokenURL
		}
	}
	if o.BaseURL != "" {
		base = o.BaseURL
	}
	if o.TokenURL != "" {
		token = o.TokenURL
	}
	if base == "" || checkURL(base) != nil {
		return "", "", errors.New("bacen: the base URL of the bank is missing, or is not an https URL")
	}
	if strings.HasPrefix(token, "/") {
		u, err := url.Parse(base)
		if err != nil {
			return "", "", errors.New("bacen: the base URL of the bank is not a URL")
		}
		token = "https://" + u.Host + token
	}
	if token == "" || checkURL(token) != nil {
		return "", "", errors.New("bacen: the token URL of the bank is missing, or is not an https URL")
	}
	return strings.TrimRight(base, "/"), token, nil
}

// fill replaces {client_id} and the names of Values in the texts of a profile. It leaves out an
// entry whose value is not known.
func (o Options) fill(texts map[string]string) map[string]string {
	values := []string{"{client_id}", o.ClientID}
	for name, value := range o.Values {
		if value != "" {
			values = append(values, "{"+name+"}", value)
		}
	}
	replace, filled := strings.NewReplacer(values...), map[string]string{}
	for name, text := range texts {
		if text = replace.Replace(text); !strings.Contains(text, "{") {
			filled[name] = text
		}
	}
	return filled
}

// wait returns after d, or when ctx ends.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
