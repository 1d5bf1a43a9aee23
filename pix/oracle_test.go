package pix_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"garoupa/pix"
)

// reading is the content that another implementation finds in a code.
type reading struct {
	Error, Type, Key, Info, Location, Recurrence, Amount, Name, City, TxID string
}

// pix-utils, which shares no code with this package, reads back what Encode writes.
func TestEncode_Oracle(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var codes []string
	var want []reading
	for len(codes) < 500 {
		c := randomCode(random)
		text, err := pix.Encode(c)
		if err != nil {
			t.Fatalf("Encode(%+v) = %v", c, err)
		}
		codes, want = append(codes, text), append(want, expected(c))
	}

	input, err := json.Marshal(codes)
	if err != nil {
		t.Fatal(err)
	}
	node := exec.CommandContext(t.Context(), "node", "testdata/oracle.mjs")
	node.Stdin = bytes.NewReader(input)
	var failure strings.Builder
	node.Stderr = &failure
	output, err := node.Output()
	if err != nil {
		t.Fatalf("node with pix-utils is needed (npm ci): %v\n%s", err, failure.String())
	}
	var got []reading
	if err := json.Unmarshal(output, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func expected(c pix.Code) reading {
	r := reading{
		Key: c.Key, Info: pix.ASCII(c.Info, len(c.Info)), Location: c.Location, Recurrence: c.Recurrence,
		Name: pix.ASCII(c.MerchantName, 25), City: pix.ASCII(c.MerchantCity, 15), TxID: c.TxID,
	}
	switch {
	case c.Key != "":
		r.Type = "STATIC"
	case c.Location != "":
		r.Type = "DYNAMIC"
	default:
		r.Type = "RECURRENCE"
	}
	if c.Amount > 0 {
		r.Amount = fmt.Sprintf("%d.%02d", c.Amount/100, c.Amount%100)
	}
	if c.TxID == "" {
		r.TxID = "***"
	}
	return r
}

// randomCode returns a code that Encode must accept: fields of every length, including
// their limits, and amounts of every magnitude.
func randomCode(random *rand.Rand) pix.Code {
	letters := func(alphabet string, from, to int) string {
		runes := []rune(alphabet)
		s := make([]rune, from+random.IntN(to-from+1))
		for i := range s {
			s[i] = runes[random.IntN(len(runes))]
		}
		return string(s)
	}
	const alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	maybe := func(s string) string {
		return s[:len(s)*random.IntN(2)]
	}
	c := pix.Code{
		Initiation:   []pix.Initiation{"", pix.Reusable, pix.SingleUse}[random.IntN(3)],
		MerchantName: "L" + letters("abc ABC çãéÔ &.-'0123456789", 0, 40),
		MerchantCity: "S" + letters("abc ãéí", 0, 25),
		PostalCode:   maybe(letters("0123456789", 8, 8)),
		TxID:         maybe(letters(alphanumeric, 1, 25)),
		Recurrence:   maybe("pix.example.com/rec/" + letters(alphanumeric, 1, 57)),
	}
	if magnitude := random.IntN(13); magnitude > 0 {
		c.Amount = 1
		for range magnitude - 1 {
			c.Amount = c.Amount*10 + random.Int64N(10)
		}
	}
	switch random.IntN(3) {
	case 0:
		c.Key = letters(alphanumeric+"@.+-", 1, 60)
		c.Info = maybe("i" + letters("abc çé 0123456789", 0, min(71, 72-len(c.Key))))
	case 1:
		c.Location = "pix.example.com/" + letters(alphanumeric+"-/", 1, 61)
	default:
		c.Recurrence = "pix.example.com/rec/" + letters(alphanumeric, 1, 57)
	}
	return c
}
