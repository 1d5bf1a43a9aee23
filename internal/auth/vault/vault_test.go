package vault_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"garoupa/internal/auth/vault"
)

func open(t *testing.T, key string) *vault.Vault {
	t.Helper()
	v, err := vault.New([]byte(key))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TokenID returns the id of a token, and refuses every other text.
func TestToken(t *testing.T) {
	t.Parallel()
	v, other := open(t, strings.Repeat("k", vault.MinKeyLength)), open(t, strings.Repeat("j", vault.MinKeyLength))
	token := v.Token("tok_1")
	if id, ok := v.TokenID(token); !ok || id != "tok_1" {
		t.Errorf("%s leads to %q, %v", token, id, ok)
	}
	for _, wrong := range []string{"", "tok_1", token + "0", token[1:], "tok_2" + token[5:], other.Token("tok_1"),
		strings.ToUpper(token)} {
		if _, ok := v.TokenID(wrong); ok {
			t.Errorf("%q is a token", wrong)
		}
	}
}

func TestVault(t *testing.T) {
	t.Parallel()
	v := open(t, strings.Repeat("k", 32))
	sealed := v.Seal("row/1", "whsec_abc")
	if bytes.Contains(sealed, []byte("whsec")) {
		t.Error("the sealed value shows the text")
	}
	if bytes.Equal(sealed, v.Seal("row/1", "whsec_abc")) {
		t.Error("two seals of the same text are equal")
	}
	if text, err := v.Open("row/1", sealed); err != nil || text != "whsec_abc" {
		t.Errorf("Open = %q, %v", text, err)
	}

	altered := bytes.Clone(sealed)
	altered[len(altered)-1] ^= 1
	for name, open := range map[string]func() (string, error){
		"another place": func() (string, error) { return v.Open("row/2", sealed) },
		"altered":       func() (string, error) { return v.Open("row/1", altered) },
		"cut short":     func() (string, error) { return v.Open("row/1", sealed[:10]) },
		"empty":         func() (string, error) { return v.Open("row/1", nil) },
		"another key":   func() (string, error) { return open(t, strings.Repeat("x", 32)).Open("row/1", sealed) },
	} {
		if text, err := open(); !errors.Is(err, vault.ErrForeign) {
			t.Errorf("%s: Open = %q, %v; want ErrForeign", name, text, err)
		}
	}
}

func TestKey(t *testing.T) {
	t.Parallel()
	v := open(t, strings.Repeat("k", 32))
	if bytes.Equal(v.Key("sessions"), v.Key("cursors")) {
		t.Error("two purposes share a key")
	}
	if !bytes.Equal(v.Key("sessions"), open(t, strings.Repeat("k", 32)).Key("sessions")) {
		t.Error("the same secret derives another key")
	}
}

func TestNew_ShortKey(t *testing.T) {
	t.Parallel()
	if _, err := vault.New(make([]byte, vault.MinKeyLength-1)); err == nil {
		t.Error("a short key was accepted")
	}
}

// During a rotation both vaults open what either sealed, and the new key seals.
func TestVault_TwoKeys(t *testing.T) {
	t.Parallel()
	first, second := strings.Repeat("1", 32), strings.Repeat("2", 32)
	old, onlyNew := open(t, first), open(t, second)
	both, err := vault.New([]byte(second), []byte(first))
	if err != nil {
		t.Fatal(err)
	}
	before := old.Seal("row/1", "text")
	after, err := both.Reseal("row/1", before)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		vault  *vault.Vault
		sealed []byte
		opens  bool
	}{
		"old by old": {old, before, true}, "old by both": {both, before, true}, "old by new": {onlyNew, before, false},
		"new by old": {old, after, false}, "new by both": {both, after, true}, "new by new": {onlyNew, after, true},
	} {
		text, err := tc.vault.Open("row/1", tc.sealed)
		if tc.opens && (err != nil || text != "text") || !tc.opens && !errors.Is(err, vault.ErrForeign) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if !bytes.HasPrefix(after, both.KeyID()) || !bytes.Equal(both.KeyID(), onlyNew.KeyID()) ||
		bytes.HasPrefix(before, both.KeyID()) {
		t.Error("the key's id does not tell the keys apart")
	}
	if _, err := both.Reseal("row/2", before); !errors.Is(err, vault.ErrForeign) {
		t.Errorf("at another place: %v", err)
	}
	if _, err := vault.New([]byte(second), []byte("short")); err == nil {
		t.Error("a short previous key was accepted")
	}
}

// Derived keys stay the same when the secret key is replaced, even twice.
func TestOpenRoot(t *testing.T) {
	t.Parallel()
	keys := []string{strings.Repeat("1", 32), strings.Repeat("2", 32), strings.Repeat("3", 32)}
	begun := open(t, keys[0])
	sealed := begun.SealRoot()
	for i := 1; i < len(keys); i++ {
		both, err := vault.New([]byte(keys[i]), []byte(keys[i-1]))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // before and after it is resealed
			rooted, err := both.OpenRoot(sealed)
			if err != nil || !bytes.Equal(rooted.Key("x"), begun.Key("x")) ||
				rooted.Digest("a", "b") != begun.Digest("a", "b") || rooted.Token("tok_1") != begun.Token("tok_1") {
				t.Fatalf("key %d: %v, or what derives from it changed", i+1, err)
			}
			sealed = rooted.SealRoot()
		}
		if rooted, err := open(t, keys[i]).OpenRoot(sealed); err != nil ||
			!bytes.Equal(rooted.Key("x"), begun.Key("x")) {
			t.Errorf("key %d alone: %v, or what derives from it changed", i+1, err)
		}
		if _, err := open(t, keys[i-1]).OpenRoot(sealed); !errors.Is(err, vault.ErrForeign) {
			t.Errorf("the previous key alone: %v", err)
		}
	}
	for _, foreign := range [][]byte{nil, begun.Seal("installation/key_check", "garoupa root zz"),
		begun.Seal("installation/key_check", "x"), begun.Seal("elsewhere", "garoupa")} {
		if _, err := begun.OpenRoot(foreign); !errors.Is(err, vault.ErrForeign) {
			t.Errorf("%x: %v", foreign, err)
		}
	}
}
