package usdt_test

import (
	"errors"
	"strings"
	"testing"

	"garoupa/internal/usdt"
)

func TestParse(t *testing.T) {
	t.Parallel()
	const tron, contract = "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
	for _, tc := range []struct {
		name    string
		network usdt.Network
		address string
		want    string // "" if it is refused
		err     error
	}{
		{"TRON", usdt.Tron, tron, tron, nil},
		{"with spaces around it", usdt.Tron, " " + tron + "\n", tron, nil},
		{"its token", usdt.Tron, contract, "", usdt.ErrContract},
		{"nobody's", usdt.Tron, "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb", "", usdt.ErrContract},
		{"its token with a wrong end", usdt.Tron, contract[:33] + "T", "", usdt.ErrChecksum},
		{"capitals", usdt.Tron, strings.ToUpper(tron), "", usdt.ErrChecksum},
		{"a letter less", usdt.Tron, tron[:33], "", usdt.ErrForm},
		{"a letter that base58 has not", usdt.Tron, "T0" + tron[2:], "", usdt.ErrForm},
		{"the largest that can be written", usdt.Tron, "T" + strings.Repeat("z", 33), "", usdt.ErrChecksum},
		{"Ethereum's on TRON", usdt.Tron, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "", usdt.ErrForm},

		// From EIP-55.
		{"mixed", usdt.Ethereum, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
			"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", nil},
		{"mixed", usdt.Ethereum, "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
			"0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359", nil},
		{"mixed", usdt.Polygon, "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
			"0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", nil},
		{"mixed", usdt.Polygon, "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
			"0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb", nil},
		{"small", usdt.Ethereum, "0xde709f2102306220921060314715629080e2fb77",
			"0xde709f2102306220921060314715629080e2fb77", nil},
		{"capital", usdt.Ethereum, "0x52908400098527886E0F7030069857D2E4169EE7",
			"0x52908400098527886E0F7030069857D2E4169EE7", nil},
		{"one letter in the other case", usdt.Ethereum, "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "",
			usdt.ErrChecksum},
		{"one digit other", usdt.Ethereum, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAec", "", usdt.ErrChecksum},
		{"no prefix", usdt.Ethereum, "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "", usdt.ErrForm},
		{"a capital prefix", usdt.Ethereum, "0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "", usdt.ErrForm},
		{"a digit less", usdt.Ethereum, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe", "", usdt.ErrForm},
		{"no hex", usdt.Ethereum, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg", "", usdt.ErrForm},
		{"its token", usdt.Ethereum, "0xdAC17F958D2ee523a2206206994597C13D831ec7", "", usdt.ErrContract},
		{"its token in small letters", usdt.Ethereum, "0xdac17f958d2ee523a2206206994597c13d831ec7", "",
			usdt.ErrContract},
		{"its token", usdt.Polygon, "0xc2132D05D31c914a87C6611C10748AEb04B58e8F", "", usdt.ErrContract},
		{"nobody's", usdt.Polygon, "0x0000000000000000000000000000000000000000", "", usdt.ErrContract},
		{"TRON's on Ethereum", usdt.Ethereum, tron, "", usdt.ErrForm},
		{"nothing", usdt.Ethereum, "", "", usdt.ErrForm},
		{"nothing", usdt.Tron, "", "", usdt.ErrForm},
		{"another network", "SOLANA", "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB", "", usdt.ErrNetwork},
	} {
		if got, err := usdt.Parse(tc.network, tc.address); got != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("%s, %s: Parse(%q) = %q, %v; want %q, %v", tc.network, tc.name, tc.address, got, err,
				tc.want, tc.err)
		}
	}
}

// One wrong character of a TRON address is noticed at any position, and so are two
// neighbors that changed places.
func TestParse_Mistakes(t *testing.T) {
	t.Parallel()
	const address = "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7"
	const letters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	for i := range address {
		for _, r := range letters {
			if wrong := address[:i] + string(r) + address[i+1:]; wrong != address {
				if _, err := usdt.Parse(usdt.Tron, wrong); err == nil {
					t.Errorf("%s was accepted", wrong)
				}
			}
		}
		if i > 0 && address[i] != address[i-1] {
			if _, err := usdt.Parse(usdt.Tron, address[:i-1]+address[i:i+1]+address[i-1:i]+address[i+1:]); err == nil {
				t.Errorf("swapping character %d with the previous one was not detected", i)
			}
		}
	}
}

func TestChecked(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed": true, "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed": false,
		"0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED": false, "0x52908400098527886E0F7030069857D2E4169EE7": true,
	} {
		if got := usdt.Checked(usdt.Ethereum, address); got != want {
			t.Errorf("Checked(%s) = %v", address, got)
		}
		if got := usdt.Canonical(usdt.Ethereum, address); !usdt.Checked(usdt.Polygon, got) ||
			!strings.EqualFold(got, address) {
			t.Errorf("Canonical(%s) = %s", address, got)
		}
	}
	if !usdt.Checked(usdt.Tron, "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7") {
		t.Error("a TRON address has a checksum")
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7":         "TLa2f6…5wYjU7",
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed": "0x5aAe…1BeAed", "short": "•••••",
	} {
		if got := usdt.Mask(address); got != want {
			t.Errorf("Mask(%s) = %s", address, got)
		}
	}
}

// No text makes Parse panic, and Parse accepts its own results.
func FuzzParse(f *testing.F) {
	f.Add("TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7")
	f.Add("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
	f.Add("T" + strings.Repeat("z", 33))
	f.Fuzz(func(t *testing.T, text string) {
		for _, network := range usdt.Networks {
			address, err := usdt.Parse(network, text)
			if err != nil {
				continue
			}
			canonical := usdt.Canonical(network, address)
			if again, err := usdt.Parse(network, canonical); err != nil || again != canonical ||
				!usdt.Checked(network, canonical) {
				t.Errorf("%s: %q is accepted as %q, but %q: %v", network, text, address, canonical, err)
			}
			if mask := usdt.Mask(address); strings.Contains(mask, address) {
				t.Errorf("the mask %q reveals the address", mask)
			}
		}
	})
}
