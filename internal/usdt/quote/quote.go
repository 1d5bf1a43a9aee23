// Package quote asks sources that the operator configures for the price of USDT in reais,
// and trusts the answer only if it is fresh and the sources agree. No amount passes through
// a floating-point number.
package quote

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"garoupa/internal/guard"
)

const (
	// MaxAge is how old a source's price may be (docs/rules.md, "USDT quotes").
	MaxAge = 60 * time.Second
	// Validity is how long a rate is valid after it was requested.
	Validity = 60 * time.Second
	// reuse is how long a rate is returned again without asking the sources, which limit
	// the number of requests.
	reuse = 5 * time.Second
	// tolerance is the inverse of how far apart prices may be and how much worse a rate
	// may become: 100 is one hundredth (docs/rules.md, "USDT quotes").
	tolerance = 100
)

// scale makes rates whole numbers: eight decimals.
const scale = 100_000_000

// ErrUnavailable reports that there is no trustworthy rate now.
var ErrUnavailable = errors.New("quote: no rate that can be trusted")

// Rate is the price of one USDT.
type Rate struct {
	Value     int64 // BRL for one USDT, times 10^8
	ExpiresAt time.Time
}

// USDT returns how much an amount in centavos buys, in millionths of a USDT, rounded down.
func (r Rate) USDT(centavos int64) int64 {
	n := new(big.Int).Mul(big.NewInt(centavos), big.NewInt(scale/100*1_000_000))
	return n.Quo(n, big.NewInt(r.Value)).Int64()
}

// Worse reports whether now is more than 1 % worse than before for a buyer of USDT.
func Worse(now, before int64) bool { return apart(now, before) && now > before }

func apart(a, b int64) bool {
	low, high := big.NewInt(min(a, b)), big.NewInt(max(a, b))
	low.Mul(low, big.NewInt(tolerance+1))
	return high.Mul(high, big.NewInt(tolerance)).Cmp(low) > 0
}

// FormatRate returns a rate with its decimals, at least four: "5.4321".
func FormatRate(rate int64) string { return format(rate, 8, 4) }

// FormatUSDT returns millionths of a USDT as a decimal: "27.583421".
func FormatUSDT(amount int64) string { return format(amount, 6, 6) }

// format formats a whole number of 10^-decimals with at least least decimals.
func format(n int64, decimals, least int) string {
	digits := fmt.Sprintf("%0*d", decimals+1, n)
	whole, fraction := digits[:len(digits)-decimals], digits[len(digits)-decimals:]
	fraction = fraction[:least] + strings.TrimRight(fraction[least:], "0")
	return whole + "." + fraction
}

// Board combines the rates of the sources. It is safe for concurrent use.
type Board struct {
	sources []Source
	client  *http.Client
	now     func() time.Time

	mu   sync.Mutex
	last Rate
	at   time.Time // when last was requested
}

// New returns a board for the sources. Without sources it never has a rate.
func New(sources []Source, now func() time.Time) *Board {
	return &Board{sources: sources, now: now, client: &http.Client{
		Timeout: timeout,
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true,
			MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Rate returns the price of the first source if it can be trusted. It asks all sources,
// ignores those that do not answer or whose price is older than MaxAge, requires two
// answers, or one if only one source is configured, and requires that no two prices are
// more than 1 % apart. It fails with ErrUnavailable and the reason. Callers within a few
// seconds share one rate.
func (b *Board) Rate(ctx context.Context) (Rate, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if age := now.Sub(b.at); b.at.IsZero() || age >= reuse || age < 0 {
		rate, err := b.ask(ctx, now)
		if err != nil {
			return Rate{}, err
		}
		b.last, b.at = rate, now
	}
	return b.last, nil
}

func (b *Board) ask(ctx context.Context, now time.Time) (Rate, error) {
	prices, problems := make([]int64, len(b.sources)), make([]error, len(b.sources))
	var asking sync.WaitGroup
	for i, source := range b.sources {
		asking.Go(func() {
			problems[i] = guard.Call("ask for a rate", func() (err error) {
				prices[i], err = source.price(ctx, b.client, now)
				return err
			})
		})
	}
	asking.Wait()
	prices = slices.DeleteFunc(prices, func(p int64) bool { return p == 0 })
	if len(prices) == 0 || len(prices) < min(2, len(b.sources)) {
		return Rate{}, fmt.Errorf("%w: %d of %d sources have a fresh price: %w", ErrUnavailable, len(prices),
			len(b.sources), errors.Join(problems...))
	}
	if low, high := slices.Min(prices), slices.Max(prices); apart(low, high) {
		return Rate{}, fmt.Errorf("%w: the sources disagree: %s and %s", ErrUnavailable, FormatRate(low),
			FormatRate(high))
	}
	return Rate{Value: prices[0], ExpiresAt: now.Add(Validity)}, nil
}

// A price must be between a centavo and a million reais, so that the USDT for any of our
// amounts fits an int64.
const (
	minRate = scale / 100
	maxRate = 1_000_000 * scale
)

var errPrice = errors.New("not a price")

// parsePrice reads a decimal number and multiplies it by 10^8. It rounds smaller parts up,
// against the buyer.
func parsePrice(text string) (int64, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	if whole == "" || len(whole) > 7 || len(fraction) > 40 || strings.Trim(whole+fraction, "0123456789") != "" {
		return 0, errPrice
	}
	kept, rest := (fraction + "00000000")[:8], ""
	if len(fraction) > 8 {
		rest = fraction[8:]
	}
	price, err := strconv.ParseInt(whole+kept, 10, 64)
	if err != nil {
		return 0, errPrice
	}
	if strings.Trim(rest, "0") != "" {
		price++
	}
	if price < minRate || price > maxRate {
		return 0, errPrice
	}
	return price, nil
}
