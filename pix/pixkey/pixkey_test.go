package pixkey_test

import (
	"errors"
	"strings"
	"testing"

	"garoupa/pix/pixkey"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		kind      pixkey.Type
		key, want string // want is "" if the key is refused
		err       error
	}{
		{pixkey.CPF, "52998224725", "52998224725", nil},
		{pixkey.CPF, "529.982.247-25", "52998224725", nil},
		{pixkey.CPF, " 11144477735 ", "11144477735", nil},
		{pixkey.CPF, "12345678909", "12345678909", nil},
		{pixkey.CPF, "12345678900", "", pixkey.ErrChecksum},
		{pixkey.CPF, "11111111111", "", pixkey.ErrChecksum},
		{pixkey.CPF, "5299822472", "", pixkey.ErrForm},
		{pixkey.CPF, "12ABC34501DE35", "", pixkey.ErrForm},
		{pixkey.CPF, "", "", pixkey.ErrForm},

		{pixkey.CNPJ, "11222333000181", "11222333000181", nil},
		{pixkey.CNPJ, "00000000000191", "00000000000191", nil},
		{pixkey.CNPJ, "12ABC34501DE35", "12ABC34501DE35", nil},
		{pixkey.CNPJ, "12.abc.345/01de-35", "12ABC34501DE35", nil},
		{pixkey.CNPJ, "12ABC34501DE36", "", pixkey.ErrChecksum},
		{pixkey.CNPJ, "12ABC34501DEAB", "", pixkey.ErrChecksum},
		{pixkey.CNPJ, "52998224725", "", pixkey.ErrForm},

		{pixkey.Phone, "+5511987654321", "+5511987654321", nil},
		{pixkey.Phone, "(11) 98765-4321", "+5511987654321", nil},
		{pixkey.Phone, "+55 11 3456-7890", "+551134567890", nil},
		{pixkey.Phone, "+5501987654321", "", pixkey.ErrForm}, // no area code begins with 0
		{pixkey.Phone, "+1 415 555 2671", "", pixkey.ErrForm},
		{pixkey.Phone, "+55119876543210", "", pixkey.ErrForm},
		{pixkey.Phone, "+55", "", pixkey.ErrForm},
		{pixkey.Phone, "", "", pixkey.ErrForm},

		{pixkey.Email, "Marina@Exemplo.com.br", "marina@exemplo.com.br", nil},
		{pixkey.Email, strings.Repeat("a", 65) + "@exemplo.com", strings.Repeat("a", 65) + "@exemplo.com", nil},
		{pixkey.Email, strings.Repeat("a", 66) + "@exemplo.com", "", pixkey.ErrForm},
		{pixkey.Email, "marina exemplo.com", "", pixkey.ErrForm},
		{pixkey.Email, "Marina <marina@exemplo.com>", "", pixkey.ErrForm},
		{pixkey.Email, "marina@localhost", "", pixkey.ErrForm},
		{pixkey.Email, "márina@exemplo.com", "", pixkey.ErrForm},

		{pixkey.EVP, "123E4567-e12b-12d1-a456-426655440000", "123e4567-e12b-12d1-a456-426655440000", nil},
		{pixkey.EVP, "123e4567e12b12d1a456426655440000", "", pixkey.ErrForm},
		{pixkey.EVP, "123e4567-e12b-12d1-a456-42665544000g", "", pixkey.ErrForm},

		{"IBAN", "52998224725", "", pixkey.ErrType},
	} {
		if got, err := pixkey.Parse(tc.kind, tc.key); got != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("%s: Parse(%q) = %q, %v; want %q, %v", tc.kind, tc.key, got, err, tc.want, tc.err)
		}
	}
}

func TestFormat(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		kind      pixkey.Type
		key, want string
	}{{pixkey.CPF, "52998224725", "529.982.247-25"}, {pixkey.CNPJ, "12ABC34501DE35", "12.ABC.345/01DE-35"},
		{pixkey.Phone, "+5511987654321", "+5511987654321"}} {
		if got := pixkey.Format(tc.kind, tc.key); got != tc.want {
			t.Errorf("%s: Format(%q) = %q, want %q", tc.kind, tc.key, got, tc.want)
		}
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		kind      pixkey.Type
		key, want string
	}{
		{pixkey.CPF, "52998224725", "***.982.247-**"},
		{pixkey.CNPJ, "12ABC34501DE35", "**.***.345/01DE-**"},
		{pixkey.Phone, "+5511987654321", "+55 11 *****-4321"},
		{pixkey.Email, "marina@exemplo.com.br", "m***@exemplo.com.br"},
		{pixkey.EVP, "123e4567-e12b-12d1-a456-426655440000", "123e****-****-****-****-********0000"},
		{pixkey.CPF, "1", "*"},
		{pixkey.Phone, "", ""},
	} {
		if got := pixkey.Mask(tc.kind, tc.key); got != tc.want {
			t.Errorf("%s: Mask(%q) = %q, want %q", tc.kind, tc.key, got, tc.want)
		}
	}
}

// No text makes Parse panic, and Parse accepts every key that it returns.
func FuzzParse(f *testing.F) {
	for _, key := range []string{"529.982.247-25", "12.abc.345/01de-35", "(11) 98765-4321", "a@b.co",
		"123e4567-e12b-12d1-a456-426655440000", "\xff"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, kind := range pixkey.Types {
			key, err := pixkey.Parse(kind, text)
			if err != nil {
				continue
			}
			if again, err := pixkey.Parse(kind, key); err != nil || again != key {
				t.Errorf("%s: Parse(%q) = %q, which reads %q, %v", kind, text, key, again, err)
			}
			if mask := pixkey.Mask(kind, key); mask == key || !strings.Contains(mask, "*") {
				t.Errorf("%s: the mask of %q is %q", kind, key, mask)
			}
		}
	})
}
