package pix

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"regexp"
	"time"
)

// ValidStaticTxID reports whether txID can identify payments of a static code: 1 to 25
// letters and digits (62.05).
func ValidStaticTxID(txID string) bool {
	return len(txID) >= 1 && len(txID) <= 25 && alphanumeric(txID)
}

// ValidChargeTxID reports whether txID can identify an immediate charge at an institution:
// 26 to 35 letters and digits (PUT /cob/{txid} of BACEN's API Pix). Case matters.
func ValidChargeTxID(txID string) bool {
	return len(txID) >= 26 && len(txID) <= 35 && alphanumeric(txID)
}

func alphanumeric(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

// ChargeTxID returns the TxID of a checkout's charge, 32 lower-case hex digits. It depends
// only on the checkout's id, so a request that is repeated after a crash requests the same
// charge. The id itself would be too short.
func ChargeTxID(checkoutID string) string {
	sum := sha256.Sum256([]byte("cob|" + checkoutID))
	return hex.EncodeToString(sum[:16])
}

var (
	ispbShape       = regexp.MustCompile(`^[0-9A-Z]{8}$`)
	endToEndIDShape = regexp.MustCompile(
		`^E[0-9A-Z]{8}\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])([01]\d|2[0-3])[0-5]\d[A-Za-z0-9]{11}$`)
)

// NewEndToEndID returns an id for one Pix payment, as the payer's institution creates it
// (BACEN, SPI): E, the institution's ISPB of eight characters, the minute in UTC, and
// eleven random characters.
func NewEndToEndID(ispb string, at time.Time) string {
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	var seed [8]byte
	rand.Read(seed[:])
	n := binary.BigEndian.Uint64(seed[:])

	id := make([]byte, 0, 32)
	id = append(append(id, 'E'), ispb...)
	id = at.UTC().AppendFormat(id, "200601021504")
	for range 11 { // 62 to the 11th exceeds 2 to the 64th, so no two seeds give the same id
		id = append(id, letters[n%62])
		n /= 62
	}
	return string(id)
}

// ValidEndToEndID reports whether id has the shape of an id from NewEndToEndID. Some
// institutions send ids of another shape: store those as they are.
func ValidEndToEndID(id string) bool {
	return endToEndIDShape.MatchString(id)
}
