package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	netmail "net/mail"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/caarlos0/env/v11"

	"garoupa/internal/auditlog"
	"garoupa/internal/mail"
	"garoupa/internal/money"
	"garoupa/internal/usdt/quote"
	"garoupa/payments"
	"garoupa/pix/psp/bacen"
	"garoupa/webhook"
)

// settings are all settings from the environment. docs/settings.md explains each of them,
// and a test compares the two. Every value is checked before anything starts. Those with the tag
// secret can be read from files.
type settings struct {
	DatabaseURL          string        `env:"DATABASE_URL" secret:"true"`
	DatabaseDirectURL    string        `env:"GAROUPA_DATABASE_DIRECT_URL" secret:"true"`
	DatabaseReadURL      string        `env:"GAROUPA_DATABASE_READ_URL" secret:"true"`
	Listen               string        `env:"GAROUPA_LISTEN" envDefault:"127.0.0.1:8080"`
	BaseURL              string        `env:"GAROUPA_BASE_URL"`
	CheckoutURL          string        `env:"GAROUPA_CHECKOUT_HOST"`
	AppURL               string        `env:"GAROUPA_APP_URL"`
	DataDir              string        `env:"GAROUPA_DATA_DIR" envDefault:".garoupa"`
	SecretKey            string        `env:"GAROUPA_SECRET_KEY" secret:"true"`
	SecretKeyPrevious    string        `env:"GAROUPA_SECRET_KEY_PREVIOUS" secret:"true"`
	PostgresBin          string        `env:"GAROUPA_POSTGRES_BIN"`
	WebhookBackoff       string        `env:"GAROUPA_WEBHOOK_BACKOFF" envDefault:"60s,5m,15m,60m"`
	WebhookAllowPrivate  *bool         `env:"GAROUPA_WEBHOOK_ALLOW_PRIVATE"`
	WebhookForbidden     string        `env:"GAROUPA_WEBHOOK_FORBIDDEN_NETWORKS"`
	EventDays            int           `env:"GAROUPA_EVENT_DAYS" envDefault:"90"`
	AuditStream          string        `env:"GAROUPA_AUDIT_STREAM"`
	AuditStreamToken     string        `env:"GAROUPA_AUDIT_STREAM_TOKEN" secret:"true"`
	BuyerDays            int           `env:"GAROUPA_BUYER_DAYS" envDefault:"1826"`
	Fee                  string        `env:"GAROUPA_FEE" envDefault:"0.99%"`
	AmountMin            string        `env:"GAROUPA_AMOUNT_MIN" envDefault:"0.01"`
	AmountMax            string        `env:"GAROUPA_AMOUNT_MAX" envDefault:"1000000.00"`
	SettlementDelayTest  time.Duration `env:"GAROUPA_SETTLEMENT_DELAY_TEST" envDefault:"10s"`
	SettlementDelayLive  time.Duration `env:"GAROUPA_SETTLEMENT_DELAY_LIVE" envDefault:"24h"`
	WithdrawalFee        string        `env:"GAROUPA_WITHDRAWAL_FEE" envDefault:"0%"`
	WithdrawalMin        string        `env:"GAROUPA_WITHDRAWAL_MIN" envDefault:"5.00"`
	WithdrawalMax        string        `env:"GAROUPA_WITHDRAWAL_MAX" envDefault:"100000.00"`
	WithdrawalDailyMax   string        `env:"GAROUPA_WITHDRAWAL_DAILY_MAX" envDefault:"500000.00"`
	WithdrawalFourEyes   string        `env:"GAROUPA_WITHDRAWAL_FOUR_EYES" envDefault:"10000.00"`
	DestinationHold      time.Duration `env:"GAROUPA_DESTINATION_HOLD" envDefault:"24h"`
	QuoteSources         string        `env:"GAROUPA_QUOTE_SOURCES"`
	LiveProvider         string        `env:"GAROUPA_LIVE_PROVIDER" envDefault:"none"`
	BankProfiles         string        `env:"GAROUPA_BANK_PROFILES"`
	BankProxy            string        `env:"GAROUPA_BANK_PROXY" secret:"true"`
	MetricsListen        string        `env:"GAROUPA_METRICS_LISTEN"`
	BankListen           string        `env:"GAROUPA_BANK_LISTEN"`
	BankURL              string        `env:"GAROUPA_BANK_URL"`
	BankTLSCert          string        `env:"GAROUPA_BANK_TLS_CERT"`
	BankTLSKey           string        `env:"GAROUPA_BANK_TLS_KEY"`
	BankCertHeader       string        `env:"GAROUPA_BANK_CERT_HEADER"`
	TermsURL             string        `env:"GAROUPA_TERMS_URL"`
	PrivacyURL           string        `env:"GAROUPA_PRIVACY_URL"`
	SupportURL           string        `env:"GAROUPA_SUPPORT_URL"`
	SecurityContact      string        `env:"GAROUPA_SECURITY_CONTACT"`
	SignUp               string        `env:"GAROUPA_SIGN_UP" envDefault:"open"`
	OIDCIssuer           string        `env:"GAROUPA_OIDC_ISSUER"`
	OIDCClientID         string        `env:"GAROUPA_OIDC_CLIENT_ID"`
	OIDCClientSecret     string        `env:"GAROUPA_OIDC_CLIENT_SECRET" secret:"true"`
	OIDCName             string        `env:"GAROUPA_OIDC_NAME"`
	OIDCOnly             bool          `env:"GAROUPA_OIDC_ONLY" envDefault:"false"`
	OIDCMFAACR           string        `env:"GAROUPA_OIDC_MFA_ACR"`
	Demo                 bool          `env:"GAROUPA_DEMO" envDefault:"false"`
	RateLimit            string        `env:"GAROUPA_RATE_LIMIT" envDefault:"on"`
	RateLimitLive        string        `env:"GAROUPA_RATE_LIMIT_LIVE" envDefault:"100/s,200"`
	RateLimitTest        string        `env:"GAROUPA_RATE_LIMIT_TEST" envDefault:"50/s,100"`
	RateLimitWithdrawals string        `env:"GAROUPA_RATE_LIMIT_WITHDRAWALS" envDefault:"10/m"`
	RateLimitResends     string        `env:"GAROUPA_RATE_LIMIT_RESENDS" envDefault:"30/m"`
	RateLimitFailedAuth  string        `env:"GAROUPA_RATE_LIMIT_FAILED_AUTH" envDefault:"30/m"`
	RateLimitPages       string        `env:"GAROUPA_RATE_LIMIT_PAGES" envDefault:"300/m"`
	RateLimitLogIn       string        `env:"GAROUPA_RATE_LIMIT_LOG_IN" envDefault:"5/m"`
	RateLimitFailedLogIn string        `env:"GAROUPA_RATE_LIMIT_FAILED_LOG_IN" envDefault:"30/m"`
	RateLimitNewPlaces   string        `env:"GAROUPA_RATE_LIMIT_NEW_PLACES" envDefault:"20/h"`
	RateLimitPeople      string        `env:"GAROUPA_RATE_LIMIT_PEOPLE" envDefault:"600/m"`
	RateLimitSignUps     string        `env:"GAROUPA_RATE_LIMIT_SIGN_UPS" envDefault:"5/h"`
	RateLimitMails       string        `env:"GAROUPA_RATE_LIMIT_MAILS" envDefault:"20/h"`
	SMTPURL              string        `env:"GAROUPA_SMTP_URL" secret:"true"`
	MailFrom             string        `env:"GAROUPA_MAIL_FROM"`
	TrustedProxies       string        `env:"GAROUPA_TRUSTED_PROXIES"`
	OpsNetworks          string        `env:"GAROUPA_OPS_NETWORKS"`
	APIKey               string        `env:"GAROUPA_API_KEY" secret:"true"`
	WebhookSecret        string        `env:"GAROUPA_WEBHOOK_SECRET" secret:"true"`
	LogLevel             slog.Level    `env:"GAROUPA_LOG_LEVEL" envDefault:"info"`

	RequestTimeout time.Duration  `env:"GAROUPA_REQUEST_TIMEOUT" envDefault:"10s"`
	DrainTime      *time.Duration `env:"GAROUPA_DRAIN_TIME"` // nil: the default of drainTime

	fee         money.Fee
	amounts     amountRange
	backoff     []time.Duration
	withdrawals payments.WithdrawalPolicy
	quotes      []quote.Source

	bankProfiles map[string]bacen.Profile
	bankProxy    *url.URL // nil: none
	proxies      []netip.Prefix
	opsNetworks  []netip.Prefix // empty: any network
	forbidden    []netip.Prefix // networks that webhooks may not reach
	limits       limiters
	smtp         *mail.Server      // nil: no mail is sent
	auditLog     auditlog.Receiver // nil: the audit log is not streamed
	from         *netmail.Address
}

// The values of GAROUPA_LIVE_PROVIDER.
const (
	providerNone      = "none"
	providerSimulator = "simulator"
	providerBank      = "bank"
)

// readSettings reads and checks the environment. The error is one line that names the
// setting.
func readSettings(environment map[string]string) (settings, error) {
	var s settings
	environment, err := withFiles(environment)
	if err != nil {
		return s, fmt.Errorf("settings: %w", err)
	}
	if err := env.ParseWithOptions(&s, env.Options{Environment: environment}); err != nil {
		return s, fmt.Errorf("settings: %w", unparsed(err))
	}
	if s.BaseURL == "" {
		s.BaseURL = s.localURL()
	}
	if s.CheckoutURL == "" {
		s.CheckoutURL = s.BaseURL
	}
	if s.AppURL == "" {
		s.AppURL = s.BaseURL
	}
	for _, check := range s.checks() {
		if check.err != nil {
			return s, fmt.Errorf("settings: %s: %w", check.name, check.err)
		}
	}
	s.withdrawals.Hold = s.DestinationHold
	return s, nil
}

// checks reads the values that have a form of their own, and checks all.
func (s *settings) checks() []checked {
	return []checked{
		{"DATABASE_URL", checkDatabaseURL(s.DatabaseURL)},
		{"DATABASE_URL", s.checkDatabaseTLS(s.DatabaseURL)},
		{"GAROUPA_DATABASE_DIRECT_URL", s.checkDirectURL()},
		{"GAROUPA_DATABASE_READ_URL", s.checkReadDatabase()},
		{"GAROUPA_LISTEN", checkListen(s.Listen)},
		{"GAROUPA_BASE_URL", checkAddress(&s.BaseURL)},
		{"GAROUPA_CHECKOUT_HOST", checkAddress(&s.CheckoutURL)},
		{"GAROUPA_APP_URL", checkAddress(&s.AppURL)},
		{"GAROUPA_BASE_URL", s.checkTLS(s.BaseURL)},
		{"GAROUPA_CHECKOUT_HOST", s.checkTLS(s.CheckoutURL)},
		{"GAROUPA_APP_URL", s.checkTLS(s.AppURL)},
		{"GAROUPA_TERMS_URL", s.checkNotice(s.TermsURL)},
		{"GAROUPA_PRIVACY_URL", s.checkNotice(s.PrivacyURL)},
		{"GAROUPA_SUPPORT_URL", s.checkContact(s.SupportURL)},
		{"GAROUPA_SECURITY_CONTACT", s.checkContact(s.SecurityContact)},
		{"GAROUPA_SIGN_UP", checkSignUp(s.SignUp)},
		{"GAROUPA_OIDC_ISSUER", s.checkOIDC()},
		{"GAROUPA_SECRET_KEY", checkSecretKey(s.SecretKey)},
		{"GAROUPA_SECRET_KEY_PREVIOUS", checkSecretKey(s.SecretKeyPrevious)},
		{"GAROUPA_POSTGRES_BIN", checkFolder(s.PostgresBin)},
		{"GAROUPA_LIVE_PROVIDER", s.checkLiveProvider()},
		{"GAROUPA_BANK_PROFILES", s.readBankProfiles()},
		{"GAROUPA_BANK_PROXY", s.readBankProxy()},
		{"GAROUPA_METRICS_LISTEN", s.checkMetricsListen()},
		{"GAROUPA_BANK_LISTEN", s.checkBankListen()},
		{"GAROUPA_BANK_URL", s.checkBankURL()},
		{"GAROUPA_BANK_TLS_CERT", s.checkBankTLS()},
		{"GAROUPA_BANK_CERT_HEADER", s.checkBankCertHeader()},
		{"GAROUPA_FEE", readFee(&s.fee, s.Fee)},
		{"GAROUPA_AMOUNT_MIN", s.amounts.readMin(s.AmountMin)},
		{"GAROUPA_AMOUNT_MAX", s.amounts.readMax(s.AmountMax)},
		{"GAROUPA_SETTLEMENT_DELAY_TEST", checkDelay(s.SettlementDelayTest)},
		{"GAROUPA_SETTLEMENT_DELAY_LIVE", checkDelay(s.SettlementDelayLive)},
		{"GAROUPA_WITHDRAWAL_FEE", readFee(&s.withdrawals.Fee, s.WithdrawalFee)},
		{"GAROUPA_WITHDRAWAL_MIN", readAmount(&s.withdrawals.Min, s.WithdrawalMin)},
		{"GAROUPA_WITHDRAWAL_MAX", readAmount(&s.withdrawals.Max, s.WithdrawalMax)},
		{"GAROUPA_WITHDRAWAL_MIN", s.checkWithdrawalRange()},
		{"GAROUPA_WITHDRAWAL_DAILY_MAX", readAmount(&s.withdrawals.DailyMax, s.WithdrawalDailyMax)},
		{"GAROUPA_WITHDRAWAL_FOUR_EYES", readAmount(&s.withdrawals.FourEyes, s.WithdrawalFourEyes)},
		{"GAROUPA_DESTINATION_HOLD", checkDelay(s.DestinationHold)},
		{"GAROUPA_QUOTE_SOURCES", s.readQuoteSources()},
		{"GAROUPA_RATE_LIMIT", s.checkRateLimit()},
		{"GAROUPA_RATE_LIMIT_LIVE", s.readLimit(&s.limits.live, s.RateLimitLive)},
		{"GAROUPA_RATE_LIMIT_TEST", s.readLimit(&s.limits.test, s.RateLimitTest)},
		{"GAROUPA_RATE_LIMIT_WITHDRAWALS", s.readLimit(&s.limits.withdrawals, s.RateLimitWithdrawals)},
		{"GAROUPA_RATE_LIMIT_RESENDS", s.readLimit(&s.limits.resends, s.RateLimitResends)},
		{"GAROUPA_RATE_LIMIT_FAILED_AUTH", s.readLimit(&s.limits.failedAuth, s.RateLimitFailedAuth)},
		{"GAROUPA_RATE_LIMIT_PAGES", s.readLimit(&s.limits.pages, s.RateLimitPages)},
		{"GAROUPA_RATE_LIMIT_LOG_IN", s.readLimit(&s.limits.logIn, s.RateLimitLogIn)},
		{"GAROUPA_RATE_LIMIT_FAILED_LOG_IN", s.readLimit(&s.limits.failedLogIn, s.RateLimitFailedLogIn)},
		{"GAROUPA_RATE_LIMIT_NEW_PLACES", s.readLimit(&s.limits.newPlaces, s.RateLimitNewPlaces)},
		{"GAROUPA_RATE_LIMIT_PEOPLE", s.readLimit(&s.limits.people, s.RateLimitPeople)},
		{"GAROUPA_RATE_LIMIT_SIGN_UPS", s.readLimit(&s.limits.signUps, s.RateLimitSignUps)},
		{"GAROUPA_RATE_LIMIT_MAILS", s.readLimit(&s.limits.mails, s.RateLimitMails)},
		{"GAROUPA_SMTP_URL", s.readSMTP()},
		{"GAROUPA_MAIL_FROM", s.readMailFrom()},
		{"GAROUPA_TRUSTED_PROXIES", readNetworks(&s.proxies, s.TrustedProxies)},
		{"GAROUPA_OPS_NETWORKS", readNetworks(&s.opsNetworks, s.OpsNetworks)},
		{"GAROUPA_WEBHOOK_BACKOFF", s.readBackoff()},
		{"GAROUPA_EVENT_DAYS", checkEventDays(s.EventDays)},
		{"GAROUPA_AUDIT_STREAM_TOKEN", s.checkAuditStreamToken()},
		{"GAROUPA_AUDIT_STREAM", s.readAuditStream()},
		{"GAROUPA_BUYER_DAYS", checkBuyerDays(s.BuyerDays)},
		{"GAROUPA_WEBHOOK_FORBIDDEN_NETWORKS", readNetworks(&s.forbidden, s.WebhookForbidden)},
		{"GAROUPA_REQUEST_TIMEOUT", checkRequestTimeout(s.RequestTimeout)},
		{"GAROUPA_DRAIN_TIME", checkDelay(s.drainTime())},
	}
}

// embedded reports whether the program runs its own PostgreSQL.
func (s *settings) embedded() bool { return s.DatabaseURL == "" }

// allowPrivate reports whether webhook endpoints may have private addresses. By default
// only a development installation allows them.
func (s *settings) allowPrivate() bool {
	if s.WebhookAllowPrivate != nil {
		return *s.WebhookAllowPrivate
	}
	return s.embedded()
}

// drainTime is how long a process keeps answering after the signal to stop, so that balancers
// notice. The embedded mode does not drain.
func (s *settings) drainTime() time.Duration {
	switch {
	case s.DrainTime != nil:
		return *s.DrainTime
	case s.embedded():
		return 0
	}
	return 5 * time.Second
}

// buyersKept is how long the data of buyers stay at charges, 0 for ever: no shorter than in events.
func (s *settings) buyersKept() time.Duration {
	if s.BuyerDays == 0 {
		return 0
	}
	return time.Duration(max(s.BuyerDays, s.EventDays)) * 24 * time.Hour
}

func (s *settings) localURL() string {
	_, port, err := net.SplitHostPort(s.Listen)
	if err != nil {
		port = "8080"
	}
	return "http://localhost:" + port
}

func (s *settings) checkLiveProvider() error {
	switch s.LiveProvider {
	case providerNone, providerBank:
		return nil
	case providerSimulator:
		if !s.Demo {
			return errors.New("simulator needs GAROUPA_DEMO=true: it pays live charges with no money")
		}
		return nil
	}
	return fmt.Errorf("%q is neither none, bank nor simulator", s.LiveProvider)
}

// readBankProfiles reads the file that changes what is known of banks, if there is one.
func (s *settings) readBankProfiles() (err error) {
	var file []byte
	if s.BankProfiles != "" {
		if file, err = os.ReadFile(s.BankProfiles); err != nil {
			return err
		}
	}
	s.bankProfiles, err = bacen.Profiles(file)
	return err
}

func (s *settings) readBankProxy() (err error) {
	if s.BankProxy == "" {
		return nil
	}
	if s.bankProxy, err = url.Parse(s.BankProxy); err != nil || s.bankProxy.Host == "" ||
		s.bankProxy.Scheme != "http" && s.bankProxy.Scheme != "https" {
		return errors.New("must be http(s)://host:port") // the value may contain a password
	}
	return nil
}

func (s *settings) readBackoff() (err error) {
	s.backoff, err = webhook.ParseBackoff(s.WebhookBackoff)
	return err
}

func (s *settings) readQuoteSources() (err error) {
	s.quotes, err = quote.ParseSources(s.QuoteSources)
	return err
}

func (s *settings) readAuditStream() (err error) {
	s.auditLog, err = auditlog.NewReceiver(s.AuditStream, s.AuditStreamToken)
	return err
}

func (s *settings) checkAuditStreamToken() error {
	if strings.ContainsFunc(s.AuditStreamToken, unicode.IsControl) {
		return errors.New("must not contain control characters")
	}
	if s.AuditStreamToken != "" && !strings.HasPrefix(s.AuditStream, "https:") {
		return errors.New("needs an https address in GAROUPA_AUDIT_STREAM")
	}
	return nil
}

// readFee reads a percentage and reais.
func readFee(fee *money.Fee, text string) (err error) {
	if *fee, err = money.ParseFee(text); err != nil {
		return fmt.Errorf("%q is not a fee such as 0.99%% or 0.99%% + 0.10: a percentage of at most 100%%, and reais",
			text)
	}
	return nil
}

// amountRange bounds charges.
type amountRange struct{ min, max money.Cents }

func (r *amountRange) readMin(text string) error {
	if err := readAmount(&r.min, text); err != nil {
		return err
	}
	if r.min < 1 {
		return fmt.Errorf("%s is less than 0.01", text)
	}
	return nil
}

// readMax also checks that it is not below the minimum.
func (r *amountRange) readMax(text string) error {
	if err := readAmount(&r.max, text); err != nil {
		return err
	}
	if r.max < r.min {
		return fmt.Errorf("%s is less than GAROUPA_AMOUNT_MIN, which is %s", text, r.min.Decimal())
	}
	return nil
}

// readAmount reads an amount in reais.
func readAmount(amount *money.Cents, text string) (err error) {
	if *amount, err = money.ParseDecimal(text); err != nil {
		return fmt.Errorf("%q is not an amount in reais such as 5.00", text)
	}
	return nil
}

// checkWithdrawalRange checks that the minimum is not above the maximum.
func (s *settings) checkWithdrawalRange() error {
	if s.withdrawals.Min > s.withdrawals.Max {
		return fmt.Errorf("%s is more than GAROUPA_WITHDRAWAL_MAX, which is %s", s.WithdrawalMin, s.WithdrawalMax)
	}
	return nil
}

func (s *settings) readSMTP() (err error) {
	if s.SMTPURL != "" {
		s.smtp, err = mail.ParseServer(s.SMTPURL)
	}
	return err
}

func (s *settings) readMailFrom() (err error) {
	if s.MailFrom == "" && s.SMTPURL == "" {
		return nil
	}
	if s.from, err = netmail.ParseAddress(s.MailFrom); err != nil {
		return errors.New(`must be an address such as "Garoupa <pix@example.com>" if GAROUPA_SMTP_URL is set`)
	}
	return nil
}

// keepsMails reports whether mails are shown in the browser and not sent.
func (s *settings) keepsMails() bool { return s.embedded() && s.smtp == nil }
