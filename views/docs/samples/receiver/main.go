// Command receiver takes events, verifies them and handles each once.
package main

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"sync"
	"time"
)

const maxBody = 256 << 10 // more than any event has

type event struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	Data struct {
		Checkout *struct {
			ID         string `json:"id"`
			ExternalID string `json:"externalId"`
			Status     string `json:"status"`
		} `json:"checkout"`
	} `json:"data"`
}

// In your shop: tables in your database, changed in one transaction.
var (
	mu       sync.Mutex
	handled  = map[string]bool{}   // event ids
	statuses = map[string]string{} // by checkout id
)

// A final status is never left, except that money sent in time turns EXPIRED or
// CANCELLED into PAID: a status gives way only to one of a higher rank.
var ranks = map[string]int{"PENDING": 1, "EXPIRED": 2, "CANCELLED": 2, "PAID": 3}

var secret = os.Getenv("WEBHOOK_SECRET")

func main() {
	if secret == "" {
		log.Fatal("Set WEBHOOK_SECRET to the signing secret of the endpoint.")
	}
	http.HandleFunc("POST /webhooks", receive)
	server := http.Server{Addr: "127.0.0.1:" + cmp.Or(os.Getenv("PORT"), "4242"), ReadTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}

func receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLong *http.MaxBytesError
	if errors.As(err, &tooLong) {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil { // the request broke off
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	// For a day after a rotation, the previous secret signs too.
	if !verify(body, r.Header.Get("x-svc-signature")) && !verify(body, r.Header.Get("x-svc-signature-previous")) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	handle(e)
	w.WriteHeader(http.StatusNoContent)
}

// verify compares over the bytes as they came, in constant time.
func verify(body []byte, signature string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	received, err := hex.DecodeString(signature)
	return err == nil && hmac.Equal(mac.Sum(nil), received)
}

// handle handles an event once. Events come in any order.
func handle(e event) {
	mu.Lock()
	defer mu.Unlock()
	if handled[e.ID] {
		return
	}
	handled[e.ID] = true
	c := e.Data.Checkout
	if c == nil { // about a withdrawal
		return
	}
	if ranks[c.Status] > ranks[statuses[c.ID]] {
		statuses[c.ID] = c.Status
	}
	fmt.Println(e.Type, c.ID, c.ExternalID, statuses[c.ID])
}
