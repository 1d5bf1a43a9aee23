package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"garoupa/models"
)

// trigger creates a test checkout through the API and moves it to the state of the event.
func trigger(ctx context.Context, in invocation) error {
	r := in.remoteFlags()
	words, err := in.parse(strings.Join(models.EventTypes, "|"))
	if err != nil {
		return err
	}
	act, known := map[string]string{
		models.EventCheckoutCreated: "", models.EventCheckoutPaid: "/pay", models.EventCheckoutExpired: "/expire",
	}[words[0]]
	if !known {
		return fmt.Errorf("trigger: %q is none of %s", words[0], strings.Join(models.EventTypes, ", "))
	}
	if err := r.check(in.settings); err != nil {
		return fmt.Errorf("trigger: %w", err)
	}
	var checkout struct {
		ID          string `json:"id"`
		CheckoutURL string `json:"checkoutUrl"`
	}
	err = r.post(ctx, "/v1/checkouts", map[string]any{
		"amount": 4990, "description": "garoupa trigger " + words[0],
		"externalId": "trigger-" + strings.ToLower(rand.Text()[:10]),
	}, &checkout)
	if err == nil && act != "" {
		err = r.post(ctx, "/v1/test/checkouts/"+checkout.ID+act, nil, &checkout)
	}
	if err != nil {
		return fmt.Errorf("trigger: %w", err)
	}
	fmt.Fprintln(in.out, checkout.ID, checkout.CheckoutURL)
	return nil
}
