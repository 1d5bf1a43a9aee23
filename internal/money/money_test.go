package money_test

import (
	"math"
	"testing"

	"garoupa/internal/money"
)

func TestDecimal(t *testing.T) {
	t.Parallel()
	for cents, want := range map[money.Cents]string{
		0: "0.00", 5: "0.05", 10: "0.10", 1050: "10.50", 123456789: "1234567.89",
		-5: "-0.05", -1050: "-10.50", money.Max: "9999999999.99",
		math.MaxInt64: "92233720368547758.07", math.MinInt64: "-92233720368547758.08",
	} {
		if got := cents.Decimal(); got != want {
			t.Errorf("Cents(%d).Decimal() = %q, want %q", int64(cents), got, want)
		}
	}
}

func TestParseDecimal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]money.Cents{
		"0": 0, "12": 1200, "12.5": 1250, "12.05": 1205, "0.01": 1, "9999999999.99": money.Max,
	} {
		if got, err := money.ParseDecimal(text); err != nil || got != want {
			t.Errorf("ParseDecimal(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", ".", ".5", "5.", "1.234", "-1", "+1", "1,5", "1e3", " 1", "12345678901",
		"1.٣", "0x1"} {
		if got, err := money.ParseDecimal(text); err == nil {
			t.Errorf("ParseDecimal(%q) = %d, want an error", text, got)
		}
	}
}

func FuzzParseDecimal(f *testing.F) {
	f.Add("12.50")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := money.ParseDecimal(text)
		if err != nil {
			return
		}
		if again, err := money.ParseDecimal(c.Decimal()); err != nil || again != c {
			t.Errorf("%q reads %d, whose decimal %q reads %d, %v", text, c, c.Decimal(), again, err)
		}
	})
}

func TestFee(t *testing.T) {
	t.Parallel()
	standard := money.Fee{BasisPoints: 99}
	for _, tc := range []struct {
		fee          money.Fee
		amount, want money.Cents
	}{
		{standard, 100_00, 99},
		{standard, 50, 0}, // 0.495 rounds down
		{standard, 51, 1}, // 0.5049 rounds up
		{standard, 1, 0},  // a fee of nothing
		{standard, 0, 0},  // nothing of nothing
		{standard, money.Max, 9900000000},
		{money.Fee{Fixed: 35}, 20, 20}, // never above the amount
		{money.Fee{BasisPoints: 100, Fixed: 10}, 10_00, 20},
		{money.Fee{BasisPoints: 10000, Fixed: 10}, 5_00, 5_00},
	} {
		if got := tc.fee.Of(tc.amount); got != tc.want {
			t.Errorf("%+v of %d = %d, want %d", tc.fee, tc.amount, got, tc.want)
		}
	}
}

func TestParseFee(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]money.Fee{
		"0.99%": {BasisPoints: 99}, "0%": {}, "100%": {BasisPoints: 100_00},
		"1.5 % + 0.10": {BasisPoints: 150, Fixed: 10},
		"0% + 0.50":    {Fixed: 50}, " 2%+1 ": {BasisPoints: 200, Fixed: 1_00},
		"0.00% + 9999999999.99": {Fixed: money.Max},
	} {
		got, err := money.ParseFee(text)
		if err != nil || got != want {
			t.Errorf("ParseFee(%q) = %+v, %v; want %+v", text, got, err, want)
		}
		if again, err := money.ParseFee(got.String()); err != nil || again != want {
			t.Errorf("%+v is written %q, which reads %+v, %v", got, got, again, err)
		}
	}
	for _, text := range []string{"", "0.99", "%", "100.01%", "-1%", "0,99%", "0.999%", "1% +", "1% + 0.001", "1% + -1",
		"1% - 1", "1% + 1 + 1", "0.10 + 1%", "1%%"} {
		if got, err := money.ParseFee(text); err == nil {
			t.Errorf("ParseFee(%q) = %+v, want an error", text, got)
		}
	}
}
