package merchants

import (
	"hash/crc32"
	"strings"

	"garoupa/models"
)

// Prefixes of key secrets (contract 5.2).
const (
	PrefixTest = "svc_test_"
	PrefixLive = "svc_live_"
)

const (
	// secretLength is the number of base62 characters after a secret's prefix.
	secretLength = 32
	// checksumLength is the number of its last characters that are a checksum.
	checksumLength = 6
)

// newKeySecret returns a new secret for a key of the environment: the prefix, 26 random characters of base62, and
// a checksum of them (docs/rules.md, "API keys").
func newKeySecret(environment models.Environment) string {
	secret := PrefixTest
	if environment == models.Live {
		secret = PrefixLive
	}
	secret += randomBase62(secretLength - checksumLength)
	return secret + checksum(secret)
}

// HasChecksum reports whether a text is a key secret that ends with its checksum. Keys that were made before there
// was one do not have it and are accepted by Authenticate all the same: HasChecksum is for tools that look for leaked
// keys.
func HasChecksum(text string) bool {
	random, ok := strings.CutPrefix(text, PrefixTest)
	if !ok {
		random, ok = strings.CutPrefix(text, PrefixLive)
	}
	if !ok || len(random) != secretLength || strings.Trim(random, base62) != "" {
		return false
	}
	end := len(text) - checksumLength
	return text[end:] == checksum(text[:end])
}

// checksum returns the CRC-32 (IEEE) of a text in base62, the most significant digit first.
func checksum(text string) string {
	digits := [checksumLength]byte{}
	rest := crc32.ChecksumIEEE([]byte(text))
	for i := range digits {
		digits[checksumLength-1-i] = base62[rest%62]
		rest /= 62
	}
	return string(digits[:])
}
