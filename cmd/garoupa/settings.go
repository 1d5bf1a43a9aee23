package main

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	netmail "net/mail"
	"net/netip"
	"net/url"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"

	"garoupa/mail"
	"garoupa/money"
	"garoupa/payments"
	"garoupa/quote"
	"garoupa/ratelimit"
	"garoupa/webhook"
)

// settings are all that the environment decides. docs/settings.md explains each; a
// test keeps the two in step. Every value is checked before anything starts.
type settings struct {
	DatabaseURL          string        `env:"DATABASE_URL"`
	Listen               string        `env:"GAROUPA_LISTEN" envDefault:"127.0.0.1:8080"`
	BaseURL              string        `env:"GAROUPA_BASE_URL"`
	CheckoutHost         string        `env:"GAROUPA_CHECKOUT_HOST"`
	AppURL               string        `env:"GAROUPA_APP_URL"`
	DataDir              string        `env:"GAROUPA_DATA_DIR" envDefault:".garoupa"`
	SecretKey            string        `env:"GAROUPA_SECRET_KEY"`
	SecretKeyPrevious    string        `env:"GAROUPA_SECRET_KEY_PREVIOUS"`
	PostgresBin          string        `env:"GAROUPA_POSTGRES_BIN"`
	WebhookBackoff       string        `env:"GAROUPA_WEBHOOK_BACKOFF" envDefault:"60s,5m,15m,60m"`
	WebhookAllowPrivate  *bool         `env:"GAROUPA_WEBHOOK_ALLOW_PRIVATE"`
	SettlementDelayTest  time.Duration `env:"GAROUPA_SETTLEMENT_DELAY_TEST" envDefault:"10s"`
	SettlementDelayLive  time.Duration `env:"GAROUPA_SETTLEMENT_DELAY_LIVE" envDefault:"24h"`
	WithdrawalMin        string        `env:"GAROUPA_WITHDRAWAL_MIN" envDefault:"5.00"`
	WithdrawalMax        string        `env:"GAROUPA_WITHDRAWAL_MAX" envDefault:"100000.00"`
	WithdrawalDailyMax   string        `env:"GAROUPA_WITHDRAWAL_DAILY_MAX" envDefault:"500000.00"`
	WithdrawalFourEyes   string        `env:"GAROUPA_WITHDRAWAL_FOUR_EYES" envDefault:"10000.00"`
	DestinationHold      time.Duration `env:"GAROUPA_DESTINATION_HOLD" envDefault:"24h"`
	QuoteSources         string        `env:"GAROUPA_QUOTE_SOURCES"`
	LiveProvider         string        `env:"GAROUPA_LIVE_PROVIDER" envDefault:"none"`
	TermsURL             string        `env:"GAROUPA_TERMS_URL"`
	PrivacyURL           string        `env:"GAROUPA_PRIVACY_URL"`
	SupportURL           string        `env:"GAROUPA_SUPPORT_URL"`
	Demo                 bool          `env:"GAROUPA_DEMO" envDefault:"false"`
	RateLimit            string        `env:"GAROUPA_RATE_LIMIT" envDefault:"on"`
	RateLimitLive        string        `env:"GAROUPA_RATE_LIMIT_LIVE" envDefault:"100/s,200"`
	RateLimitTest        string        `env:"GAROUPA_RATE_LIMIT_TEST" envDefault:"50/s,100"`
	RateLimitWithdrawals string        `env:"GAROUPA_RATE_LIMIT_WITHDRAWALS" envDefault:"10/m"`
	RateLimitFailedAuth  string        `env:"GAROUPA_RATE_LIMIT_FAILED_AUTH" envDefault:"30/m"`
	RateLimitPages       string        `env:"GAROUPA_RATE_LIMIT_PAGES" envDefault:"300/m"`
	RateLimitLogIn       string        `env:"GAROUPA_RATE_LIMIT_LOG_IN" envDefault:"5/m"`
	SMTPURL              string        `env:"GAROUPA_SMTP_URL"`
	MailFrom             string        `env:"GAROUPA_MAIL_FROM"`
	TrustedProxies       string        `env:"GAROUPA_TRUSTED_PROXIES"`
	OpsNetworks          string        `env:"GAROUPA_OPS_NETWORKS"`
	APIKey               string        `env:"GAROUPA_API_KEY"`
	WebhookSecret        string        `env:"GAROUPA_WEBHOOK_SECRET"`
	LogLevel             slog.Level    `env:"GAROUPA_LOG_LEVEL" envDefault:"info"`

	backoff     []time.Duration
	withdrawals payments.WithdrawalPolicy
	quotes      []quote.Source
	proxies     []netip.Prefix
	opsNetworks []netip.Prefix // empty: everywhere
	limits      limiters
	smtp        *mail.Server // nil: none
	from        *netmail.Address
}

// limiters are the buckets of the RateLimit settings; nil ones are off.
type limiters struct {
	live, test, withdrawals, failedAuth, pages, logIn *ratelimit.Limiter
}

// The values of GAROUPA_LIVE_PROVIDER.
const (
	providerNone      = "none"
	providerSimulator = "simulator"
)

// byName returns the limiters that are on, for instances to tell each other of.
func (l limiters) byName() map[string]*ratelimit.Limiter {
	all := map[string]*ratelimit.Limiter{
		"live": l.live, "test": l.test, "withdrawals": l.withdrawals, "failed_auth": l.failedAuth, "pages": l.pages, "log_in": l.logIn,
	}
	maps.DeleteFunc(all, func(_ string, limiter *ratelimit.Limiter) bool { return limiter == nil })
	return all
}

// readSettings reads and checks the environment. The error is one line that names
// the setting.
func readSettings(environment map[string]string) (settings, error) {
	var s settings
	if err := env.ParseWithOptions(&s, env.Options{Environment: environment}); err != nil {
		return s, fmt.Errorf("settings: %w", unparsed(err))
	}
	if s.BaseURL == "" {
		s.BaseURL = s.localURL()
	}
	if s.CheckoutHost == "" {
		s.CheckoutHost = s.BaseURL
	}
	if s.AppURL == "" {
		s.AppURL = s.BaseURL
	}
	for _, check := range []struct {
		name string
		err  error
	}{
		{"DATABASE_URL", checkDatabaseURL(s.DatabaseURL)},
		{"GAROUPA_LISTEN", checkListen(s.Listen)},
		{"GAROUPA_BASE_URL", checkAddress(&s.BaseURL)},
		{"GAROUPA_CHECKOUT_HOST", checkAddress(&s.CheckoutHost)},
		{"GAROUPA_APP_URL", checkAddress(&s.AppURL)},
		{"GAROUPA_TERMS_URL", s.checkNotice(s.TermsURL)},
		{"GAROUPA_PRIVACY_URL", s.checkNotice(s.PrivacyURL)},
		{"GAROUPA_SUPPORT_URL", s.checkSupport()},
		{"GAROUPA_SECRET_KEY", checkSecretKey(s.SecretKey)},
		{"GAROUPA_SECRET_KEY_PREVIOUS", checkSecretKey(s.SecretKeyPrevious)},
		{"GAROUPA_POSTGRES_BIN", checkFolder(s.PostgresBin)},
		{"GAROUPA_LIVE_PROVIDER", s.checkLiveProvider()},
		{"GAROUPA_SETTLEMENT_DELAY_TEST", checkDelay(s.SettlementDelayTest)},
		{"GAROUPA_SETTLEMENT_DELAY_LIVE", checkDelay(s.SettlementDelayLive)},
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
		{"GAROUPA_RATE_LIMIT_FAILED_AUTH", s.readLimit(&s.limits.failedAuth, s.RateLimitFailedAuth)},
		{"GAROUPA_RATE_LIMIT_PAGES", s.readLimit(&s.limits.pages, s.RateLimitPages)},
		{"GAROUPA_RATE_LIMIT_LOG_IN", s.readLimit(&s.limits.logIn, s.RateLimitLogIn)},
		{"GAROUPA_SMTP_URL", s.readSMTP()},
		{"GAROUPA_MAIL_FROM", s.readMailFrom()},
		{"GAROUPA_TRUSTED_PROXIES", readNetworks(&s.proxies, s.TrustedProxies)},
		{"GAROUPA_OPS_NETWORKS", readNetworks(&s.opsNetworks, s.OpsNetworks)},
		{"GAROUPA_WEBHOOK_BACKOFF", s.readBackoff()},
	} {
		if check.err != nil {
			return s, fmt.Errorf("settings: %s: %w", check.name, check.err)
		}
	}
	s.withdrawals.Hold = s.DestinationHold
	return s, nil
}

// embedded reports whether the program runs its own PostgreSQL.
func (s *settings) embedded() bool { return s.DatabaseURL == "" }

// allowPrivate reports whether webhook endpoints may be on private addresses:
// by default only where somebody develops.
func (s *settings) allowPrivate() bool {
	if s.WebhookAllowPrivate != nil {
		return *s.WebhookAllowPrivate
	}
	return s.embedded()
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
	case providerNone:
		return nil
	case providerSimulator:
		if !s.Demo {
			return errors.New("simulator needs GAROUPA_DEMO=true: it pays live charges with no money")
		}
		return nil
	}
	return fmt.Errorf("%q is neither none nor simulator", s.LiveProvider)
}

func (s *settings) readBackoff() (err error) {
	s.backoff, err = webhook.ParseBackoff(s.WebhookBackoff)
	return err
}

func (s *settings) readQuoteSources() (err error) {
	s.quotes, err = quote.ParseSources(s.QuoteSources)
	return err
}

// readAmount reads an amount in reais.
func readAmount(amount *money.Cents, text string) (err error) {
	if *amount, err = money.ParseDecimal(text); err != nil {
		return fmt.Errorf("%q is not an amount in reais such as 5.00", text)
	}
	return nil
}

// checkWithdrawalRange looks at what was read before: with no amount between the two,
// no withdrawal could be asked for.
func (s *settings) checkWithdrawalRange() error {
	if s.withdrawals.Min > s.withdrawals.Max {
		return fmt.Errorf("%s is more than GAROUPA_WITHDRAWAL_MAX, which is %s", s.WithdrawalMin, s.WithdrawalMax)
	}
	return nil
}

func (s *settings) checkRateLimit() error {
	if s.RateLimit != "on" && s.RateLimit != "off" {
		return fmt.Errorf("%q is neither on nor off", s.RateLimit)
	}
	return nil
}

// readLimit fills in a limiter, unless limits are off as a whole.
func (s *settings) readLimit(l **ratelimit.Limiter, text string) error {
	rate, err := ratelimit.Parse(text)
	if err == nil && s.RateLimit != "off" {
		*l = ratelimit.New(rate)
	}
	return err
}

// readNetworks reads addresses and networks, between commas or blanks. IPv4 within
// IPv6 counts as the IPv4 that it is. A text without any is wrong unless it is empty:
// it was meant to say something. The error does not repeat what stands there.
func readNetworks(networks *[]netip.Prefix, text string) error {
	entries := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	if text != "" && len(entries) == 0 {
		return errors.New("holds neither an address nor a network such as 10.0.0.0/8")
	}
	for i, entry := range entries {
		prefix, err := netip.ParsePrefix(entry)
		if addr, addrErr := netip.ParseAddr(entry); addrErr == nil {
			prefix, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		if addr := prefix.Addr(); err == nil && addr.Is4In6() {
			prefix = netip.PrefixFrom(addr.Unmap(), prefix.Bits()-96)
		}
		if err != nil || !prefix.IsValid() {
			return fmt.Errorf("entry %d is neither an address nor a network such as 10.0.0.0/8", i+1)
		}
		*networks = append(*networks, prefix.Masked())
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
		return errors.New(`must be an address such as "Garoupa <pix@example.com>" where GAROUPA_SMTP_URL is set`)
	}
	return nil
}

// keepsMails reports whether mails are shown in the browser in place of being sent.
func (s *settings) keepsMails() bool { return s.embedded() && s.smtp == nil }

func checkDelay(d time.Duration) error {
	if d < 0 {
		return errors.New("must not be negative")
	}
	return nil
}

func checkDatabaseURL(raw string) error {
	if raw == "" {
		return nil
	}
	if u, err := url.Parse(raw); err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return errors.New("must be a postgres:// address, or unset for the embedded PostgreSQL") // it may hold a password
	}
	return nil
}

func checkListen(listen string) error {
	if _, port, err := net.SplitHostPort(listen); err != nil || port == "" {
		return fmt.Errorf("%q is not host:port", listen)
	}
	return nil
}

// checkAddress accepts http(s)://host[:port] and cuts a slash at the end. It does not
// repeat a wrong value, in which a password may stand.
func checkAddress(address *string) error {
	*address = strings.TrimSuffix(*address, "/")
	u, err := url.Parse(*address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Path != "" || u.RawQuery != "" || u.User != nil {
		return errors.New("must be http(s)://host or http(s)://host:port, without user, path and query")
	}
	return nil
}

// maxNotice bounds the address of a notice: people's acceptance is kept with it.
const maxNotice = 2048

// checkNotice accepts the address of a page that people are led to, by https save where
// somebody develops. It does not repeat a wrong value either.
func (s *settings) checkNotice(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && (u.Scheme != "http" || !s.embedded()) || u.Host == "" || u.User != nil || len(address) > maxNotice {
		return fmt.Errorf("must be the address of a page, https://host/path, without user and of up to %d characters", maxNotice)
	}
	return nil
}

// checkSupport accepts what checkNotice does, or a mailto of one address and nothing
// else.
func (s *settings) checkSupport() error {
	address, mails := strings.CutPrefix(s.SupportURL, "mailto:")
	if !mails {
		return s.checkNotice(s.SupportURL)
	}
	if read, err := netmail.ParseAddress(address); err != nil || read.Address != address || strings.ContainsAny(address, "?&%") {
		return errors.New("must be mailto: and an address, as mailto:suporte@example.com, or the address of a page")
	}
	return nil
}

func checkSecretKey(hexKey string) error {
	if hexKey == "" {
		return nil
	}
	_, err := decodeSecretKey(hexKey)
	return err
}

func checkFolder(path string) error {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return fmt.Errorf("%q is not a folder", path)
	}
	return nil
}

// unparsed names the first setting whose value is of the wrong type. The library's
// own error names the field, which nobody outside of this file knows.
func unparsed(err error) error {
	all, ok := errors.AsType[env.AggregateError](err)
	if !ok || len(all.Errors) == 0 {
		return err
	}
	wrong, ok := errors.AsType[env.ParseError](all.Errors[0])
	if !ok {
		return all.Errors[0]
	}
	field, _ := reflect.TypeFor[settings]().FieldByName(wrong.Name)
	return fmt.Errorf("%s: %w", field.Tag.Get("env"), wrong.Err)
}
