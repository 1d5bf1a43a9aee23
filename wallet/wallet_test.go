package wallet_test

import (
	"errors"
	"strings"
	"testing"

	"garoupa/wallet"
)

func TestParse(t *testing.T) {
	t.Parallel()
	const tron, contract = "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
	for _, tc := range []struct {
		name    string
		network wallet.Network
		address string
		want    string // "" where it is refused
		err     error
	}{
		{"TRON", wallet.Tron, tron, tron, nil},
		{"with spaces around it", wallet.Tron, " " + tron + "\n", tron, nil},
		{"its token", wallet.Tron, contract, "", wallet.ErrContract},
		{"nobody's", wallet.Tron, "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb", "", wallet.ErrContract},
		{"its token with a wrong end", wallet.Tron, contract[:33] + "T", "", wallet.ErrChecksum},
		{"capitals", wallet.Tron, strings.ToUpper(tron), "", wallet.ErrChecksum},
		{"a letter less", wallet.Tron, tron[:33], "", wallet.ErrForm},
		{"a letter that base58 has not", wallet.Tron, "T0" + tron[2:], "", wallet.ErrForm},
		{"the largest that can be written", wallet.Tron, "T" + strings.Repeat("z", 33), "", wallet.ErrChecksum},
		{"Ethereum's on TRON", wallet.Tron, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "", wallet.ErrForm},

		// Of EIP-55.
		{"mixed", wallet.Ethereum, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", nil},
		{"mixed", wallet.Ethereum, "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359", nil},
		{"mixed", wallet.Polygon, "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", nil},
		{"mixed", wallet.Polygon, "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb", nil},
		{"small", wallet.Ethereum, "0xde709f2102306220921060314715629080e2fb77", "0xde709f2102306220921060314715629080e2fb77", nil},
		{"capital", wallet.Ethereum, "0x52908400098527886E0F7030069857D2E4169EE7", "0x52908400098527886E0F7030069857D2E4169EE7", nil},
		{"one letter in the other case", wallet.Ethereum, "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "", wallet.ErrChecksum},
		{"one digit other", wallet.Ethereum, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAec", "", wallet.ErrChecksum},
		{"no prefix", wallet.Ethereum, "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "", wallet.ErrForm},
		{"a capital prefix", wallet.Ethereum, "0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "", wallet.ErrForm},
		{"a digit less", wallet.Ethereum, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe", "", wallet.ErrForm},
		{"no hex", wallet.Ethereum, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg", "", wallet.ErrForm},
		{"its token", wallet.Ethereum, "0xdAC17F958D2ee523a2206206994597C13D831ec7", "", wallet.ErrContract},
		{"its token in small letters", wallet.Ethereum, "0xdac17f958d2ee523a2206206994597c13d831ec7", "", wallet.ErrContract},
		{"its token", wallet.Polygon, "0xc2132D05D31c914a87C6611C10748AEb04B58e8F", "", wallet.ErrContract},
		{"nobody's", wallet.Polygon, "0x0000000000000000000000000000000000000000", "", wallet.ErrContract},
		{"TRON's on Ethereum", wallet.Ethereum, tron, "", wallet.ErrForm},
		{"nothing", wallet.Ethereum, "", "", wallet.ErrForm},
		{"nothing", wallet.Tron, "", "", wallet.ErrForm},
		{"another network", "SOLANA", "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB", "", wallet.ErrNetwork},
	} {
		if got, err := wallet.Parse(tc.network, tc.address); got != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("%s, %s: Parse(%q) = %q, %v; want %q, %v", tc.network, tc.name, tc.address, got, err, tc.want, tc.err)
		}
	}
}

// A wrong character of a TRON address is noticed wherever it stands, and so are two
// neighbours that changed places.
func TestParse_Mistakes(t *testing.T) {
	t.Parallel()
	const address, letters = "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7", "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	for i := range address {
		for _, r := range letters {
			if wrong := address[:i] + string(r) + address[i+1:]; wrong != address {
				if _, err := wallet.Parse(wallet.Tron, wrong); err == nil {
					t.Errorf("%s was accepted", wrong)
				}
			}
		}
		if i > 0 && address[i] != address[i-1] {
			if _, err := wallet.Parse(wallet.Tron, address[:i-1]+address[i:i+1]+address[i-1:i]+address[i+1:]); err == nil {
				t.Errorf("%d and the one before changed places unnoticed", i)
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
		if got := wallet.Checked(wallet.Ethereum, address); got != want {
			t.Errorf("Checked(%s) = %v", address, got)
		}
		if got := wallet.Canonical(wallet.Ethereum, address); !wallet.Checked(wallet.Polygon, got) || !strings.EqualFold(got, address) {
			t.Errorf("Canonical(%s) = %s", address, got)
		}
	}
	if !wallet.Checked(wallet.Tron, "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7") {
		t.Error("a TRON address has a checksum")
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7": "TLa2f6…5wYjU7", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed": "0x5aAe…1BeAed", "short": "•••••",
	} {
		if got := wallet.Mask(address); got != want {
			t.Errorf("Mask(%s) = %s", address, got)
		}
	}
}

// No text makes Parse panic, and what it accepts it accepts again, in one form.
func FuzzParse(f *testing.F) {
	f.Add("TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7")
	f.Add("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
	f.Add("T" + strings.Repeat("z", 33))
	f.Fuzz(func(t *testing.T, text string) {
		for _, network := range wallet.Networks {
			address, err := wallet.Parse(network, text)
			if err != nil {
				continue
			}
			canonical := wallet.Canonical(network, address)
			if again, err := wallet.Parse(network, canonical); err != nil || again != canonical || !wallet.Checked(network, canonical) {
				t.Errorf("%s: %q is accepted as %q, but %q: %v", network, text, address, canonical, err)
			}
			if mask := wallet.Mask(address); strings.Contains(mask, address) {
				t.Errorf("the mask %q tells the address", mask)
			}
		}
	})
}
