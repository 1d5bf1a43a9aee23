package vault_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"garoupa/vault"
)

func open(t *testing.T, key string) *vault.Vault {
	t.Helper()
	v, err := vault.New([]byte(key))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A token leads back to its id, and no other text does.
func TestToken(t *testing.T) {
	t.Parallel()
	v, other := open(t, strings.Repeat("k", vault.MinKeyLength)), open(t, strings.Repeat("j", vault.MinKeyLength))
	token := v.Token("tok_1")
	if id, ok := v.TokenID(token); !ok || id != "tok_1" {
		t.Errorf("%s leads to %q, %v", token, id, ok)
	}
	for _, wrong := range []string{"", "tok_1", token + "0", token[1:], "tok_2" + token[5:], other.Token("tok_1"), strings.ToUpper(token)} {
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
