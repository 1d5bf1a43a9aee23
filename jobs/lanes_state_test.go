package jobs

import (
	"testing"
	"time"

	"garoupa/models"
)

// found returns n deliveries of a lane.
func found(name string, from, n int) []models.TakenLane {
	lane := models.TakenLane{Name: name, Room: n}
	for i := range n {
		lane.Deliveries = append(lane.Deliveries, &models.DueDelivery{JobID: int64(from + i), Lane: name})
	}
	return []models.TakenLane{lane}
}

// A lane whose endpoint answers quickly may take more than it posts. When the endpoint
// answers slowly, the waiting deliveries go back to the queue, and no others.
func TestLanes_Quick(t *testing.T) {
	t.Parallel()
	woken := 0
	l := newLanes(func() { woken++ })
	l.take(found("we_a", 1, laneAtOnce))
	if n := l.posters("we_a"); n != laneAtOnce {
		t.Fatalf("%d posters", n)
	}
	first, second := l.next("we_a"), l.next("we_a")
	l.answered(first, true, time.Millisecond)
	l.done(first)
	if room := l.room(); room.Depth["we_a"] != quickDepth || room.Lanes["we_a"] != laneAtOnce-1 ||
		len(room.Taken) != laneAtOnce-1 {
		t.Errorf("after a quick answer the room is %+v", room)
	}
	l.take(found("we_a", 1000, 4*laneAtOnce))
	if n := l.posters("we_a"); n != 0 {
		t.Errorf("%d posters more than a lane may have", n)
	}
	l.answered(second, true, time.Minute)
	room := l.room()
	if room.Depth["we_a"] != 0 || room.Lanes["we_a"] != 0 || len(room.Taken) != 1 || room.Total != attemptsAtOnce {
		t.Errorf("after a slow answer the room is %+v", room)
	}
	if d := l.next("we_a"); d != nil {
		t.Errorf("delivery %d was still to be posted", d.JobID)
	}
	for range laneAtOnce - 1 {
		l.next("we_a")
	}
	l.done(second)
	if len(l.lanes) != 0 || len(l.taken) != 0 || l.posting != 0 || l.waiting != 0 {
		t.Errorf("in the end the lanes are %+v", l)
	}
	if woken == 0 {
		t.Error("no look at the queue was requested when half of the lane was free")
	}
}
