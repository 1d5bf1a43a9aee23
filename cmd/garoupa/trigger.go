package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"garoupa/models"
)

// triggers are the steps after the creation of a checkout that make an event, as paths of the API
// below the checkout.
var triggers = map[string][]string{
	models.EventCheckoutCreated:   {},
	models.EventCheckoutPaid:      {"/pay"},
	models.EventCheckoutExpired:   {"/expire"},
	models.EventCheckoutCancelled: {"/cancel"},
	models.EventCheckoutRefunded:  {"/pay", refundStep},
}

// refundStep stands for POST /v1/refunds, which is not below the checkout.
const refundStep = "refund"

const triggerHelp = `checkout.cancelled and checkout.refunded are written only if an endpoint of the project has
subscribed to them, and a refund needs a key that may refund. The withdrawal.* events exist
in live only: the page of a live endpoint, in the dashboard, sends tests of them.`

// trigger creates a test checkout through the API and moves it to the state of the event.
func trigger(ctx context.Context, in invocation) error {
	types := slices.Concat(models.EventTypes, models.OptionalEventTypes)
	amount := in.flags.Int64("amount", 4990, "`centavos` of the checkout; some amounts make the simulator misbehave")
	externalID := in.flags.String("external-id", "", "the checkout's externalId; else a new `id`, trigger-…")
	description := in.flags.String("description", "", "the checkout's `description`")
	in.explain(triggerHelp)
	r := in.remoteFlags()
	words, err := in.parse(strings.Join(types, "|"))
	if err != nil {
		return err
	}
	steps, known := triggers[words[0]]
	if slices.Contains(models.WithdrawalEventTypes, words[0]) {
		return fmt.Errorf("trigger: %s exists in live only; a live endpoint's page in the dashboard sends a test of it",
			words[0])
	}
	if !known {
		return fmt.Errorf("trigger: %q is none of %s", words[0], strings.Join(types, ", "))
	}
	if err := r.check(in.settings); err != nil {
		return fmt.Errorf("trigger: %w", err)
	}
	checkout := map[string]any{"amount": *amount, "externalId": *externalID, "description": *description}
	if *externalID == "" {
		checkout["externalId"] = "trigger-" + strings.ToLower(rand.Text()[:10])
	}
	if *description == "" {
		checkout["description"] = "garoupa trigger " + words[0]
	}
	made, err := r.trigger(ctx, checkout, steps)
	if err != nil {
		return fmt.Errorf("trigger: %w", err)
	}
	fmt.Fprintln(in.out, made.ID, made.CheckoutURL)
	return nil
}

// triggered is a checkout as far as trigger prints it.
type triggered struct {
	ID          string `json:"id"`
	CheckoutURL string `json:"checkoutUrl"`
}

func (r *remote) trigger(ctx context.Context, checkout map[string]any, steps []string) (made triggered, err error) {
	if err := r.post(ctx, "/v1/checkouts", checkout, &made); err != nil {
		return made, err
	}
	for _, step := range steps {
		path, body, answer := "/v1/test/checkouts/"+made.ID+step, any(nil), any(&made)
		if step == refundStep {
			path, body, answer = "/v1/refunds", map[string]any{"checkoutId": made.ID}, new(any)
		}
		if err := r.post(ctx, path, body, answer); err != nil {
			return made, fmt.Errorf("checkout %s: %w", made.ID, err)
		}
	}
	return made, nil
}
