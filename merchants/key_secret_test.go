package merchants_test

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// A new key ends with its checksum, no key with another character anywhere does, and neither does a text of another
// form. The two given secrets were computed by another program (Python's zlib.crc32).
func TestHasChecksum(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	for _, secret := range []string{
		g.Key(t, g.Test, models.PermissionCheckoutRead), g.Key(t, g.Live, models.PermissionCheckoutRead),
		"svc_test_Kq3vYw8ZrT1mN5bXc7LpD2hJ4s0yd6Zh", "svc_live_AAAAAAAAAAAAAAAAAAAAAAAAAA1ea8nG",
	} {
		if !merchants.HasChecksum(secret) {
			t.Errorf("%s has no checksum", secret)
		}
		for i := range secret {
			for _, other := range "0aZ" {
				changed := secret[:i] + string(other) + secret[i+1:]
				if changed != secret && merchants.HasChecksum(changed) {
					t.Errorf("%s, which is no key, has a checksum", changed)
				}
			}
		}
		for _, text := range []string{secret[:len(secret)-1], secret + "0", strings.TrimPrefix(secret, "svc_"), "",
			"svc_test_", secret[:len(secret)-1] + "!"} {
			if merchants.HasChecksum(text) {
				t.Errorf("%q has a checksum", text)
			}
		}
	}
}

// The expression for scanners in the documents finds new keys and nothing else in a text.
func TestHasChecksum_Documented(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	key := g.Key(t, g.Live, models.PermissionCheckoutRead)
	for _, document := range [][]string{
		{"docs", "rules.md"}, {"views", "docs", "en", "authentication.md"},
		{"views", "docs", "pt-BR", "authentication.md"},
	} {
		text, err := os.ReadFile(filepath.Join("..", filepath.Join(document...)))
		if err != nil {
			t.Fatal(err)
		}
		expression := regexp.MustCompile(`\\b(svc_.*)\\b`).FindString(string(text))
		if expression == "" {
			t.Errorf("%s has no expression", document)
			continue
		}
		found := regexp.MustCompile(expression).FindAllString("token="+key+"; x"+key+" "+key+"0", -1)
		if len(found) != 1 || found[0] != key {
			t.Errorf("the expression %s of %s finds %q", expression, document, found)
		}
	}
}

// A key from before there were checksums goes on to work.
func TestAuthenticate_NoChecksum(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	g.Key(t, g.Test, models.PermissionCheckoutRead)
	old := merchants.PrefixTest + strings.Repeat("z", 32)
	hash := sha256.Sum256([]byte(old))
	modelstest.Exec(t, g.DB, "UPDATE api_keys SET secret_hash = $1", hash[:])
	if _, err := g.Merchants.Authenticate(t.Context(), old, "203.0.113.9"); err != nil || merchants.HasChecksum(old) {
		t.Errorf("a key without a checksum: %v", err)
	}
}
