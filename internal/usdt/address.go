// Package usdt parses addresses of wallets that can hold USDT, and detects typing errors by
// their checksums. It cannot know whether a person holds the key of an address.
package usdt

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/big"
	"strings"

	"golang.org/x/crypto/sha3"
)

// Network is the blockchain of a wallet.
type Network string

const (
	Tron     Network = "TRON"     // TRC-20
	Ethereum Network = "ETHEREUM" // ERC-20
	Polygon  Network = "POLYGON"
)

// Networks lists all networks.
var Networks = []Network{Tron, Ethereum, Polygon}

// The errors of Parse.
var (
	ErrNetwork  = errors.New("usdt: no such network")
	ErrForm     = errors.New("usdt: not an address of the network")
	ErrChecksum = errors.New("usdt: the address has a typing mistake")
	// ErrContract: the address is that of the USDT token, or has no owner. Money sent there
	// is lost.
	ErrContract = errors.New("usdt: the address is not a wallet")
)

// contracts are the addresses of the USDT token, and addresses without an owner.
var contracts = map[Network][]string{
	Tron:     {"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb"},
	Ethereum: {"0xdAC17F958D2ee523a2206206994597C13D831ec7", "0x0000000000000000000000000000000000000000"},
	Polygon:  {"0xc2132D05D31c914a87C6611C10748AEb04B58e8F", "0x0000000000000000000000000000000000000000"},
}

// Parse returns the address without surrounding spaces, if it belongs to the network and
// its checksum is right. It fails with one of the errors above. Addresses of Ethereum and
// Polygon may lack a checksum; see Checked.
func Parse(network Network, address string) (string, error) {
	address = strings.TrimSpace(address)
	var err error
	switch network {
	case Tron:
		err = checkTron(address)
	case Ethereum, Polygon:
		err = checkEthereum(address)
	default:
		err = ErrNetwork
	}
	if err == nil {
		for _, contract := range contracts[network] {
			if strings.EqualFold(address, contract) && (network != Tron || address == contract) {
				err = ErrContract
			}
		}
	}
	if err != nil {
		return "", err
	}
	return address, nil
}

// Checked reports whether an address from Parse has a checksum. An address of Ethereum or
// Polygon in only lower-case or only upper-case letters has none (EIP-55): an error in it
// cannot be detected, and people should be warned.
func Checked(network Network, address string) bool {
	digits, prefixed := strings.CutPrefix(address, "0x")
	return network == Tron || prefixed && len(digits) == 40 && digits == checksummed(digits)
}

// Canonical returns the canonical form of an address from Parse, with its checksum.
// Addresses of the same wallet have the same canonical form.
func Canonical(network Network, address string) string {
	if digits, prefixed := strings.CutPrefix(address, "0x"); prefixed && network != Tron {
		return "0x" + checksummed(digits)
	}
	return address
}

// Mask returns the public form of an address: its first and last six characters, which is
// what people compare.
func Mask(address string) string {
	if len(address) <= 16 {
		return strings.Repeat("•", len(address))
	}
	return address[:6] + "…" + address[len(address)-6:]
}

// tronLength is the length of a TRON address: base58 of a byte 0x41, 20 bytes of account
// and 4 of checksum.
const tronLength = 34

const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// checkTron checks a base58check address: the last four bytes are the beginning of
// the SHA-256 of the SHA-256 of those before.
func checkTron(address string) error {
	if len(address) != tronLength || address[0] != 'T' {
		return ErrForm
	}
	n := new(big.Int)
	for i := range len(address) {
		digit := strings.IndexByte(base58, address[i])
		if digit < 0 {
			return ErrForm
		}
		n.Add(n.Mul(n, big.NewInt(58)), big.NewInt(int64(digit)))
	}
	if n.BitLen() > 25*8 {
		return ErrChecksum
	}
	raw := n.FillBytes(make([]byte, 25))
	first := sha256.Sum256(raw[:21])
	second := sha256.Sum256(first[:])
	if raw[0] != 0x41 || !bytes.Equal(raw[21:], second[:4]) {
		return ErrChecksum
	}
	return nil
}

// checkEthereum checks an address by the letters that EIP-55 capitalizes.
func checkEthereum(address string) error {
	digits, prefixed := strings.CutPrefix(address, "0x")
	if !prefixed || len(digits) != 40 {
		return ErrForm
	}
	if _, err := hex.DecodeString(digits); err != nil {
		return ErrForm
	}
	if digits != strings.ToLower(digits) && digits != strings.ToUpper(digits) && digits != checksummed(digits) {
		return ErrChecksum
	}
	return nil
}

// checksummed returns 40 hex digits with the capitals of EIP-55: a letter is a capital if
// the digit at its position in the Keccak-256 of the lower-case digits is 8 or more.
func checksummed(digits string) string {
	lower := []byte(strings.ToLower(digits))
	h := sha3.NewLegacyKeccak256()
	h.Write(lower)
	hash := hex.EncodeToString(h.Sum(nil))
	for i, c := range lower {
		if c >= 'a' && hash[i] >= '8' {
			lower[i] = c - 'a' + 'A'
		}
	}
	return string(lower)
}
