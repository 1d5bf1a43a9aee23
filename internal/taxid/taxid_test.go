package taxid_test

import (
	"fmt"
	"strings"
	"testing"

	"garoupa/internal/taxid"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, want string // want is "" if the number is refused
	}{
		{"52998224725", "52998224725"},
		{"529.982.247-25", "52998224725"},
		{" 111.444.777-35 ", "11144477735"},
		{"12345678909", "12345678909"},
		{"45164632481", ""}, // BACEN's own sample, with wrong check digits
		{"12345678908", ""},
		{"12345678919", ""},
		{"5299822472", ""},
		{"529982247255", ""},
		{"5299822472A", ""},

		{"11222333000181", "11222333000181"},
		{"00.000.000/0001-91", "00000000000191"},
		{"12ABC34501DE35", "12ABC34501DE35"}, // the Receita Federal's example
		{"12.abc.345/01de-35", "12ABC34501DE35"},
		{"12ABC34501DE36", ""},
		{"12ABC34501DE45", ""},
		{"12ABC34501DF35", ""},
		{"12ABC34501DEA5", ""}, // check digits are never letters
		{"12ABC34501D35", ""},
		{"12ÁBC34501DE3", ""}, // 14 bytes, not 14 characters
		{"１１２２２３３３０００１８１", ""},

		{"", ""},
		{"...", ""},
		{"\x00\xff", ""},
	} {
		if got, ok := taxid.Parse(c.text); got != c.want && ok || ok != (c.want != "") {
			t.Errorf("Parse(%q) = %q, %t, want %q", c.text, got, ok, c.want)
		}
	}
}

// CPFs of one repeated digit, and a CNPJ of zeros, have right check digits but are never
// assigned.
func TestRepeatedDigits(t *testing.T) {
	t.Parallel()
	for digit := range 10 {
		for _, length := range []int{taxid.CPFLength, taxid.CNPJLength} {
			if text := strings.Repeat(fmt.Sprint(digit), length); valid(text) {
				t.Errorf("%s was accepted", text)
			}
		}
	}
}

// One wrong character is always noticed, and so are two neighbors that changed places: this
// is the purpose of check digits.
func TestMistakesAreNoticed(t *testing.T) {
	t.Parallel()
	const characters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for _, number := range []string{"52998224725", "11144477735", "12ABC34501DE35"} {
		for i := range number {
			for _, r := range characters[:10] {
				if wrong := number[:i] + string(r) + number[i+1:]; wrong != number && '0' <= number[i] &&
					number[i] <= '9' && valid(wrong) {
					t.Errorf("%s was accepted for %s", wrong, number)
				}
			}
			if i == 0 || number[i] == number[i-1] {
				continue
			}
			if wrong := number[:i-1] + number[i:i+1] + number[i-1:i] + number[i+1:]; valid(wrong) {
				t.Errorf("%s was accepted for %s", wrong, number)
			}
		}
	}
}

func TestFormat(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{
		"52998224725": "529.982.247-25", "12ABC34501DE35": "12.ABC.345/01DE-35", "123": "123", "": "",
	} {
		if got := taxid.Format(number); got != want {
			t.Errorf("Format(%q) = %q, want %q", number, got, want)
		}
	}
}

// No text makes the parsers panic, and accepted numbers have one form: formatted and parsed
// again, they are the same.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"529.982.247-25", "12.abc.345/01de-35", "00000000000191", "12ABC34501DE36", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		number, ok := taxid.Parse(text)
		if !ok {
			return
		}
		if len(number) != taxid.CPFLength && len(number) != taxid.CNPJLength {
			t.Fatalf("Parse(%q) = %q", text, number)
		}
		if again, ok := taxid.Parse(strings.ToLower(taxid.Format(number))); !ok || again != number {
			t.Errorf("Parse(Format(%q)) = %q, %t", number, again, ok)
		}
	})
}

func valid(text string) bool {
	_, ok := taxid.Parse(text)
	return ok
}
