package webhook

import (
	"net/http"
	"slices"
	"time"
)

// Stored returns the headers of an attempt that were sent and do not follow from its event and time: its
// signatures, and its number after the first. A row of each attempt keeps them, and [Sent] adds the rest.
func Stored(sent http.Header, eventID string, at time.Time) http.Header {
	stored := http.Header{}
	following := following(eventID, at)
	for name, values := range sent {
		if !slices.Equal(values, following[name]) {
			stored[name] = values
		}
	}
	return stored
}

// Sent returns the headers of an attempt as they were sent, from those that were stored. Attempts of earlier
// versions stored all of them.
func Sent(stored http.Header, eventID string, at time.Time) http.Header {
	if len(stored) == 0 || stored.Get("Content-Type") != "" {
		return stored
	}
	sent := following(eventID, at)
	if stored.Get("webhook-signature") == "" {
		sent.Del("webhook-id")
		sent.Del("webhook-timestamp")
	}
	for name, values := range stored {
		sent[name] = values
	}
	return sent
}

// following returns the headers that rows of attempts leave out. Its values are part of the meaning of these rows:
// an attempt that sends others stores them.
func following(eventID string, at time.Time) http.Header {
	return http.Header{
		"Content-Type":      {"application/json"},
		"User-Agent":        {"Garoupa-Webhooks/1.0"},
		"X-Svc-Event-Id":    {eventID},
		"X-Svc-Attempt":     {"1"},
		"X-Svc-Timestamp":   {at.UTC().Format("2006-01-02T15:04:05.000Z")},
		"Webhook-Id":        {eventID},
		"Webhook-Timestamp": {unixSeconds(at)},
	}
}
