package i18n_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"garoupa/internal/money"
	"garoupa/views/i18n"
)

func TestT(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		ctx  context.Context
		key  string
		args []any
		want string
	}{
		{t.Context(), "pay.title", nil, "Pagar com Pix"},
		{in(t, i18n.Portuguese), "pay.title", nil, "Pagar com Pix"},
		{in(t, i18n.English), "pay.title", nil, "Pay with Pix"},
		{in(t, i18n.English), "pay.back_to", []any{"100% Café %s"}, "Back to 100% Café %s"},
		{in(t, i18n.English), "no.such", nil, "no.such"},
	} {
		if got := i18n.T(tc.ctx, tc.key, tc.args...); got != tc.want {
			t.Errorf("T(%v, %q) = %q, want %q", i18n.Of(tc.ctx), tc.key, got, tc.want)
		}
	}
}

func TestN(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 eventos", 1: "1 evento", 2: "2 eventos", 1284: "1.284 eventos"} {
		if got := i18n.N(t.Context(), "webhooks.tried", n); got != want {
			t.Errorf("N(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]i18n.Lang{"pt-BR": i18n.Portuguese, "PT": i18n.Portuguese,
		"pt-PT": i18n.Portuguese, "en": i18n.English, "EN-us": i18n.English} {
		if got, ok := i18n.Parse(tag); !ok || got != want {
			t.Errorf("Parse(%q) = %v, %v", tag, got, ok)
		}
	}
	for _, tag := range []string{"", "fr", "english", "-en", "e"} {
		if got, ok := i18n.Parse(tag); ok || got != i18n.Portuguese {
			t.Errorf("Parse(%q) = %v, %v; want the default and false", tag, got, ok)
		}
	}
}

func TestMoney(t *testing.T) {
	t.Parallel()
	for cents, want := range map[money.Cents][2]string{
		0:                {"R$\u00a00,00", "R$0.00"},
		5:                {"R$\u00a00,05", "R$0.05"},
		124990:           {"R$\u00a01.249,90", "R$1,249.90"},
		99999:            {"R$\u00a0999,99", "R$999.99"},
		999_999_999_999:  {"R$\u00a09.999.999.999,99", "R$9,999,999,999.99"},
		-100_000:         {"\u2212R$\u00a01.000,00", "\u2212R$1,000.00"},
		-50:              {"\u2212R$\u00a00,50", "\u2212R$0.50"},
		math.MinInt64:    {"\u2212R$\u00a092.233.720.368.547.758,08", "\u2212R$92,233,720,368,547,758.08"},
		-999_999_999_999: {"\u2212R$\u00a09.999.999.999,99", "\u2212R$9,999,999,999.99"},
	} {
		for i, lang := range []i18n.Lang{i18n.Portuguese, i18n.English} {
			if got := i18n.Money(in(t, lang), cents); got != want[i] {
				t.Errorf("Money(%s, %d) = %q, want %q", lang, cents, got, want[i])
			}
		}
	}
}

// Dates are Brasília's, three hours behind UTC, whatever the zone they come in.
func TestDateTime(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		at   time.Time
		lang i18n.Lang
		want string
	}{
		{time.Date(2026, 11, 21, 0, 47, 59, 0, time.UTC), i18n.Portuguese, "20 de nov. de 2026, 21:47"},
		{time.Date(2026, 11, 21, 0, 47, 59, 0, time.UTC), i18n.English, "Nov 20, 2026, 9:47\u00a0PM"},
		{time.Date(2026, 5, 1, 3, 5, 0, 0, time.UTC), i18n.Portuguese, "1 de mai. de 2026, 00:05"},
		{time.Date(2026, 5, 1, 15, 5, 0, 0, time.UTC), i18n.English, "May 1, 2026, 12:05\u00a0PM"},
		{time.Date(2027, 1, 1, 11, 0, 0, 0, time.FixedZone("", 9*3600)), i18n.Portuguese, "31 de dez. de 2026, 23:00"},
	} {
		if got := i18n.DateTime(in(t, tc.lang), tc.at); got != tc.want {
			t.Errorf("DateTime(%s, %s) = %q, want %q", tc.lang, tc.at, got, tc.want)
		}
	}
}

func TestRelative(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for age, want := range map[time.Duration]string{
		-time.Minute: "agora", 0: "agora", 59 * time.Second: "agora",
		time.Minute: "há 1 min", 59*time.Minute + 59*time.Second: "há 59 min",
		time.Hour: "há 1 h", 24*time.Hour - 1: "há 23 h", 24 * time.Hour: "20 de nov., 09:00",
		400 * 24 * time.Hour: "17 de out. de 2025, 09:00",
	} {
		if got := i18n.Relative(t.Context(), now.Add(-age), now); got != want {
			t.Errorf("Relative(%s ago) = %q, want %q", age, got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{0: "0\u00a0ms", 143 * time.Millisecond: "143\u00a0ms",
		5 * time.Second: "5,0\u00a0s", 1260 * time.Millisecond: "1,3\u00a0s"} {
		if got := i18n.Duration(t.Context(), d); got != want {
			t.Errorf("Duration(%s) = %q, want %q", d, got, want)
		}
	}
	if got := i18n.Duration(in(t, i18n.English), 5*time.Second); got != "5.0\u00a0s" {
		t.Errorf("in English %q", got)
	}
}

func in(t *testing.T, lang i18n.Lang) context.Context { return i18n.With(t.Context(), lang) }

func TestDecimal(t *testing.T) {
	t.Parallel()
	for digits, want := range map[string][2]string{
		"0.000001": {"0,000001", "0.000001"}, "1840.935170": {"1.840,935170", "1,840.935170"},
		"5.4321": {"5,4321", "5.4321"}, "1234567": {"1.234.567", "1,234,567"},
	} {
		if pt, en := i18n.Decimal(t.Context(), digits), i18n.Decimal(in(t, i18n.English), digits); pt != want[0] ||
			en != want[1] {
			t.Errorf("Decimal(%q) = %q, %q; want %q", digits, pt, en, want)
		}
	}
}

// A day on a page is one in Brasília, whatever the clock of the server says.
func TestDay(t *testing.T) {
	t.Parallel()
	late := time.Date(2026, 11, 21, 2, 59, 59, 0, time.UTC) // still the 20th in Brasília
	if got := i18n.Day(late) + " " + i18n.Stamp(t.Context(), late) + " " +
		i18n.Stamp(in(t, i18n.English), late) + " " + i18n.Seconds(t.Context(), late) + " " +
		i18n.Seconds(in(t, i18n.English), late); got !=
		"2026-11-20 20/11/2026 23:59:59 2026-11-20 23:59:59 23:59:59 11:59:59\u00a0PM" {
		t.Error(got)
	}
	begins, err := i18n.ParseDay("2026-11-21")
	if err != nil || !begins.Equal(late.Add(time.Second)) {
		t.Errorf("the day begins at %s, %v", begins, err)
	}
	for _, text := range []string{"", "2026-02-30", "21/11/2026", "2026-11-21T00:00", "٢٠٢٦-11-21"} {
		if day, err := i18n.ParseDay(text); err == nil {
			t.Errorf("ParseDay(%q) = %s", text, day)
		}
	}
}

func TestInstant(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 0, 47, 5, 0, time.UTC)
	for lang, want := range map[i18n.Lang]string{
		i18n.Portuguese: "20 de nov. de 2026, 21:47:05", i18n.English: "Nov 20, 2026, 9:47:05\u00a0PM",
	} {
		if got := i18n.Instant(in(t, lang), at); got != want {
			t.Errorf("%s: %q, want %q", lang, got, want)
		}
	}
}

func TestShortMoney(t *testing.T) {
	t.Parallel()
	for cents, want := range map[money.Cents][2]string{0: {"R$ 0", "R$0"}, 50: {"R$ 0,50", "R$0.50"},
		1_500_00: {"R$ 1.500", "R$1,500"}, 40_000_00: {"R$ 40 mil", "R$40K"},
		1_500_000_00: {"R$ 1.500 mil", "R$1,500K"}, 20_000_000_00: {"R$ 20 mi", "R$20M"}} {
		for i, lang := range []i18n.Lang{i18n.Portuguese, i18n.English} {
			got := strings.ReplaceAll(i18n.ShortMoney(in(t, lang), cents), "\u00a0", " ")
			if got != want[i] {
				t.Errorf("%d: %q, want %q", cents, got, want[i])
			}
		}
	}
}
