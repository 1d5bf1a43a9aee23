package pix_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"garoupa/pix"
)

func TestEncode_Own(t *testing.T) {
	t.Parallel()
	for _, v := range own {
		got, err := pix.Encode(v.want)
		if err != nil {
			t.Fatal(err)
		}
		if got != v.code {
			t.Errorf("\ngot  %s\nwant %s", got, v.code)
		}
	}
}

// Encode writes the content of each published code, and Parse reads it again. If the code
// has only fields that Code has, the two texts are equal.
func TestEncode_Published(t *testing.T) {
	t.Parallel()
	same := 0
	for _, v := range published {
		if v.by != everyone {
			continue
		}
		text, err := pix.Encode(v.want)
		if err != nil {
			t.Errorf("Encode(%+v) = %v", v.want, err)
			continue
		}
		got, err := pix.Parse(text)
		if err != nil {
			t.Errorf("Parse(%s) = %v", text, err)
		}
		if diff := cmp.Diff(v.want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if text == v.code {
			same++
		}
	}
	if same != 23 { // the others have an upper-case GUI, a facilitator or other schemes
		t.Errorf("%d codes equal the published text, want 23", same)
	}
}

// encoding is a code, and what Encode makes of it.
type encoding struct {
	name string
	code pix.Code
	want string // a part of the text, or
	err  string // the beginning of the error
}

// code returns a static code with a change.
func code(change func(*pix.Code)) pix.Code {
	c := pix.Code{Key: "a@b.c", MerchantName: "LOJA", MerchantCity: "RIO"}
	change(&c)
	return c
}

// encodes fails the test unless Encode makes of each code what it should, and Parse reads it.
func encodes(t *testing.T, codes []encoding) {
	t.Helper()
	for _, tc := range codes {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := pix.Encode(tc.code)
			if tc.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), tc.err) || got != "" {
					t.Fatalf("Encode = %q, %v", got, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(got, tc.want) {
				t.Errorf("%s does not contain %s", got, tc.want)
			}
			if _, err := pix.Parse(got); err != nil {
				t.Errorf("Parse(%s) = %v", got, err)
			}
		})
	}
}

// An amount has two decimals and at most 13 characters, and an open one is left out.
func TestEncode_Amount(t *testing.T) {
	t.Parallel()
	encodes(t, []encoding{
		{name: "open amount", code: code(func(c *pix.Code) {}), want: "530398658"},
		{name: "smallest amount", code: code(func(c *pix.Code) { c.Amount = 1 }), want: "54040.0158"},
		{name: "one digit of cents", code: code(func(c *pix.Code) { c.Amount = 105 }), want: "54041.0558"},
		{name: "largest amount", code: code(func(c *pix.Code) { c.Amount = 999999999999 }),
			want: "54139999999999.9958"},
		{name: "amount too large", code: code(func(c *pix.Code) { c.Amount = 1000000000000 }), err: "pix: tag 54: "},
		{name: "negative amount", code: code(func(c *pix.Code) { c.Amount = -1 }), err: "pix: tag 54: "},
	})
}

// A TxID has up to 25 letters and digits, and *** stands for none.
func TestEncode_TxID(t *testing.T) {
	t.Parallel()
	encodes(t, []encoding{
		{name: "no TxID", code: code(func(c *pix.Code) {}), want: "62070503***6304"},
		{name: "TxID", code: code(func(c *pix.Code) { c.TxID = "aB1" }), want: "62070503aB16304"},
		{name: "TxID of 25", code: code(func(c *pix.Code) { c.TxID = strings.Repeat("a", 25) }), want: "62290525"},
		{name: "TxID of 26", code: code(func(c *pix.Code) { c.TxID = strings.Repeat("a", 26) }),
			err: "pix: tag 62.05: "},
		{name: "TxID with a dash", code: code(func(c *pix.Code) { c.TxID = "abc-1" }), err: "pix: tag 62.05: "},
	})
}

// A code may be marked as reusable.
func TestEncode_Initiation(t *testing.T) {
	t.Parallel()
	encodes(t, []encoding{
		{name: "reusable", code: code(func(c *pix.Code) { c.Initiation = pix.Reusable }), want: "00020101021126"},
		{name: "unknown initiation", code: code(func(c *pix.Code) { c.Initiation = "13" }), err: "pix: tag 01: "},
	})
}

// Names and cities are written in ASCII and cut, postal codes in digits.
func TestEncode_Merchant(t *testing.T) {
	t.Parallel()
	encodes(t, []encoding{
		{name: "accents", code: code(func(c *pix.Code) {
			c.MerchantName, c.MerchantCity = "Açaí do João", "São Luís"
		}), want: "5912Acai do Joao6008Sao Luis"},
		{name: "name and city cut", code: code(func(c *pix.Code) {
			c.MerchantName, c.MerchantCity = "Padaria e Confeitaria da Esquina", "São José do Rio Preto"
		}), want: "5924Padaria e Confeitaria da6015Sao Jose do Rio62"},
		{name: "name in another script", code: code(func(c *pix.Code) { c.MerchantName = "寿司" }),
			err: "pix: tag 59: "},
		{name: "no city", code: code(func(c *pix.Code) { c.MerchantCity = "" }), err: "pix: tag 60: "},
		{name: "postal code", code: code(func(c *pix.Code) { c.PostalCode = "01310100" }),
			want: "6003RIO61080131010062"},
		{name: "postal code with a dash", code: code(func(c *pix.Code) { c.PostalCode = "01310-100" }),
			err: "pix: tag 61: "},
	})
}

// A code has a key or a location, in an account of up to 99 characters.
func TestEncode_Account(t *testing.T) {
	t.Parallel()
	encodes(t, []encoding{
		{name: "info", code: code(func(c *pix.Code) { c.Info = "Pedido  nº 1" }),
			want: "26410014br.gov.bcb.pix0105a@b.c0210Pedido n 152"},
		{name: "account of 99", code: code(func(c *pix.Code) {
			c.Key, c.Info = strings.Repeat("k", 36), strings.Repeat("i", 37)
		}), want: "26990014br.gov.bcb.pix0136"},
		{name: "account of 100", code: code(func(c *pix.Code) {
			c.Key, c.Info = strings.Repeat("k", 36), strings.Repeat("i", 38)
		}), err: "pix: tag 26: "},
		{name: "account of 175", code: code(func(c *pix.Code) {
			c.Key, c.Info = strings.Repeat("k", 77), strings.Repeat("i", 72)
		}), err: "pix: tag 26: "},
		{name: "key of 78", code: code(func(c *pix.Code) { c.Key = strings.Repeat("k", 78) }),
			err: "pix: tag 26.01: "},
		{name: "nothing to pay to", code: code(func(c *pix.Code) { c.Key = "" }), err: "pix: tag 26: "},
		{name: "two ways to pay", code: code(func(c *pix.Code) { c.Location = "b.c/d" }), err: "pix: tag 26: "},
		{name: "location of 77", code: code(func(c *pix.Code) {
			c.Key, c.Location = "", "b.c/"+strings.Repeat("d", 73)
		}), want: "26990014br.gov.bcb.pix2577b.c/d"},
		{name: "location of 78", code: code(func(c *pix.Code) {
			c.Key, c.Location = "", "b.c/"+strings.Repeat("d", 74)
		}), err: "pix: tag 26.25: "},
		{name: "location with a scheme", code: code(func(c *pix.Code) { c.Key, c.Location = "", "https://b.c/d" }),
			err: "pix: tag 26.25: "},
		{name: "info of a location", code: code(func(c *pix.Code) { c.Key, c.Location, c.Info = "", "b.c/d", "hi" }),
			err: "pix: tag 26.02: "},
		{name: "recurrence alone", code: code(func(c *pix.Code) { c.Key, c.Recurrence = "", "b.c/rec/1" }),
			want: "26180014br.gov.bcb.pix52"},
		{name: "recurrence too", code: code(func(c *pix.Code) { c.Recurrence = "b.c/rec/1" }),
			want: "62070503***80310014br.gov.bcb.pix2509b.c/rec/16304"},
	})
}

func TestASCII(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		in    string
		limit int
		want  string
	}{
		{"LOJA TESTE", 25, "LOJA TESTE"},
		{"LOJA TESTE", 5, "LOJA"}, // no space is left at the cut
		{"LOJA TESTE", 0, ""},
		{"", 25, ""},
		{"  a   b  ", 25, "a b"},
		{"a ", 25, "a"},
		{"a\u00a0b\tc\r\nd", 25, "a b c d"},
		{"ÇÃÂÁÀÉÊÍÓÔÕÚÜ çãâáàéêíóôõúü", 27, "CAAAAEEIOOOUU caaaaeeiooouu"},
		{"Sa\u0303o", 25, "Sao"}, // already decomposed
		{"Bar 🐟 Mar", 25, "Bar Mar"},
		{"Ærø & Straße", 25, "r & Strae"},
		{"Café – “Bom”", 25, "Cafe Bom"},
		{"a\x00b\x7fc\xffd", 25, "abcd"},
		{"寿司", 25, ""},
		{"ééééé", 3, "eee"},
	} {
		if got := pix.ASCII(tc.in, tc.limit); got != tc.want {
			t.Errorf("ASCII(%q, %d) = %q, want %q", tc.in, tc.limit, got, tc.want)
		}
	}
}

func benchmarkEncode(b *testing.B, name, city string) {
	c := pix.Code{
		Initiation: pix.SingleUse, Location: "pay.example.com/sim/9d36b84fc70b478fb95c12729b90ca25",
		Amount: 49_90, MerchantName: name, MerchantCity: city,
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := pix.Encode(c); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode_ASCII(b *testing.B)   { benchmarkEncode(b, "LOJA TESTE", "SAO PAULO") }
func BenchmarkEncode_Accents(b *testing.B) { benchmarkEncode(b, "Açaí do João", "São Paulo") }
