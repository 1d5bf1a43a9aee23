package merchants

import "crypto/rand"

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// randomBase62 returns n random characters, each of the 62 with the same probability.
func randomBase62(n int) string {
	out := make([]byte, 0, n)
	buf := make([]byte, n)
	for len(out) < n {
		rand.Read(buf) // never fails since Go 1.24
		for _, b := range buf {
			if b < 248 && len(out) < n { // 248 = 4 × 62: larger bytes would make the first letters more likely
				out = append(out, base62[b%62])
			}
		}
	}
	return string(out)
}
