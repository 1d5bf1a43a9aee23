package dashboard

import (
	"context"
	"fmt"

	"garoupa/views/i18n"
)

// curlExample is a request that creates a charge. With an empty key it names the
// place of one.
func curlExample(ctx context.Context, apiURL, key string, live bool) string {
	if key == "" {
		key = "svc_test_…"
		if live {
			key = "svc_live_…"
		}
	}
	return fmt.Sprintf(`curl %s/v1/checkouts \
  -H 'Authorization: Bearer %s' \
  -H 'Content-Type: application/json' \
  -H 'Idempotency-Key: %[3]s' \
  -d '{
    "amount": 4990,
    "description": "%[4]s",
    "externalId": "%[3]s"
  }'`, apiURL, key, i18n.T(ctx, "example.order"), i18n.T(ctx, "example.description"))
}

// snippet is how one language checks a signature.
type snippet struct{ id, name, code string }

// snippets check x-svc-signature: the HMAC-SHA256 of the body as it came, in
// lower-case hex (contract 6.1).
var snippets = []snippet{
	{"go", "Go", `import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

func verify(secret string, body []byte, signature string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	received, err := hex.DecodeString(signature)
	return err == nil && hmac.Equal(mac.Sum(nil), received)
}`},
	{"node", "Node.js", `import { createHmac, timingSafeEqual } from 'node:crypto';

export function verify(secret, rawBody, signature) {
  const expected = createHmac('sha256', secret).update(rawBody).digest();
  const received = Buffer.from(signature ?? '', 'hex');
  return received.length === expected.length && timingSafeEqual(received, expected);
}`},
	{"python", "Python", `import hashlib
import hmac


def verify(secret: str, body: bytes, signature: str) -> bool:
    expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())`},
	{"php", "PHP", `function verify(string $secret, string $body, string $signature): bool
{
    return hash_equals(hash_hmac('sha256', $body, $secret), $signature);
}

$valid = verify($secret, file_get_contents('php://input'), $_SERVER['HTTP_X_SVC_SIGNATURE'] ?? '');`},
}
