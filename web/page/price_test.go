package page

import (
	"testing"

	"garoupa/internal/money"
	"garoupa/views/i18n"
)

func TestReadPrice(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]money.Cents{
		"1.234,50": 1234_50, "1234,5": 1234_50, "1234.5": 1234_50, "1234.50": 1234_50, "1,234.50": 1234_50,
		"1234": 1234_00, "12": 12_00,
		"0,01": 1, "0.5": 50, "1.234": 1234_00, "1,234": 1234_00, "1.234.567": 1234567_00, "1.234.567,8": 1234567_80,
		"12.345,67": 12345_67,
		"R$ 10,00":  10_00, "r$10": 10_00, " R$\u00a01.234,56 ": 1234_56, "1 234,56": 1234_56,
		"9.999.999.999,99": money.Max, "007": 7_00, "0": 0,
	} {
		if got, err := ReadPrice(text); err != nil || got != want {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", " ", "R$", "abc", "-1", "+1", "1e3", "1.234.50", "1,234,50", "12.34,50", "1.23.456", "1,2,3", ",50", ".50",
		"1,", "1.", "0.500", "0,500",
		"1.2345", "12345678901", "10.000.000.000", "1.234,567", "1,234.567", "١٢", "1..5", "1,.5", "1.,5", "$10",
		"R$R$1", "1\x00", "\xff",
	} {
		if got, err := ReadPrice(text); err == nil {
			t.Errorf("%q: %d", text, got)
		}
	}
}

// Whatever is read is a price, and reads the same again as pages write it in either
// language.
func FuzzReadPrice(f *testing.F) {
	for _, seed := range []string{"1.234,50", "1,234.5", "R$ 0,01", "1.234", "0.500", "9999999999.99", ",",
		"1.23.456,7"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		price, err := ReadPrice(text)
		if err != nil {
			return
		}
		if price < 0 || price > money.Max {
			t.Fatalf("%q is %d", text, price)
		}
		for _, lang := range []i18n.Lang{i18n.Portuguese, i18n.English} {
			written := i18n.Money(i18n.With(t.Context(), lang), price)
			if again, err := ReadPrice(written); err != nil || again != price {
				t.Fatalf("%q is %d, written %q, read %d, %v", text, price, written, again, err)
			}
		}
	})
}
