package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"garoupa/webhook"
)

// bodyLimit bounds what verify reads. It is far larger than any delivery.
const bodyLimit = 16 << 20

// verify reports whether a delivery's signature is right and, if not, why.
func verify(_ context.Context, in invocation) error {
	secret := in.flags.String("secret", "", "signing `secret` of the endpoint, whsec_…; else GAROUPA_WEBHOOK_SECRET")
	signature := in.flags.String("signature", "", "the `header` x-svc-signature as received")
	var standard standardHeaders
	standard.declare(in.flags)
	words, err := in.parse("<body.json>|-")
	if err != nil {
		return err
	}
	if *secret == "" {
		*secret = in.settings.WebhookSecret
	}
	both, err := standard.given()
	if err == nil && (*secret == "" || *signature == "" && !both) {
		err = errors.New("verify needs --signature or the headers webhook-…, and --secret or GAROUPA_WEBHOOK_SECRET")
	}
	if err != nil {
		fmt.Fprintln(in.flags.Output(), err)
		in.flags.PrintDefaults()
		return errUsage
	}
	body, err := readBody(words[0])
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	if *signature != "" {
		if why := whyInvalid(*secret, *signature, body); why != "" {
			return fmt.Errorf("invalid: %s", why)
		}
	}
	if both {
		why := standard.whyInvalid(*secret, body, time.Now())
		if why != "" && *signature != "" {
			why = "x-svc-signature is right, webhook-signature is not: " + why
		}
		if why != "" {
			return fmt.Errorf("invalid: %s", why)
		}
	}
	fmt.Fprintln(in.out, "valid")
	return nil
}

// readBody reads a file, or standard input for "-".
func readBody(name string) ([]byte, error) {
	file := os.Stdin
	if name != "-" {
		var err error
		if file, err = os.Open(name); err != nil {
			return nil, err
		}
		defer file.Close()
	}
	body, err := io.ReadAll(io.LimitReader(file, bodyLimit+1))
	if err == nil && len(body) > bodyLimit {
		err = fmt.Errorf("%s is larger than any delivery", name)
	}
	return body, err
}

var hexSignature = regexp.MustCompile(`^[0-9a-f]{64}$`)

// whyInvalid returns "" if signature belongs to body. Otherwise it tries the usual
// mistakes, and returns which one it was.
func whyInvalid(secret, signature string, body []byte) string {
	if webhook.Verify(secret, signature, body) {
		return ""
	}
	mended := strings.ToLower(strings.TrimSpace(signature))
	mended = strings.TrimPrefix(mended, "sha256=")
	switch {
	case !hexSignature.MatchString(mended):
		return fmt.Sprintf("a signature is 64 hex digits; this one has %d characters or others than hex digits",
			len(signature))
	case webhook.Verify(secret, mended, body):
		return "body and secret are right, but the signature must be 64 lower-case hex digits, with nothing around them"
	}
	for _, each := range []struct {
		secret, why string
	}{
		{strings.TrimSpace(secret), "without the space around the secret, it is valid"},
		{"whsec_" + secret, "the secret must begin with whsec_: with it, it is valid"},
	} {
		if webhook.Verify(each.secret, mended, body) {
			return each.why
		}
	}
	for _, each := range mendedBodies(body) {
		if webhook.Verify(secret, mended, each.body) {
			return each.why
		}
	}
	switch {
	case len(body) == 0:
		return "the body is empty"
	case !json.Valid(body):
		return "the body is not whole JSON: it was cut off or changed"
	}
	return "another secret signed it, or the body was changed; with this secret the signature of this body is " +
		webhook.Sign(secret, body)
}

// mendedBody is a body without a usual mistake.
type mendedBody struct {
	body []byte
	why  string
}

func mendedBodies(body []byte) []mendedBody {
	return []mendedBody{
		{bytes.TrimSuffix(bytes.TrimSuffix(body, []byte("\n")), []byte("\r")),
			"the body ends in a newline, which editors add: without it, it is valid"},
		{bytes.TrimPrefix(body, []byte("\ufeff")),
			"the body begins with a byte order mark, which editors add: without it, it is valid"},
		{compact(body),
			"the body was formatted: with the space between its members taken out, it is valid. Keep the bytes as " +
				"they came"},
	}
}

// compact returns JSON without insignificant space, or nil if body is not JSON.
func compact(body []byte) []byte {
	var out bytes.Buffer
	if json.Compact(&out, bytes.TrimPrefix(body, []byte("\ufeff"))) != nil {
		return nil
	}
	return out.Bytes()
}
