// Command go creates a checkout, reads it, and provokes an error, with the client of oapi-codegen. It
// prints what the test compares.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"time"

	"garoupa/tools/openapi/client"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

// told is what the test compares.
type told struct {
	ID        string     `json:"id"`
	Amount    int64      `json:"amount"`
	PaidAt    *time.Time `json:"paidAt"`
	Listed    int        `json:"listed"`
	Type      string     `json:"type"`
	Code      string     `json:"code"`
	Message   string     `json:"message"`
	RequestID string     `json:"requestId"`
}

func run(ctx context.Context, address, key string) error {
	c, err := client.NewClientWithResponses(address, client.WithRequestEditorFn(
		func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+key)
			return nil
		}))
	if err != nil {
		return err
	}
	once, reference := "oapi-codegen", "oapi-codegen"
	made, err := c.CreateCheckoutWithResponse(ctx, &client.CreateCheckoutParams{IdempotencyKey: &once},
		client.NewCheckout{Amount: 4990, Description: "Vaso Lua Nova", ExternalId: reference})
	if err != nil || made.JSON201 == nil {
		log.Fatalf("%v %s", err, made.Body)
	}
	read, err := c.ReadCheckoutWithResponse(ctx, made.JSON201.Id, nil)
	if err != nil {
		return err
	}
	listed, err := c.ListCheckoutsWithResponse(ctx, &client.ListCheckoutsParams{ExternalId: &reference})
	if err != nil {
		return err
	}
	wrong, err := c.CreateCheckoutWithResponse(ctx, nil,
		client.NewCheckout{Description: "Vaso Lua Nova", ExternalId: reference})
	if err != nil {
		return err
	}
	e := wrong.JSON400.Error
	return json.NewEncoder(os.Stdout).Encode(told{
		ID: read.JSON200.Id, Amount: read.JSON200.Amount, PaidAt: read.JSON200.PaidAt, Listed: len(listed.JSON200.Data),
		Type: string(e.Type), Code: e.Code, Message: e.Message, RequestID: e.RequestId,
	})
}
