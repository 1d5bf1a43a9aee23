package quote_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"garoupa/internal/usdt/quote"
)

var at = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func now() time.Time { return at }

// serve starts a server that gives the same answer to every call, and returns its address.
func serve(t *testing.T, status int, body string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // the client may have disconnected
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func board(t *testing.T, setting string) *quote.Board {
	t.Helper()
	sources, err := quote.ParseSources(setting)
	if err != nil {
		t.Fatal(err)
	}
	return quote.New(sources, now)
}

// Each shape reads its source's price for buyers, exactly.
func TestRate_Shapes(t *testing.T) {
	t.Parallel()
	fresh, stale := at.Add(-59*time.Second).Unix(), at.Add(-61*time.Second).Unix()
	for _, tc := range []struct {
		name, shape, body string
		want              int64 // 0: there is no rate
	}{
		{"book", "binance",
			`{"symbol":"USDTBRL","bidPrice":"5.41000000","bidQty":"1","askPrice":"5.42120000","askQty":"2"}`,
			542_120_000},
		{"last price", "binance", `{"symbol":"USDTBRL","price":"5.4"}`, 540_000_000},
		{"an error", "binance", `{"code":-1121,"msg":"Invalid symbol."}`, 0},
		{"fresh", "mercadobitcoin",
			fmt.Sprintf(`[{"pair":"USDT-BRL","last":"5.40","buy":"5.39","sell":"5.41900","date":%d}]`, fresh),
			541_900_000},
		{"in nanoseconds", "mercadobitcoin", fmt.Sprintf(`[{"sell":"5.419","date":%d000000000}]`, fresh), 541_900_000},
		{"stale", "mercadobitcoin", fmt.Sprintf(`[{"sell":"5.41900","date":%d}]`, stale), 0},
		{"of the future", "mercadobitcoin", fmt.Sprintf(`[{"sell":"5.41900","date":%d}]`, at.Add(2*time.Minute).Unix()),
			0},
		{"none", "mercadobitcoin", `[]`, 0},
		{"two pairs", "mercadobitcoin", fmt.Sprintf(`[{"sell":"1","date":%d},{"sell":"2","date":%d}]`, fresh, fresh),
			0},
		{"no date", "mercadobitcoin", `[{"sell":"5.41900"}]`, 0},
		{"a number", "coingecko", fmt.Sprintf(`{"tether":{"brl":5.42,"last_updated_at":%d}}`, fresh), 542_000_000},
		{"a number that floats get wrong", "coingecko",
			fmt.Sprintf(`{"tether":{"brl":5.40000001,"last_updated_at":%d}}`, fresh), 540_000_001},
		{"more decimals than we keep", "coingecko",
			fmt.Sprintf(`{"tether":{"brl":5.000000001,"last_updated_at":%d}}`, fresh), 500_000_001},
		{"an exponent", "coingecko", fmt.Sprintf(`{"tether":{"brl":5e0,"last_updated_at":%d}}`, fresh), 0},
		{"stale", "coingecko", fmt.Sprintf(`{"tether":{"brl":5.42,"last_updated_at":%d}}`, stale), 0},
		{"another coin", "coingecko", `{"bitcoin":{"brl":500000}}`, 0},
		{"fresh", "plain", `{"price":"5.5","at":"2026-11-20T11:59:30Z"}`, 550_000_000},
		{"stale", "plain", `{"price":"5.5","at":"2026-11-20T11:58:59Z"}`, 0},
		{"zero", "plain", `{"price":"0","at":"2026-11-20T12:00:00Z"}`, 0},
		{"the least", "plain", `{"price":"0.01","at":"2026-11-20T12:00:00Z"}`, 1_000_000},
		{"less", "plain", `{"price":"0.00999999","at":"2026-11-20T12:00:00Z"}`, 0},
		{"below zero", "plain", `{"price":"-5.5","at":"2026-11-20T12:00:00Z"}`, 0},
		{"not a number", "plain", `{"price":"NaN","at":"2026-11-20T12:00:00Z"}`, 0},
		{"absurd", "plain", `{"price":"1000000.00000001","at":"2026-11-20T12:00:00Z"}`, 0},
		{"HTML", "plain", `<html>`, 0},
		{"nothing", "plain", ``, 0},
		{"too long", "plain", `{"price":"5.5",` + strings.Repeat(" ", 1<<17) + `"at":"2026-11-20T12:00:00Z"}`, 0},
	} {
		rate, err := board(t, tc.shape+"="+serve(t, 200, tc.body)).Rate(t.Context())
		if rate.Value != tc.want || (tc.want == 0) != errors.Is(err, quote.ErrUnavailable) {
			t.Errorf("%s, %s: %+v, %v; want %d", tc.shape, tc.name, rate, err, tc.want)
		}
		if tc.want != 0 && !rate.ExpiresAt.Equal(at.Add(time.Minute)) {
			t.Errorf("%s, %s: good until %s", tc.shape, tc.name, rate.ExpiresAt)
		}
	}
}

// Enough sources must agree on a rate (docs/rules.md, "USDT quotes").
func TestRate_Agreement(t *testing.T) {
	t.Parallel()
	price := func(p string) string {
		return "plain=" + serve(t, 200, `{"price":"`+p+`","at":"2026-11-20T12:00:00Z"}`)
	}
	down, moved := "plain="+serve(t, 500, `{"price":"5","at":"2026-11-20T12:00:00Z"}`), "plain="+serve(t, 302, "")
	for _, tc := range []struct {
		name    string
		sources []string
		want    int64
	}{
		{"no source", nil, 0},
		{"one", []string{price("5.00")}, 500_000_000},
		{"the first of two", []string{price("5.05"), price("5.00")}, 505_000_000},
		{"1 % apart", []string{price("5.00"), price("5.05")}, 500_000_000},
		{"more than 1 % apart", []string{price("5.00"), price("5.05000001")}, 0},
		{"more the other way", []string{price("5.05000001"), price("5.00")}, 0},
		{"two of three agree", []string{price("5.00"), price("5.01"), price("5.20")}, 0},
		{"one of two is down", []string{price("5.00"), down}, 0},
		{"one of three is down", []string{down, price("5.01"), price("5.00")}, 501_000_000},
		{"one moved", []string{moved, price("5.01")}, 0},
		{"nobody is there", []string{"plain=http://127.0.0.1:1"}, 0},
	} {
		rate, err := board(t, strings.Join(tc.sources, " ")).Rate(t.Context())
		if rate.Value != tc.want || (tc.want == 0) != errors.Is(err, quote.ErrUnavailable) {
			t.Errorf("%s: %+v, %v; want %d", tc.name, rate, err, tc.want)
		}
	}
}

// Callers within seconds share one request to the sources, and a caller that leaves does
// not cancel it for the others.
func TestRate_Reuse(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"price":"5.%d","at":"2026-11-20T12:00:00Z"}`, calls.Add(1))
	}))
	t.Cleanup(server.Close)
	sources, err := quote.ParseSources("plain=" + server.URL)
	if err != nil {
		t.Fatal(err)
	}
	clock := at
	b := quote.New(sources, func() time.Time { return clock })
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := b.Rate(gone); !errors.Is(err, quote.ErrUnavailable) {
		t.Errorf("for a caller that has left: %v", err)
	}
	for _, step := range []struct {
		wait time.Duration
		want int64
	}{{0, 510_000_000}, {4 * time.Second, 510_000_000}, {time.Second, 520_000_000}, {-time.Minute, 530_000_000}} {
		clock = clock.Add(step.wait)
		if rate, err := b.Rate(t.Context()); err != nil || rate.Value != step.want {
			t.Errorf("after %s: %+v, %v; want %d", step.wait, rate, err, step.want)
		}
	}
}

func TestParseSources(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]int{
		"": 0, " plain=https://a.example/x?y=z  binance=https://b.example ": 2, "coingecko=http://localhost:8080/p": 1,
		"plain": -1, "plain=": -1, "plain=http://a.example": -1, "bank=https://a.example": -1, "https://a.example": -1,
		"plain=https://": -1,
	} {
		sources, err := quote.ParseSources(setting)
		if (want < 0) != (err != nil) || err == nil && len(sources) != want {
			t.Errorf("ParseSources(%q): %d, %v; want %d", setting, len(sources), err, want)
		}
	}
}

func TestUSDT(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ rate, centavos, want int64 }{
		{542_000_000, 150_00, 27_675276}, // 150 / 5.42 = 27.6752767…, rounded down
		{500_000_000, 100_00, 20_000000},
		{100_000_000, 1, 10000},
		{1_000_000 * 100_000_000, 999_999_999_999, 9999_999999},
		{1_000_000, 999_999_999_999, 999_999_999_999_000000},
		{1_000_000 * 100_000_000, 0, 0},
	} {
		want := new(big.Int).Quo(new(big.Int).Mul(big.NewInt(tc.centavos), big.NewInt(1_000_000_000_000)),
			big.NewInt(tc.rate))
		if got := (quote.Rate{Value: tc.rate}).USDT(tc.centavos); got != tc.want || got != want.Int64() {
			t.Errorf("%d centavos at %d are %d, want %d (%s)", tc.centavos, tc.rate, got, tc.want, want)
		}
	}
}

func TestWorse(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		now, before int64
		want        bool
	}{
		{505_000_000, 500_000_000, false}, {505_000_001, 500_000_000, true}, {400_000_000, 500_000_000, false},
		{500_000_000, 500_000_000, false}, {100_000_000_000_000, 1, true},
	} {
		if got := quote.Worse(tc.now, tc.before); got != tc.want {
			t.Errorf("Worse(%d, %d) = %v", tc.now, tc.before, got)
		}
	}
}

func TestFormat(t *testing.T) {
	t.Parallel()
	for rate, want := range map[int64]string{542_120_000: "5.4212", 500_000_000: "5.0000", 1: "0.00000001",
		123_456_789: "1.23456789"} {
		if got := quote.FormatRate(rate); got != want {
			t.Errorf("FormatRate(%d) = %s, want %s", rate, got, want)
		}
	}
	if got := quote.FormatUSDT(27_675276); got != "27.675276" {
		t.Errorf("FormatUSDT = %s", got)
	}
}

// No answer of a source causes a panic, and every returned rate is in range.
func FuzzRate(f *testing.F) {
	for _, body := range []string{`{"price":"5.42","askPrice":"5.41"}`, `[{"sell":"5.4","date":1763640000}]`,
		`{"tether":{"brl":5.4}}`, "null", "[null]"} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, shape := range []string{"binance", "mercadobitcoin", "coingecko", "plain"} {
			price, err := quote.ReadPrice(shape, []byte(body))
			if err == nil && (price < 1_000_000 || price > 1_000_000*100_000_000) {
				t.Errorf("%s: %q is %d", shape, body, price)
			}
		}
	})
}
