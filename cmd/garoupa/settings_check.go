package main

import (
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"net/netip"
	"net/url"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
	"github.com/jackc/pgx/v5/pgconn"

	"garoupa/internal/input"
	"garoupa/web/page"
)

// checked is what is wrong with a setting, if anything.
type checked struct {
	name string
	err  error
}

func checkDelay(d time.Duration) error {
	if d < 0 {
		return errors.New("must not be negative")
	}
	return nil
}

// checkRequestTimeout requires the time that one slow commit takes.
func checkRequestTimeout(d time.Duration) error {
	if d < time.Second {
		return errors.New("must be at least 1s")
	}
	return nil
}

func checkDatabaseURL(raw string) error {
	if raw == "" {
		return nil
	}
	if u, err := url.Parse(raw); err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		// The value may contain a password.
		return errors.New("must be a postgres:// address, or unset for the embedded PostgreSQL")
	}
	return nil
}

// checkDatabaseTLS refuses connections to a database on another machine that another could read or answer, where
// charges are live.
func (s *settings) checkDatabaseTLS(address string) error {
	if address == "" || s.LiveProvider != providerBank {
		return nil
	}
	config, err := pgconn.ParseConfig(address)
	if err != nil {
		return errors.New("is not complete, or a file that it names cannot be read")
	}
	ways := []*pgconn.FallbackConfig{{Host: config.Host, TLSConfig: config.TLSConfig}}
	for _, way := range append(ways, config.Fallbacks...) {
		if !near(way.Host) && (way.TLSConfig == nil || way.TLSConfig.InsecureSkipVerify) {
			return errors.New("needs sslmode=verify-full where charges are live (GAROUPA_LIVE_PROVIDER=bank), " +
				"because the database is on another machine")
		}
	}
	return nil
}

// checkDirectURL checks the second address of the database, which is of use only beside the first.
func (s *settings) checkDirectURL() error {
	if s.DatabaseDirectURL != "" && s.embedded() {
		return errors.New("needs DATABASE_URL, which leads to the same database through a pooler")
	}
	if err := checkDatabaseURL(s.DatabaseDirectURL); err != nil {
		return err
	}
	return s.checkDatabaseTLS(s.DatabaseDirectURL)
}

// checkReadDatabase checks the address of a standby.
func (s *settings) checkReadDatabase() error {
	if s.DatabaseReadURL != "" && s.embedded() {
		return errors.New("names a standby of the database of DATABASE_URL, which is not set")
	}
	if err := checkDatabaseURL(s.DatabaseReadURL); err != nil {
		return errors.New("must be a postgres:// address, or unset") // the value may contain a password
	}
	return s.checkDatabaseTLS(s.DatabaseReadURL)
}

// near reports whether connections to a host stay on the machine: those by a socket or the loopback
// device, and by a name without a dot, which the network of a container's services has.
func near(host string) bool {
	if address, err := netip.ParseAddr(host); err == nil {
		return address.IsLoopback()
	}
	return strings.HasPrefix(host, "/") || !strings.Contains(host, ".") || strings.HasSuffix(host, ".localhost")
}

// checkTLS refuses an http address of a public installation: browsers send passwords and sessions there.
// An installation with a bank has live money.
func (s *settings) checkTLS(address string) error {
	u, err := url.Parse(address)
	if err != nil || s.embedded() || s.Demo || s.LiveProvider != providerBank || u.Scheme == "https" ||
		near(u.Hostname()) {
		return nil
	}
	return errors.New("must be https where charges are live (GAROUPA_LIVE_PROVIDER=bank)")
}

func checkListen(listen string) error {
	if _, port, err := net.SplitHostPort(listen); err != nil || port == "" {
		return fmt.Errorf("%q is not host:port", listen)
	}
	return nil
}

// checkAddress accepts http(s)://host[:port] and cuts a slash at the end. Its error does
// not repeat the value, which may contain a password.
func checkAddress(address *string) error {
	*address = strings.TrimSuffix(*address, "/")
	u, err := url.Parse(*address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Path != "" || u.RawQuery != "" ||
		u.User != nil {
		return errors.New("must be http(s)://host or http(s)://host:port, without user, path and query")
	}
	return nil
}

// maxNotice bounds the address of a notice: it is stored when people accept the notice.
const maxNotice = 2048

// checkNotice accepts the address of a page for people: https, except in development. Its
// error does not repeat the value.
func (s *settings) checkNotice(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && (u.Scheme != "http" || !s.embedded()) || u.Host == "" || u.User != nil ||
		len(address) > maxNotice {
		return fmt.Errorf("must be the address of a page, https://host/path, without user and of up to %d characters",
			maxNotice)
	}
	return nil
}

// checkContact accepts what checkNotice accepts, or a mailto: of one address.
func (s *settings) checkContact(contact string) error {
	address, mails := strings.CutPrefix(contact, "mailto:")
	if !mails {
		return s.checkNotice(contact)
	}
	if read, err := netmail.ParseAddress(address); err != nil || read.Address != address ||
		strings.ContainsAny(address, "?&%") {
		return errors.New("must be mailto: and an address, as mailto:suporte@example.com, or the address of a page")
	}
	return nil
}

func checkSignUp(mode string) error {
	switch mode {
	case page.SignUpOpen, page.SignUpByInvitation, page.SignUpClosed:
		return nil
	}
	return fmt.Errorf("%q is neither open, invitation nor closed", mode)
}

// readNetworks reads addresses and networks, separated by commas or blanks. A non-empty text without any
// network is an error. The error does not repeat the text.
func readNetworks(networks *[]netip.Prefix, text string) error {
	entries := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	if text != "" && len(entries) == 0 {
		return errors.New("holds neither an address nor a network such as 10.0.0.0/8")
	}
	for i, entry := range entries {
		network, ok := input.Network(entry)
		if !ok {
			return fmt.Errorf("entry %d is neither an address nor a network such as 10.0.0.0/8", i+1)
		}
		*networks = append(*networks, network)
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

// unparsed names the first setting whose value has the wrong type. The library's own error
// names the field, which operators do not know.
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

// checkEventDays refuses less than 30 days, for which merchants can have events sent again.
func checkEventDays(days int) error {
	if days < 30 || days > 3650 {
		return fmt.Errorf("%d is not a number of days from 30 to 3650", days)
	}
	return nil
}

// checkBuyerDays refuses less than 30 days. 0 keeps the data of buyers for ever.
func checkBuyerDays(days int) error {
	if days != 0 && (days < 30 || days > 36500) {
		return fmt.Errorf("%d is neither 0 nor a number of days from 30 to 36500", days)
	}
	return nil
}
