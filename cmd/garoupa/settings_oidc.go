package main

import (
	"errors"
	"net/url"
	"strings"
	"time"

	"garoupa/internal/auth/oidc"
	"garoupa/internal/input"
	"garoupa/web/page"
)

// The longest texts about a provider: the issuer as the database stores it, and a name that fits a button.
const (
	maxIssuer       = 500
	maxProviderName = 40
)

// checkOIDC requires all that a provider needs, or nothing. Its errors do not repeat values.
func (s *settings) checkOIDC() error {
	needed := []string{s.OIDCIssuer, s.OIDCClientID, s.OIDCClientSecret, s.OIDCName}
	missing := 0
	for _, value := range needed {
		if value == "" {
			missing++
		}
	}
	switch {
	case missing == len(needed) && (s.OIDCOnly || s.OIDCMFAACR != ""):
		return errors.New("must be set with GAROUPA_OIDC_ONLY and GAROUPA_OIDC_MFA_ACR, which are about the provider")
	case missing == len(needed):
		return nil
	case missing > 0:
		return errors.New("must be set together with GAROUPA_OIDC_CLIENT_ID, GAROUPA_OIDC_CLIENT_SECRET and " +
			"GAROUPA_OIDC_NAME, or none of the four")
	case s.OIDCName != input.TrimLine(s.OIDCName) || !input.Plain(s.OIDCName) ||
		len([]rune(s.OIDCName)) > maxProviderName:
		return errors.New("has a GAROUPA_OIDC_NAME that is not one line of up to 40 characters")
	}
	u, err := url.Parse(s.OIDCIssuer)
	if err != nil || u.Scheme != "https" && (u.Scheme != "http" || !s.embedded()) || u.Host == "" || u.User != nil ||
		u.RawQuery != "" || strings.Contains(s.OIDCIssuer, "#") || len(s.OIDCIssuer) > maxIssuer {
		return errors.New("must be the issuer's address, https://host or https://host/path, without user and query")
	}
	return nil
}

// provider returns the provider at which people log in, or nil. It is not asked anything yet.
func (s *settings) provider(now func() time.Time) *oidc.Provider {
	if s.OIDCIssuer == "" {
		return nil
	}
	return oidc.New(oidc.Options{Issuer: s.OIDCIssuer, ClientID: s.OIDCClientID, ClientSecret: s.OIDCClientSecret,
		Name: s.OIDCName, StrongACR: s.OIDCMFAACR, Redirect: s.AppURL + page.SSOReturnPath, Now: now})
}
