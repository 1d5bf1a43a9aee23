package passkey_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"garoupa/internal/auth/passkey"
	"garoupa/internal/auth/passkey/passkeytest"
)

const address = "https://app.example:8443"

// asked returns a function that fails the test if the site's question failed.
func asked(t *testing.T) func(passkey.Question, error) passkey.Question {
	return func(q passkey.Question, err error) passkey.Question {
		t.Helper()
		if err != nil || len(q.Challenge) < 16 {
			t.Fatalf("challenge %s, %v", q.Options, err)
		}
		return q
	}
}

// made returns a person with a passkey on the device.
func made(t *testing.T, site *passkey.Site, d *passkeytest.Device) passkey.Person {
	t.Helper()
	p := passkey.Person{Handle: "usr_1", Email: "ana@example.com", Name: "Ana"}
	answer, err := passkey.ReadNewAnswer(d.Make(asked(t)(site.AskNew(p)).Options))
	if err != nil {
		t.Fatal(err)
	}
	key, err := site.Made(answer, p)
	if err != nil {
		t.Fatal(err)
	}
	p.Keys = []passkey.Key{key}
	return p
}

// A passkey is created for the address, with the person verified, and its signatures are
// accepted. Answers of another device, address or person are refused.
func TestSite(t *testing.T) {
	t.Parallel()
	site := passkey.NewSite("Garoupa", address)
	d := passkeytest.New(t, address)
	d.Synced = true
	p := made(t, site, d)
	key := p.Keys[0]
	if !bytes.Equal(key.ID, d.ID) || !key.Synced || string(d.Handle) != "usr_1" {
		t.Errorf("the passkey is %+v, of %q", key, d.Handle)
	}
	d.SignCount = 7
	for name, q := range map[string]passkey.Question{"any": asked(t)(site.AskAny()), "hers": asked(t)(site.AskOf(p))} {
		a, err := passkey.ReadAnswer(d.Sign(q.Options))
		if err != nil || !bytes.Equal(a.Challenge, q.Challenge) || !bytes.Equal(a.KeyID, d.ID) || a.Handle != "usr_1" {
			t.Fatalf("%s: read %+v, %v", name, a, err)
		}
		if n, err := site.Signed(a, p); err != nil || n != 7 {
			t.Errorf("%s: signed %d times, %v", name, n, err)
		}
	}
	for name, lie := range map[string]func(*passkeytest.Device){
		"another origin":     func(d *passkeytest.Device) { d.Origin = "https://app.example.evil" },
		"another port":       func(d *passkeytest.Device) { d.Origin = "https://app.example" },
		"another site":       func(d *passkeytest.Device) { d.Site = "evil.example" },
		"nobody verified":    func(d *passkeytest.Device) { d.Unverified = true },
		"somebody else":      func(d *passkeytest.Device) { d.Handle = []byte("usr_2") },
		"an unknown passkey": func(d *passkeytest.Device) { d.ID = []byte("another") },
		"another kind":       func(d *passkeytest.Device) { d.Synced = false },
		"another's key": func(d *passkeytest.Device) {
			id := d.ID
			*d = *passkeytest.New(t, address)
			d.ID,
				d.Synced = id, true
		},
	} {
		liar := *d
		lie(&liar)
		a, err := passkey.ReadAnswer(liar.Sign(asked(t)(site.AskAny()).Options))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := site.Signed(a, p); !errors.Is(err, passkey.ErrRefused) {
			t.Errorf("%s signs: %v", name, err)
		}
	}
	for name, lie := range map[string]func(*passkeytest.Device){
		"another origin":  func(d *passkeytest.Device) { d.Origin = "http://app.example:8443" },
		"another site":    func(d *passkeytest.Device) { d.Site = "evil.example" },
		"nobody verified": func(d *passkeytest.Device) { d.Unverified = true },
		"an attestation":  func(d *passkeytest.Device) { d.Format = "tpm" },
	} {
		liar := passkeytest.New(t, address)
		lie(liar)
		a, err := passkey.ReadNewAnswer(liar.Make(asked(t)(site.AskNew(p)).Options))
		if err != nil {
			t.Fatal(err)
		}
		_, err = site.Made(a, p)
		if !errors.Is(err, passkey.ErrRefused) {
			t.Errorf("%s creates one: %v", name, err)
		}
		if unrequested := strings.Contains(err.Error(), "not requested"); unrequested != (name == "an attestation") {
			t.Errorf("%s: got %v", name, err) // the library must not check attestations
		}
	}
}

// A question names the site, requires verification of the person, and excludes devices that
// have a passkey already. Questions to different people differ only in the challenge.
func TestQuestions(t *testing.T) {
	t.Parallel()
	site := passkey.NewSite("Garoupa", address)
	p := made(t, site, passkeytest.New(t, address))
	var o struct {
		RP                     struct{ ID, Name string }
		AuthenticatorSelection struct{ ResidentKey, UserVerification string }
		ExcludeCredentials     []struct{ ID string }
		Timeout                int
	}
	if err := json.Unmarshal(asked(t)(site.AskNew(p)).Options, &o); err != nil {
		t.Fatal(err)
	}
	if o.RP.ID != "app.example" || o.RP.Name != "Garoupa" || o.AuthenticatorSelection.ResidentKey != "required" ||
		o.AuthenticatorSelection.UserVerification != "required" || len(o.ExcludeCredentials) != 1 ||
		o.Timeout != 300_000 {
		t.Errorf("options %+v", o)
	}
	var seen []string
	for range 2 {
		q := asked(t)(site.AskAny())
		var said struct{ Challenge string }
		if err := json.Unmarshal(q.Options, &said); err != nil {
			t.Fatal(err)
		}
		seen = append(seen, said.Challenge, strings.ReplaceAll(string(q.Options), said.Challenge, ""))
	}
	if seen[0] == seen[2] || seen[1] != seen[3] || !strings.Contains(seen[1], `"userVerification":"required"`) {
		t.Errorf("questions %q", seen)
	}
}

// Browsers create no passkeys where the site's identity cannot be verified.
func TestNewSite(t *testing.T) {
	t.Parallel()
	for address, works := range map[string]bool{
		"https://app.example": true, "https://app.example:8443": true, "http://localhost:8080": true,
		"https://localhost":  true,
		"http://app.example": false, "http://127.0.0.1:8080": false, "https://[::1]": false,
		"https://203.0.113.7": false, "": false, "::": false,
	} {
		if site := passkey.NewSite("Garoupa", address); (site != nil) != works {
			t.Errorf("%q: %v", address, site)
		}
	}
}

// Only the format of our script is accepted.
func TestReadAnswer_Strict(t *testing.T) {
	t.Parallel()
	site := passkey.NewSite("Garoupa", address)
	d := passkeytest.New(t, address)
	p := made(t, site, d)
	good := d.Sign(asked(t)(site.AskAny()).Options)
	if _, err := passkey.ReadAnswer(good); err != nil {
		t.Fatal(err)
	}
	fresh := passkeytest.New(t, address).Make(asked(t)(site.AskNew(p)).Options)
	for _, text := range []string{
		"", "null", "[]", "{}", "1", "{", good[:len(good)-1], good + "{}", good + " x",
		strings.Replace(good, `"id"`, `"more":1,"id"`, 1),
		strings.Replace(good, `"id":"`, `"id":"=`, 1),
		`{"id":"AA","clientDataJSON":"e30","authenticatorData":"AA","signature":"AA"}`,
		`{"id":null,"clientDataJSON":null}`, good[:1] + strings.Repeat(" ", 16<<10) + good[1:], fresh,
	} {
		if _, err := passkey.ReadAnswer(text); !errors.Is(err, passkey.ErrRefused) {
			t.Errorf("%.80q: %v", text, err)
		}
	}
	for _, text := range []string{"", "null", "{}", good, fresh + "1",
		`{"id":"AA","clientDataJSON":"e30","attestationObject":"oA"}`} {
		if _, err := passkey.ReadNewAnswer(text); !errors.Is(err, passkey.ErrRefused) {
			t.Errorf("%.80q: %v", text, err)
		}
	}
}

func FuzzReadAnswer(f *testing.F) {
	f.Add(`{"id":"AA","clientDataJSON":"e30","authenticatorData":"AA","signature":"AA","userHandle":"AA"}`)
	f.Add(`{"id":"AA","clientDataJSON":"e30","attestationObject":"o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YUA"}`)
	f.Fuzz(func(t *testing.T, text string) {
		if a, err := passkey.ReadAnswer(text); (a == nil) != (err != nil) ||
			err != nil && !errors.Is(err, passkey.ErrRefused) {
			t.Errorf("%v, %v", a, err)
		}
		if a, err := passkey.ReadNewAnswer(text); (a == nil) != (err != nil) ||
			err != nil && !errors.Is(err, passkey.ErrRefused) {
			t.Errorf("%v, %v", a, err)
		}
	})
}
