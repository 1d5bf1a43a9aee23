package pix_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"garoupa/pix"
)

// No text makes a reader panic. ParseLenient reads what Parse accepts in the same way, and
// Parse reads what Encode writes of it in the same way. Each input is tried as it is and with
// a correct checksum added, because mutations do not find one by chance.
func FuzzParse(f *testing.F) {
	for _, v := range slices.Concat(own, published, broken) {
		f.Add(v.code)
		f.Add(v.code[:max(0, len(v.code)-8)])
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, text := range []string{text, seal(text)} {
			read, lenientErr := pix.ParseLenient(text)
			want, err := pix.Parse(text)
			if err != nil {
				continue
			}
			if lenientErr != nil {
				t.Fatalf("ParseLenient refuses what Parse accepts: %v", lenientErr)
			}
			written, err := pix.Encode(want)
			if err != nil {
				t.Fatalf("Encode(%+v) = %v", want, err)
			}
			again, err := pix.Parse(written)
			if err != nil {
				t.Fatalf("Parse(%s) = %v", written, err)
			}
			if diff := cmp.Diff([]pix.Code{want, want}, []pix.Code{read, again}); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		}
	})
}

// What Encode writes keeps every rule, is ASCII, and has the content that was given.
func FuzzEncode(f *testing.F) {
	for _, v := range slices.Concat(own, published) {
		c := v.want
		f.Add(string(c.Initiation), c.Key, c.Info, c.Location, c.Recurrence, c.Amount, c.MerchantName, c.MerchantCity,
			c.PostalCode, c.TxID)
	}
	f.Fuzz(func(t *testing.T, initiation, key, info, location, recurrence string, amount int64, name, city, postalCode,
		txID string) {
		want := pix.Code{
			Initiation: pix.Initiation(initiation), Key: key, Info: info, Location: location, Recurrence: recurrence,
			Amount: amount, MerchantName: name, MerchantCity: city, PostalCode: postalCode, TxID: txID,
		}
		text, err := pix.Encode(want)
		if err != nil {
			return
		}
		for i := range len(text) {
			if text[i] < ' ' || text[i] > '~' {
				t.Fatalf("%q is not ASCII", text)
			}
		}
		got, err := pix.Parse(text)
		if err != nil {
			t.Fatalf("Parse(%s) = %v", text, err)
		}
		want.MerchantName, want.MerchantCity = pix.ASCII(name, pix.MaxName), pix.ASCII(city, pix.MaxCity)
		want.Info = pix.ASCII(info, len(info))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}
