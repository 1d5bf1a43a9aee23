package pix_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"garoupa/pix"
)

func TestParse_Vectors(t *testing.T) {
	t.Parallel()
	vectors := slices.Concat(own, published, broken)
	if got := len(vectors); got != 3+46+6 {
		t.Fatalf("%d vectors", got)
	}
	for _, v := range vectors {
		t.Run(v.code[len(v.code)-4:], func(t *testing.T) {
			t.Parallel()
			check := func(name string, parse func(string) (pix.Code, error), accepts bool) {
				got, err := parse(v.code)
				if (err == nil) != accepts {
					t.Fatalf("%s = %v, want it accepted: %v", name, err, accepts)
				}
				want := v.want
				if !accepts {
					want = pix.Code{}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got)\n%s", name, diff)
				}
			}
			check("Parse", pix.Parse, v.by == everyone)
			check("ParseLenient", pix.ParseLenient, v.by >= lenient)
		})
	}
}

// crc computes the checksum by its definition, bit by bit.
func crc(text string) string {
	register := uint32(0xFFFF)
	for _, b := range []byte(text) {
		for bit := 7; bit >= 0; bit-- {
			register = register<<1 ^ uint32(b>>bit&1)<<16
			if register>>16 == 1 {
				register ^= 0x11021
			}
		}
	}
	return fmt.Sprintf("%04X", register)
}

// seal completes a code that lacks tag 63.
func seal(body string) string {
	return body + "6304" + crc(body+"6304")
}

// f returns one field, with the length of its value.
func f(tag string, values ...string) string {
	value := strings.Join(values, "")
	return fmt.Sprintf("%s%02d%s", tag, len([]rune(value)), value)
}

// The parts of a code that keeps every rule.
var (
	account = f("26", f("00", "br.gov.bcb.pix"), f("01", "a@b.c"))
	middle  = f("52", "0000") + f("53", "986")
	end     = f("58", "BR") + f("59", "LOJA") + f("60", "RIO") + f("62", f("05", "***"))
)

// withAccount returns a code whose account has these fields.
func withAccount(fields ...string) string {
	return seal("000201" + f("26", append([]string{f("00", "br.gov.bcb.pix")}, fields...)...) + middle + end)
}

const head = "000201"

// ruleCases are codes that break one rule each, or none.
var ruleCases = []struct {
	name, code string
	by         reader
	tag        string
}{
	{"nothing wrong", seal(head + account + middle + end), everyone, ""},
	{"other order", seal(head + end + middle + account), everyone, ""},
	{"account in tag 51", seal(head + f("51", f("00", "BR.GOV.BCB.PIX"), f("01", "a@b.c")) + middle + end),
		everyone, ""},
	{"account after another scheme's", seal(head + f("26", f("00", "com.other"), f("01", "x")) +
		f("27", f("00", "br.gov.bcb.pix"), f("01", "a@b.c")) + middle + end), everyone, ""},
	{"amount with leading zeros", seal(head + account + middle + f("54", "0000000001.00") + end), everyone, ""},
	{"empty", "", nobody, "00"},
	{"invalid UTF-8", seal(head + account + middle + end + f("81", "\xff")), nobody, "00"},
	{"tag of letters", seal(head + account + middle + end + "AB01x"), nobody, "?"},
	{"length of letters", seal(head + account + middle + end + "81xxx"), nobody, "81"},
	{"length of zero", seal(head + account + middle + end + "8100"), nobody, "81"},
	{"length beyond the end", head + "2699x", nobody, "26"},
	{"tag twice", seal(head + account + middle + end + f("58", "BR")), nobody, "58"},
	{"tag twice in a template", withAccount(f("01", "a@b.c"), f("01", "d@e.f")), nobody, "26.01"},
	{"format not first", seal(account + head + middle + end), nobody, "00"},
	{"other format", seal("000202" + account + middle + end), nobody, "00"},
	{"checksum not last", seal(head+account+middle+end) + f("81", "x"), nobody, "63"},
	{"checksum of another code", head + account + middle + end + "63040000", nobody, "63"},
	{"checksum in lower case", strings.Replace(own[0].code, "6304D448", "6304d448", 1), lenient, "63"},
	{"initiation 13", seal(head + f("01", "13") + account + middle + end), lenient, "01"},
	{"no account", seal(head + middle + end), nobody, "26"},
	{"two accounts", seal(head + account + f("27", f("00", "br.gov.bcb.pix"), f("01", "d@e.f")) + middle + end),
		nobody, "27"},
	{"template without fields", seal(head + account + f("27", "hello") + middle + end), nobody, "27.?"},
	{"account names nothing", withAccount(), nobody, "26"},
	{"key and location", withAccount(f("01", "a@b.c"), f("25", "b.c/d")), nobody, "26"},
	{"key with a space", withAccount(f("01", "a b")), lenient, "26.01"},
	{"key of 77", withAccount(f("01", strings.Repeat("x", 77))), everyone, ""},
	{"key with an accent", withAccount(f("01", "josé@b.c")), lenient, "26.01"},
	{"info with a location", withAccount(f("02", "hi"), f("25", "b.c/d")), lenient, "26.02"},
	{"info with an accent", withAccount(f("01", "a@b.c"), f("02", "olá")), lenient, "26.02"},
	{"facilitator of 7", withAccount(f("01", "a@b.c"), f("03", "1234567")), lenient, "26.03"},
	{"location without path", withAccount(f("25", "b.c")), lenient, "26.25"},
	{"location with an empty path", withAccount(f("25", "b.c/")), lenient, "26.25"},
	{"location without host", withAccount(f("25", "/d")), lenient, "26.25"},
	{"location with a scheme", withAccount(f("25", "HTTPS://b.c/d")), lenient, "26.25"},
	{"location with a user", withAccount(f("25", "bank.com@b.c/d")), lenient, "26.25"},
	{"location with a port", withAccount(f("25", "b.c:8080/d")), everyone, ""},
	{"location with an empty port", withAccount(f("25", "b.c:/d")), lenient, "26.25"},
	{"merchant category", seal(head + account + f("52", "5411") + f("53", "986") + end), lenient, "52"},
	{"merchant category of letters", seal(head + account + f("52", "54x1") + f("53", "986") + end), nobody, "52"},
	{"dollars", seal(head + account + f("52", "0000") + f("53", "840") + end), nobody, "53"},
	{"amount without cents", seal(head + account + middle + f("54", "1000") + end), lenient, "54"},
	{"amount with one decimal", seal(head + account + middle + f("54", "10.5") + end), lenient, "54"},
	{"amount zero", seal(head + account + middle + f("54", "0.00") + end), lenient, "54"},
	{"amount with a comma", seal(head + account + middle + f("54", "1,00") + end), nobody, "54"},
	{"amount with thousands", seal(head + account + middle + f("54", "1.000.00") + end), nobody, "54"},
	{"amount without reais", seal(head + account + middle + f("54", ".50") + end), nobody, "54"},
	{"amount with three decimals", seal(head + account + middle + f("54", "1.000") + end), nobody, "54"},
	{"negative amount", seal(head + account + middle + f("54", "-1.00") + end), nobody, "54"},
	{"amount of 14 characters", seal(head + account + middle + f("54", "00000000001.00") + end), nobody, "54"},
	{"amount beyond the largest", seal(head + account + middle + f("54", "10000000000") + end), nobody, "54"},
	{"country", seal(head + account + middle + strings.Replace(end, "BR", "PT", 1)), nobody, "58"},
	{"no name", seal(head + account + middle + strings.Replace(end, f("59", "LOJA"), "", 1)), nobody, "59"},
	{"name with two spaces", seal(head + account + middle + strings.Replace(end, f("59", "LOJA"), f("59", "A  B"), 1)),
		lenient, "59"},
	{"name of 26", seal(head + account + middle + strings.Replace(end, f("59", "LOJA"),
		f("59", strings.Repeat("A", 26)), 1)), lenient, "59"},
	{"no city", seal(head + account + middle + strings.Replace(end, f("60", "RIO"), "", 1)), nobody, "60"},
	{"city of 16", seal(head + account + middle + strings.Replace(end, f("60", "RIO"), f("60", strings.Repeat("A", 16)),
		1)), lenient, "60"},
	{"postal code of letters", seal(head + account + middle + f("61", "0130A100") + end), lenient, "61"},
	{"no additional data", seal(head + account + middle + strings.Replace(end, f("62", f("05", "***")), "", 1)),
		nobody, "62.05"},
	{"TxID of 26", seal(head + account + middle + strings.Replace(end, f("62", f("05", "***")),
		f("62", f("05", strings.Repeat("a", 26))), 1)), lenient, "62.05"},
	{"recurrence with a scheme", seal(head + account + middle + end +
		f("80", f("00", "br.gov.bcb.pix"), f("25", "http://b.c/rec/1"))), lenient, "80.25"},
	{"two recurrences", seal(head + account + middle + end + f("80", f("00", "br.gov.bcb.pix"), f("25", "b.c/1")) +
		f("81", f("00", "br.gov.bcb.pix"), f("25", "b.c/2"))), nobody, "81"},
}

// Each code breaks one rule; the error must name its tag.
func TestParse_Rules(t *testing.T) {
	t.Parallel()
	for _, tc := range ruleCases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, strictErr := pix.Parse(tc.code)
			_, lenientErr := pix.ParseLenient(tc.code)
			if (strictErr == nil) != (tc.by == everyone) || (lenientErr == nil) != (tc.by >= lenient) {
				t.Fatalf("Parse = %v, ParseLenient = %v", strictErr, lenientErr)
			}
			for _, err := range []error{strictErr, lenientErr} {
				if err != nil && !strings.HasPrefix(err.Error(), "pix: tag "+tc.tag+": ") {
					t.Errorf("%v does not name tag %s", err, tc.tag)
				}
			}
		})
	}
}

func TestParseLenient_Copied(t *testing.T) {
	t.Parallel()
	const code = "00020126510014br.gov.bcb.pix0115thalesog@me.com0210Pedido " +
		"123520400005303986540510.005802BR5914THALES OGLIARI6015SAO MIGUEL DO O62070503***63040DC6"
	want, err := pix.Parse(code)
	if err != nil {
		t.Fatal(err)
	}
	pasted := "  " + code[:40] + "\r\n" + code[40:60] + "\t\u00a0" + code[60:100] + "\n" +
		code[100:len(code)-4] + "0dc6 \n"
	got, err := pix.ParseLenient(pasted)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := pix.ParseLenient(strings.Replace(code, "Pedido 123", "Pedido123", 1)); err == nil {
		t.Error("a code that lost an inner space was accepted")
	}
	if _, err := pix.Parse(code + "\n"); err == nil {
		t.Error("Parse accepted a line break")
	}
}

func TestParseLenient_Scheme(t *testing.T) {
	t.Parallel()
	for _, location := range []string{"b.c/d", "http://b.c/d", "https://b.c/d", "HTTPS://b.c/d"} {
		got, err := pix.ParseLenient(withAccount(f("25", location)))
		if err != nil || got.Location != "b.c/d" {
			t.Errorf("%s is read as %q, %v", location, got.Location, err)
		}
	}
}

// A checksum in the middle of the code that happens to match is not taken for the last field.
func TestParse_ChecksumInTheMiddle(t *testing.T) {
	t.Parallel()
	code := "000201" + account + middle + end + "63049C7B" + "64041234"
	if crc(code[:len(code)-4]) != "9C7B" {
		t.Fatal("the checksum does not match all but the last four characters")
	}
	if _, err := pix.ParseLenient(code); err == nil {
		t.Error("the code is accepted")
	}
}

// An error contains no value of the code, which may be a person's CPF.
func TestParse_ErrorsAreSilent(t *testing.T) {
	t.Parallel()
	_, err := pix.Parse(withAccount(f("01", "123 456 789 09")))
	if err == nil || strings.Contains(err.Error(), "456") {
		t.Errorf("Parse = %v", err)
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := pix.Parse(own[2].code); err != nil {
			b.Fatal(err)
		}
	}
}
