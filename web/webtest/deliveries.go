package webtest

import (
	"testing"

	"garoupa/models"
)

// Attempt records how an attempt of a delivery ended, as the worker would.
func (s *Site) Attempt(t *testing.T, deliveryID string, a models.Attempt) {
	t.Helper()
	d, err := models.DeliveryOf(t.Context(), s.DB.Pool, s.Test, deliveryID)
	if err != nil {
		t.Fatal(err)
	}
	a.StartedAt = s.Clock.Now()
	a.Headers = map[string][]string{
		"Content-Type": {"application/json"}, "User-Agent": {"Garoupa-Webhooks/1.0"}, "X-Svc-Event-Id": {d.Event.ID},
		"X-Svc-Attempt":     {"1"},
		"X-Svc-Signature":   {"5f0c4d1f8f0b3f9d2f6f4d7c1e0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a"},
		"X-Svc-Timestamp":   {"2026-03-01T12:00:00.000Z"},
		"Webhook-Id":        {d.Event.ID},
		"Webhook-Timestamp": {"1772366400"},
		"Webhook-Signature": {"v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="},
	}
	if err := s.RecordAttempt(t.Context(), d, nil, a); err != nil {
		t.Fatal(err)
	}
}

// LatestDelivery returns the newest delivery to an endpoint.
func (s *Site) LatestDelivery(t *testing.T, endpointID string) models.Delivery {
	t.Helper()
	all, err := models.EndpointDeliveries(t.Context(), s.DB.Pool, s.Test, endpointID, models.DeliveryFilter{Limit: 1})
	if err != nil || len(all) != 1 {
		t.Fatalf("%d deliveries, %v", len(all), err)
	}
	return all[0]
}
