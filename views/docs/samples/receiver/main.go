// Command receiver takes events, verifies them and handles each once.
package main

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"sync"
)

type event struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	Data struct {
		Checkout struct {
			ID         string `json:"id"`
			ExternalID string `json:"externalId"`
		} `json:"checkout"`
	} `json:"data"`
}

var handled sync.Map // in your shop: a unique column in your database

func main() {
	http.HandleFunc("POST /webhooks", receive)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "4242"), nil))
}

func receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || !verify(os.Getenv("WEBHOOK_SECRET"), body, r.Header.Get("x-svc-signature")) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if _, again := handled.LoadOrStore(e.ID, true); !again {
		fmt.Println(e.Type, e.Data.Checkout.ID, e.Data.Checkout.ExternalID)
	}
	w.WriteHeader(http.StatusNoContent)
}

// verify compares over the bytes as they came, in constant time.
func verify(secret string, body []byte, signature string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	received, err := hex.DecodeString(signature)
	return err == nil && hmac.Equal(mac.Sum(nil), received)
}
