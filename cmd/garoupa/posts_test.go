package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"

	"garoupa/webhook"
)

// parcel is one event for one endpoint.
type parcel struct{ event, path string }

// postbox records the posts that a merchant's server receives.
type postbox struct {
	secrets map[string]string // by path

	mu    sync.Mutex
	posts map[parcel]int
	odd   []string // errors found in posts
	first map[string][32]byte
}

func newPostbox() *postbox {
	return &postbox{posts: map[parcel]int{}, first: map[string][32]byte{}, secrets: map[string]string{}}
}

// note counts a post and checks what must hold for every post.
func (b *postbox) note(r *http.Request) (parcel, int) {
	body, err := io.ReadAll(r.Body)
	p := parcel{r.Header.Get("x-svc-event-id"), r.URL.Path}
	if !strings.HasPrefix(r.UserAgent(), "Garoupa") { // another program of this machine took the port for its own
		return p, 0
	}
	sum := sha256.Sum256(body)
	var event struct{ ID string }
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil { // a post that was cut off proves nothing
		return p, b.posts[p]
	}
	b.posts[p]++
	before, seen := b.first[p.event]
	b.first[p.event] = sum
	switch {
	case json.Unmarshal(body, &event) != nil || event.ID != p.event:
		b.odd = append(b.odd, fmt.Sprintf("%s carries %s", p.event, event.ID))
	case seen && before != sum:
		b.odd = append(b.odd, p.event+" came with other bytes")
	case !webhook.Verify(b.secrets[p.path], r.Header.Get("x-svc-signature"), body):
		b.odd = append(b.odd, p.event+" is not signed by its endpoint's secret")
	}
	return p, b.posts[p]
}

func (b *postbox) seen() map[parcel]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.posts)
}
