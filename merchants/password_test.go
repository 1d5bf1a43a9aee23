package merchants

import (
	"strings"
	"testing"
)

func TestPasswordMatches(t *testing.T) {
	t.Parallel()
	const password = "correct horse battery"
	hash := hashPassword(password, argonMemory)
	if !passwordMatches(hash, password) || passwordMatches(hash, password+" ") || passwordMatches(hash, "") {
		t.Error("a hash does not match exactly its own password")
	}
	parts := strings.Split(hash, "$")
	with := func(i int, part string) string {
		changed := strings.Split(hash, "$")
		changed[i] = part
		return strings.Join(changed, "$")
	}
	for name, hash := range map[string]string{
		"nothing": "", "dollars": "$$$$$", "a missing part": strings.Join(parts[:5], "$"), "an extra part": hash + "$",
		"the password itself": password, "another function": with(1, "argon2i"), "no costs": with(3, "x"),
		"no passes": with(3, "m=19456,t=0,p=1"),
		"no lanes":  with(3, "m=19456,t=2,p=0"), "a salt that is not base64": with(4, "!"),
		"another salt": with(4, "AAAAAAAAAAAAAAAAAAAAAA"),
		"no key":       with(5, ""), "a key that is not base64": with(5, "!"),
	} {
		if passwordMatches(hash, password) {
			t.Errorf("%s matches", name)
		}
	}
}

// Comparing with nobodysHash takes as long as with a real hash.
func TestNobodysHash(t *testing.T) {
	t.Parallel()
	nobody, anybody := strings.Split(nobodysHash, "$"), strings.Split(hashPassword("x", argonMemory), "$")
	for i := range anybody {
		if secret := i >= 4; !secret && nobody[i] != anybody[i] || len(nobody[i]) != len(anybody[i]) {
			t.Errorf("%q and %q have different parameters", nobodysHash, anybody)
		}
	}
}
