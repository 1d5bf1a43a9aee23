package paymentstest

import (
	"testing"
	"time"

	"garoupa/models"
)

// Take takes the deliveries that are due at now, up to room for each endpoint, as a process's
// jobs do.
func Take(t *testing.T, db *models.DB, now time.Time, room int) []*models.DueDelivery {
	t.Helper()
	busy, err := models.BusyEndpoints(t.Context(), db.Queue, now)
	if err != nil {
		t.Fatal(err)
	}
	var rooms []models.EndpointRoom
	for _, e := range busy {
		rooms = append(rooms, models.EndpointRoom{BusyEndpoint: e, Room: room})
	}
	taken, err := models.TakeDeliveries(t.Context(), db.Queue, now, rooms)
	if err != nil {
		t.Fatal(err)
	}
	return taken
}
