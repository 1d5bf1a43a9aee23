// Command quickstart creates a test checkout and pays it.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"
)

const baseURL = "https://api.example"

type checkout struct {
	ID          string `json:"id"`
	Status      string `json:"status"`
	CheckoutURL string `json:"checkoutUrl"`
}

func main() {
	// 1. Create a checkout of R$49.90.
	order := fmt.Sprint("pedido-", time.Now().Unix())
	created, err := post("/v1/checkouts", order, map[string]any{
		"amount": 4990, "description": "Vaso Lua Nova", "externalId": order,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(created.CheckoutURL)

	// 2. Pay it, as the buyer's bank would. Open checkoutUrl to see the page change.
	paid, err := post("/v1/test/checkouts/"+created.ID+"/pay", "", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(paid.Status)
}

func post(path, idempotencyKey string, body any) (*checkout, error) {
	sent, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequest(http.MethodPost, baseURL+path, bytes.NewReader(sent))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("GAROUPA_API_KEY"))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", idempotencyKey)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode >= 400 {
		return nil, fmt.Errorf("%s, see Request-Id %s", response.Status, response.Header.Get("Request-Id"))
	}
	var c checkout
	return &c, json.NewDecoder(response.Body).Decode(&c)
}
