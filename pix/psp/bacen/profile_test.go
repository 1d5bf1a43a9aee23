package bacen_test

import (
	"crypto/tls"
	"strings"
	"testing"
	"time"

	"garoupa/pix/psp/bacen"
)

// Every known bank can be opened as it is, or says what is missing.
func TestProfiles(t *testing.T) {
	t.Parallel()
	all, err := bacen.Profiles(nil)
	if err != nil {
		t.Fatal(err)
	}
	certificate, _ := newCertificate(t, time.Now().Add(time.Hour))
	for name, p := range all {
		o := bacen.Options{Profile: p, Certificate: certificate, ClientID: "a", ClientSecret: "b", PixKey: pixKey}
		_, err := bacen.New(o)
		switch name {
		case "generic", "caixa":
			if err == nil || !strings.Contains(err.Error(), "base URL") {
				t.Errorf("%s: %v", name, err)
			}
			o.BaseURL = "https://bank.example/api/v2/"
			_, err = bacen.New(o)
		case "btg":
			if err == nil || !strings.Contains(err.Error(), "token URL") {
				t.Errorf("%s: %v", name, err)
			}
			o.TokenURL = "/token"
			_, err = bacen.New(o)
		}
		if err != nil || p.Name != name || p.Confirmed != (bacen.Confirmation{}) {
			t.Errorf("%s: %v, confirmed %+v", name, err, p.Confirmed)
		}
		if o.Sandbox = true; p.TestBase != "" {
			if _, err := bacen.New(o); err != nil {
				t.Errorf("%s, test environment: %v", name, err)
			}
		}
	}
	if len(all) != 12 {
		t.Errorf("%d profiles", len(all))
	}
}

func TestProfiles_File(t *testing.T) {
	t.Parallel()
	all, err := bacen.Profiles([]byte(`{"bb":{"max_window":12,"headers":{"x":"y"}},
		"novo":{"base":"https://novo.example/v2","scopes":["cob.read"],"code_fields":["qr"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if bb := all["bb"]; bb.MaxWindow != 12 || bb.Headers["x"] != "y" || bb.Query["gw-dev-app-key"] == "" ||
		bb.Window() != 12*time.Hour {
		t.Errorf("bb: %+v", bb)
	}
	if long, err := all["bb"].With([]byte(`{"max_window":10000000}`)); err != nil || long.Window() < 24*time.Hour {
		t.Errorf("the longest window is %v, %v", long.Window(), err)
	}
	if novo := all["novo"]; novo.Name != "novo" || novo.TokenStyle != bacen.BasicForm || len(novo.Scopes) != 1 {
		t.Errorf("novo: %+v", novo)
	}
	if _, err := bacen.Named(all, "nenhum"); err == nil || !strings.Contains(err.Error(), "novo") {
		t.Errorf("an unknown name: %v", err)
	}
	// The change of one account changes no other.
	changed, err := all["novo"].With([]byte(`{"headers":{"a":"b"},"scopes":["x","y"],"code_fields":["z"]}`))
	if err != nil || changed.Scopes[0] != "x" || changed.Headers["a"] != "b" {
		t.Errorf("%+v, %v", changed, err)
	}
	if novo := all["novo"]; novo.Scopes[0] != "cob.read" || novo.CodeFields[0] != "qr" || len(novo.Headers) != 0 {
		t.Errorf("the profile was changed too: %+v", novo)
	}
	all["sicredi"].Versions["cob"] = "v9"
	if again, _ := bacen.Profiles(nil); again["sicredi"].Versions["cob"] != "v3" {
		t.Errorf("the table was changed: %+v", again["sicredi"])
	}
	if again, _ := bacen.Profiles(nil); again["bb"].MaxWindow != 24 || again["bb"].Headers != nil {
		t.Errorf("the table was changed too: %+v", again["bb"])
	}
}

func TestProfiles_Wrong(t *testing.T) {
	t.Parallel()
	generic := profile(t, "generic")
	for overrides, want := range map[string]string{
		`{"colour":"red"}`:                 "colour",
		`{"max_window":"24h"}`:             "max_window",
		`{"max_window":0}`:                 "max_window",
		`{"page_size":1001}`:               "page_size",
		`{"in_flight":0}`:                  "in_flight",
		`{"time_format":"RFC 3339"}`:       "time_format",
		`{"token_style":"magic"}`:          "token_style",
		`{"notice_proof":{"kind":"none"}}`: "notice_proof",
		`{"notice_proof":{"key":"none"}}`:  "key",
		`{"base":"http://bank.example"}`:   "base",
		`{"base":"https://u:p@b.example"}`: "base",
		`{"token_url":"ftp://b.example"}`:  "token_url",
		`{"code_fields":[]}`:               "code_fields",
		`{"payer":"inter"}`:                "payer",
		`{} {}`:                            "more than one",
		`[`:                                "JSON",
	} {
		if _, err := generic.With([]byte(overrides)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", overrides, err)
		}
		if _, err := bacen.Profiles([]byte(`{"x":` + overrides + `}`)); err == nil {
			t.Errorf("a file with %s is accepted", overrides)
		}
	}
}

func TestNew_Incomplete(t *testing.T) {
	t.Parallel()
	certificate, _ := newCertificate(t, time.Now().Add(time.Hour))
	complete := bacen.Options{Profile: profile(t, "efi"), Certificate: certificate, ClientID: "a", ClientSecret: "b",
		PixKey: pixKey}
	for want, change := range map[string]func(*bacen.Options){
		"certificate":   func(o *bacen.Options) { o.Certificate = tls.Certificate{} },
		"client id":     func(o *bacen.Options) { o.ClientID = "" },
		"client secret": func(o *bacen.Options) { o.ClientSecret = "" },
		"Pix key":       func(o *bacen.Options) { o.PixKey = "" },
		"base URL":      func(o *bacen.Options) { o.BaseURL = "http://bank.example" },
		"token URL":     func(o *bacen.Options) { o.TokenURL = "http://bank.example" },
		"no certificat": func(o *bacen.Options) { o.Profile.CA = "garbage" },
		"token_style":   func(o *bacen.Options) { o.Profile = bacen.Profile{} },
	} {
		o := complete
		change(&o)
		if _, err := bacen.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	o := complete
	o.ClientSecret, o.Profile.TokenStyle = "", bacen.FormIDOnly
	if _, err := bacen.New(o); err != nil {
		t.Error(err)
	}
}
