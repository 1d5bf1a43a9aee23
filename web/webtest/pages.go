package webtest

import (
	"garoupa/views/docs"
	"garoupa/web"
)

// DocsPages returns the paths of all pages of the documentation.
func DocsPages() (paths []string) {
	for _, group := range docs.Groups {
		for _, slug := range group.Slugs {
			paths = append(paths, "/docs/"+slug)
		}
	}
	for _, group := range []string{"", "/checkouts", "/payment-links", "/balance", "/withdrawals", "/refunds",
		"/event-recovery", "/audit-log", "/test-mode", "/availability", "/events"} {
		paths = append(paths, "/docs/api"+group)
	}
	return paths
}

// Addresses of a company's notices.
const (
	TermsURL   = "https://empresa.example/termos"
	PrivacyURL = "https://empresa.example/privacidade"
	SupportURL = "mailto:suporte@empresa.example"
)

// WithNotices makes a site that of a company which has terms of use, a privacy notice and
// an address for support.
func WithNotices(o *web.Options) {
	o.TermsURL, o.PrivacyURL, o.SupportURL = TermsURL, PrivacyURL, SupportURL
}

// Pages where a person or a business is changed.
const (
	NewEmailPage = "/trocar-email"
	SecurityPage = "/app/configuracoes/seguranca"
	CompanyPage  = "/app/configuracoes/empresa"
	CheckoutPage = "/app/configuracoes/checkout"
	NoticesPage  = "/app/configuracoes/avisos"
	ProfilePage  = "/app/configuracoes/perfil"
)
