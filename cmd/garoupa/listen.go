package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/webhook"
)

// listen forwards a project's test events to an address of the developer, each signed and
// with the headers of a real delivery.
func listen(ctx context.Context, in invocation) error {
	f := &forwarder{headers: http.Header{}}
	in.flags.StringVar(&f.target, "forward-to", "", "`URL` to post events to, such as http://localhost:3000/hook")
	in.flags.StringVar(&f.secret, "secret", "",
		"signing `secret`, whsec_…; else GAROUPA_WEBHOOK_SECRET, else one that is kept for the next run")
	in.flags.Func("events", "forward only these `types`, such as checkout.paid,checkout.expired", f.readTypes)
	in.flags.Func("header", "send a further `header`, such as \"X-Tunnel: 1\"; may be repeated", f.readHeader)
	asJSON := in.flags.Bool("json", false, "print each line as a JSON object")
	fresh := in.flags.Bool("new", false, "skip the events since the previous run")
	r := in.remoteFlags()
	if _, err := in.parse(); err != nil {
		return err
	}
	if f.target == "" {
		fmt.Fprintln(in.flags.Output(), "listen needs --forward-to")
		in.flags.PrintDefaults()
		return errUsage
	}
	if err := webhook.CheckURL(f.target, false, true); err != nil {
		return fmt.Errorf("listen: --forward-to: %w", err)
	}
	if err := r.check(in.settings); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	f.client = webhook.NewClient(webhook.Options{AllowPrivate: true})
	f.printer = printer{out: in.out, json: *asJSON}
	notKept := f.chooseSecret(in.settings)
	f.began(r.server, f.target, f.secret)
	if notKept != nil {
		f.note(fmt.Sprintf("the next run will have another signing secret: %s", notKept))
	}
	f.open(r, *fresh)
	if err := f.run(ctx, r); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	return nil
}

// chooseSecret chooses the signing secret if no flag did. It returns why the secret is not kept,
// if it should be.
func (f *forwarder) chooseSecret(s settings) (notKept error) {
	if f.secret == "" {
		f.secret = s.WebhookSecret
	}
	if f.secret != "" {
		return nil
	}
	folder, err := os.UserConfigDir()
	if err == nil {
		f.secret, err = readOrCreate(filepath.Join(folder, "garoupa", "listen-secret"), merchants.NewEndpointSecret)
	}
	if err == nil && !strings.HasPrefix(f.secret, "whsec_") {
		err = fmt.Errorf("%s holds no signing secret", filepath.Join(folder, "garoupa", "listen-secret"))
	}
	if err != nil {
		f.secret = merchants.NewEndpointSecret()
	}
	return err
}

// readTypes reads the types of events to forward.
func (f *forwarder) readTypes(text string) error {
	known := slices.Concat(models.EventTypes, models.OptionalEventTypes, models.WithdrawalEventTypes)
	for each := range strings.SplitSeq(text, ",") {
		each = strings.TrimSpace(each)
		if !slices.Contains(known, each) {
			return fmt.Errorf("%q is none of %s", each, strings.Join(known, ", "))
		}
		f.types = append(f.types, each)
	}
	return nil
}

// readHeader reads a header. Those of the connection belong to net/http.
func (f *forwarder) readHeader(text string) error {
	name, value, found := strings.Cut(text, ":")
	value = strings.TrimSpace(value)
	switch name = http.CanonicalHeaderKey(name); {
	case !found || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value):
		return fmt.Errorf("is not a header such as \"Name: value\"")
	case slices.Contains([]string{"Host", "Content-Length", "Transfer-Encoding", "Connection", "Trailer"}, name):
		return fmt.Errorf("%s cannot be set", name)
	}
	f.headers.Add(name, value)
	return nil
}
