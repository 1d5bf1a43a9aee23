package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"garoupa/webhook"
)

const someSecret = "whsec_0123456789abcdefghijABCDEFGHIJ01"

// The usual mistakes between a delivery and its check are recognized.
func TestWhyInvalid(t *testing.T) {
	t.Parallel()
	body := `{"id":"evt_0123456789abcdef01234567","data":{"checkout":{"description":"Café, \"açaí\"","amount":4990}}}`
	signature := webhook.Sign(someSecret, []byte(body))
	var formatted bytes.Buffer
	if err := json.Indent(&formatted, []byte(body), "", "  "); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ secret, signature, body, says string }{
		"right":                   {someSecret, signature, body, ""},
		"a newline":               {someSecret, signature, body + "\n", "ends in a newline"},
		"a newline of Windows":    {someSecret, signature, body + "\r\n", "ends in a newline"},
		"a byte order mark":       {someSecret, signature, "\ufeff" + body, "byte order mark"},
		"a mark and a newline":    {someSecret, signature, "\ufeff" + body + "\n", "was formatted"},
		"formatted":               {someSecret, signature, formatted.String() + "\n", "was formatted"},
		"a secret with a newline": {someSecret + "\n", signature, body, "space around the secret"},
		"a secret without its head": {strings.TrimPrefix(someSecret, "whsec_"), signature, body,
			"must begin with whsec_"},
		"capitals":        {someSecret, strings.ToUpper(signature), body, "lower-case hex digits"},
		"space around":    {someSecret, " " + signature + "\n", body, "lower-case hex digits"},
		"a name in front": {someSecret, "sha256=" + signature, body, "lower-case hex digits"},
		"no hex": {someSecret, "x" + signature[1:], body,
			"64 hex digits; this one has 64 characters or others"},
		"cut": {someSecret, signature[:63], body, "64 hex digits; this one has 63"},
		"another secret": {someSecret[:37] + "2", signature, body,
			"another secret signed it, or the body was changed; with this secret the signature of this body is "},
		"another amount":      {someSecret, signature, strings.Replace(body, "4990", "4991", 1), "another secret"},
		"a body that was cut": {someSecret, signature, body[:40], "not whole JSON"},
		"no body":             {someSecret, signature, "", "is empty"},
	} {
		why := whyInvalid(tc.secret, tc.signature, []byte(tc.body))
		if (why == "") != (tc.says == "") || !strings.Contains(why, tc.says) {
			t.Errorf("%s: %q, want %q", name, why, tc.says)
		}
		if strings.Contains(why, "0123456789abcdefghijABCDEFGHIJ0") {
			t.Errorf("%s: %q repeats the secret", name, why)
		}
	}
}

// verify reads a file or standard input, takes the secret also from the environment, and
// reports the result to scripts by its status.
func TestVerify(t *testing.T) {
	t.Parallel()
	p := &program{t: t, env: []string{"GAROUPA_DATA_DIR=" + t.TempDir()}}
	body := []byte(`{"id":"evt_0123456789abcdef01234567"}`)
	signature := webhook.Sign(someSecret, body)
	file := filepath.Join(t.TempDir(), "body.json")
	if err := os.WriteFile(file, body, 0o600); err != nil {
		t.Fatal(err)
	}
	valid := ran{out: "valid\n"}
	if r := p.try("verify", "--secret", someSecret, "--signature", signature, file); r != valid {
		t.Errorf("a file: %+v", r)
	}
	if r := p.try("verify", file, "--signature="+signature, "--secret="+someSecret); r != valid {
		t.Errorf("flags after the file: %+v", r)
	}
	withSecret := &program{t: t, env: append(p.env[:1:1], "GAROUPA_WEBHOOK_SECRET="+someSecret)}
	if r := withSecret.tryWith(bytes.NewReader(body), "verify", "--signature", signature, "-"); r != valid {
		t.Errorf("standard input: %+v", r)
	}
	if r := withSecret.tryWith(strings.NewReader(string(body)+"\n"), "verify", "--signature", signature,
		"-"); r.status != 1 || r.out != "" ||
		r.wrong != "garoupa: invalid: the body ends in a newline, which editors add: without it, it is valid\n" {
		t.Errorf("with a newline: %+v", r)
	}
	wrong(t, p, "no such file", "verify", "--secret", someSecret, "--signature", signature, file+"x")
	for _, misspelled := range [][]string{{"verify"}, {"verify", file}, {"verify", "--signature", signature, file},
		{"verify", "--secret", someSecret, file}, {"verify", file, file}} {
		if r := p.try(misspelled...); r.status != 2 || strings.Contains(r.wrong, someSecret) {
			t.Errorf("garoupa %s: %+v, want 2", strings.Join(misspelled, " "), r)
		}
	}
}
