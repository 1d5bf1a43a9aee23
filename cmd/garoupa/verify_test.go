package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

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

// The headers of Standard Webhooks are checked as its libraries do, and the mistake is named.
func TestStandardHeaders_WhyInvalid(t *testing.T) {
	t.Parallel()
	const id, body = "evt_0123456789abcdef01234567", `{"id":"evt_0123456789abcdef01234567","amount":4990}`
	at := time.Unix(1_795_176_000, 0)
	right, _ := webhook.SignStandard(someSecret, id, at, []byte(body))
	const second = "1795176000"
	headers := standardHeaders{id, second, right}
	another, _ := webhook.SignStandard(someSecret[:37]+"2", id, at, []byte(body))
	for name, tc := range map[string]struct {
		headers      standardHeaders
		secret, body string
		after        time.Duration
		says         string
	}{
		"right":           {headers, someSecret, body, 0, ""},
		"just in time":    {headers, someSecret, body, 5 * time.Minute, ""},
		"during rotation": {standardHeaders{id, second, another + " " + right}, someSecret, body, 0, ""},
		"old":             {headers, someSecret, body, 6 * time.Minute, "is right, but webhook-timestamp is 6m0s old"},
		"early":           {headers, someSecret, body, -6 * time.Minute, "6m0s ahead of"},
		"another secret":  {standardHeaders{id, second, another}, someSecret, body, 0, "another secret signed it"},
		"another time":    {standardHeaders{id, "1795176001", right}, someSecret, body, 0, "the time or the body"},
		"no time":         {standardHeaders{id, "today", right}, someSecret, body, 0, "whole seconds"},
		"another id":      {standardHeaders{"evt_x", second, right}, someSecret, body, 0, "not the id in the body"},
		"another header":  {standardHeaders{id, second, "abc"}, someSecret, body, 0, "another header"},
		"no base64":       {headers, "whsec_?", body, 0, "whsec_ and base64"},
		"a newline":       {headers, someSecret, body + "\n", 0, "ends in a newline"},
		"another amount":  {headers, someSecret, strings.Replace(body, "4990", "4991", 1), 0, "the body was changed"},
		"a cut body":      {headers, someSecret, body[:20], 0, "not whole JSON"},
		"no body":         {headers, someSecret, "", 0, "is empty"},
	} {
		why := tc.headers.whyInvalid(tc.secret, []byte(tc.body), at.Add(tc.after))
		if (why == "") != (tc.says == "") || !strings.Contains(why, tc.says) {
			t.Errorf("%s: %q, want %q", name, why, tc.says)
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
	now := time.Now()
	standard, _ := webhook.SignStandard(someSecret, "evt_0123456789abcdef01234567", now, body)
	args := []string{"verify", "--secret", someSecret, "--webhook-id", "evt_0123456789abcdef01234567",
		"--webhook-timestamp", strconv.FormatInt(now.Unix(), 10), "--webhook-signature"}
	if r := p.try(append(args, standard, file)...); r != valid {
		t.Errorf("the headers of the standard: %+v", r)
	}
	wrong(t, p, "x-svc-signature is right, webhook-signature is not: ",
		append(args, "v1,x", "--signature", signature, file)...)
	wrong(t, p, "no such file", "verify", "--secret", someSecret, "--signature", signature, file+"x")
	for _, misspelled := range [][]string{{"verify"}, {"verify", file}, {"verify", "--signature", signature, file},
		{"verify", "--secret", someSecret, file}, {"verify", file, file},
		{"verify", "--secret", someSecret, "--webhook-id", "evt_x", file}} {
		if r := p.try(misspelled...); r.status != 2 || strings.Contains(r.wrong, someSecret) {
			t.Errorf("garoupa %s: %+v, want 2", strings.Join(misspelled, " "), r)
		}
	}
}
