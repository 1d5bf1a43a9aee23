package quote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	timeout = 5 * time.Second // for one source, from the call to its last byte
	maxBody = 64 << 10
)

// shape reads a source's answer: the price as text, and the time of the price, zero if the
// source does not send it.
type shape func(body []byte) (price string, at time.Time, err error)

// shapes are the supported answers, by name.
var shapes = map[string]shape{
	"binance":        binance,
	"mercadobitcoin": mercadoBitcoin,
	"coingecko":      coinGecko,
	"plain":          plain,
}

// Source is one address that returns a price.
type Source struct {
	name    string // of its shape
	address string
	read    shape
}

// ParseSources reads the setting: sources separated by spaces, each a shape and an
// address, "binance=https://… mercadobitcoin=https://…". The first is where USDT is
// bought. An address is https, or http on this very machine.
func ParseSources(text string) (sources []Source, err error) {
	for _, field := range strings.Fields(text) {
		name, address, _ := strings.Cut(field, "=")
		read, known := shapes[name]
		if !known {
			return nil, fmt.Errorf("the shape %.40q is none of binance, mercadobitcoin, coingecko and plain", name)
		}
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.Scheme != "https" && !(u.Scheme == "http" && isLocal(u.Hostname())) {
			return nil, fmt.Errorf("the source %s has no https address", name)
		}
		sources = append(sources, Source{name, address, read})
	}
	return sources, nil
}

func isLocal(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }

// price asks the source and returns its price times 10^8, zero with an error.
func (s Source) price(ctx context.Context, client *http.Client, now time.Time) (int64, error) {
	fail := func(err error) (int64, error) { return 0, fmt.Errorf("%s: %w", s.name, err) }
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.address, nil)
	if err != nil {
		return fail(err)
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "Garoupa/1.0")
	response, err := client.Do(request)
	if err != nil {
		return fail(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fail(fmt.Errorf("answered %d", response.StatusCode))
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	if err != nil {
		return fail(err)
	}
	text, at, err := s.read(body)
	if err != nil {
		return fail(err)
	}
	if age := now.Sub(at); !at.IsZero() && (age > MaxAge || age < -MaxAge) {
		return fail(fmt.Errorf("its price is %s old", age.Round(time.Second)))
	}
	price, err := parsePrice(text)
	if err != nil {
		return fail(err)
	}
	return price, nil
}

var errShape = errors.New("its answer has another shape")

// decode reads JSON with numbers as they are written.
func decode(body []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return errShape
	}
	return nil
}

// binance reads ticker/bookTicker, {"askPrice":"5.42"}, or ticker/price. It has no
// time: the price is as old as the answer.
func binance(body []byte) (price string, at time.Time, err error) {
	var a struct{ AskPrice, Price string }
	if err := decode(body, &a); err != nil {
		return "", at, err
	}
	if price = a.AskPrice; price == "" {
		price = a.Price
	}
	return price, at, nil
}

// mercadoBitcoin reads /api/v4/tickers, [{"sell":"5.42","date":1760000000}]: the price for
// buyers, and its time in seconds.
func mercadoBitcoin(body []byte) (price string, at time.Time, err error) {
	var a []struct {
		Sell string
		Date json.Number
	}
	if err := decode(body, &a); err != nil || len(a) != 1 {
		return "", at, errShape
	}
	at, err = unix(a[0].Date)
	return a[0].Sell, at, err
}

// coinGecko reads /api/v3/simple/price with include_last_updated_at,
// {"tether":{"brl":5.42,"last_updated_at":1760000000}}.
func coinGecko(body []byte) (price string, at time.Time, err error) {
	var a struct {
		Tether struct {
			BRL       json.Number
			UpdatedAt json.Number `json:"last_updated_at"`
		}
	}
	if err := decode(body, &a); err != nil {
		return "", at, err
	}
	at, err = unix(a.Tether.UpdatedAt)
	return a.Tether.BRL.String(), at, err
}

// plain reads {"price":"5.42","at":"2026-11-20T12:00:00Z"}, for an operator's own trading desk.
func plain(body []byte) (price string, at time.Time, err error) {
	var a struct {
		Price string
		At    time.Time
	}
	if err := decode(body, &a); err != nil || a.At.IsZero() {
		return "", at, errShape
	}
	return a.Price, a.At, nil
}

// unix parses a time since 1970 in seconds, milliseconds, microseconds or nanoseconds. Sources
// change the unit now and then, and the ranges of the four do not overlap.
func unix(n json.Number) (time.Time, error) {
	seconds, err := strconv.ParseInt(n.String(), 10, 64)
	if err != nil || seconds <= 0 {
		return time.Time{}, errShape
	}
	for seconds > 100_000_000_000 {
		seconds /= 1000
	}
	return time.Unix(seconds, 0), nil
}
