package jobs

import (
	"sync"
	"time"

	"garoupa/models"
)

const (
	// attemptsAtOnce limits the attempts in progress in one process. Each waits for another
	// server, so there are many more attempts than processors; each holds a connection and
	// about 50 kB.
	// kB.
	attemptsAtOnce = 2000
	// sharedAtOnce is the part of attemptsAtOnce that all lanes share.
	sharedAtOnce = attemptsAtOnce / 2
	// laneAtOnce limits the attempts at one endpoint, to protect the endpoint.
	laneAtOnce = 100
	// quickDepth is the number of times its share that a lane takes while its endpoint answers
	// within quickAnswer: many requests to a fast endpoint cost little more than one.
	quickDepth  = 5
	quickAnswer = 250 * time.Millisecond
	// waitingAtOnce limits the deliveries that were taken and wait in memory.
	waitingAtOnce = attemptsAtOnce
	// lanesAtOnce limits the jobs that serve lanes. Each of them posts, or waits until its
	// posts are recorded.
	lanesAtOnce = 2 * attemptsAtOnce
	// forgetAfter is how long a delivery rests after an error of our own, such as a lost
	// database connection.
	forgetAfter = 30 * time.Second
)

// lanes keep deliveries to one endpoint from delaying those to another. Each endpoint has a
// lane in which its deliveries wait. Half of the places are divided evenly among the lanes
// that have work, at least one place each; the other half is reserved for lanes that get
// work later. So there is always room, however many endpoints hang. A delivery is not taken
// before its lane has room, so a waiting delivery costs neither a worker nor a statement.
type lanes struct {
	wake func() // requests another look at the queue

	mu      sync.Mutex
	lanes   map[string]*lane
	taken   map[int64]bool // job ids, until their results are recorded
	posting int            // in all lanes
	waiting int            // in all lanes
	last    string         // the lane served last
	closed  bool           // the process is stopping
}

// lane holds what a process has taken of an endpoint's deliveries.
type lane struct {
	waiting    []*models.DueDelivery
	posting    int
	unrecorded int  // taken, in any state
	posters    int  // goroutines that serve the lane
	quick      bool // the endpoint's latest answer was quick
	had        int  // taken by the latest look if more may wait, otherwise 0
}

func newLanes(wake func()) *lanes {
	return &lanes{wake: wake, lanes: map[string]*lane{}, taken: map[int64]bool{}}
}

// room returns how much may be taken now.
func (l *lanes) room() models.LaneRoom {
	l.mu.Lock()
	defer l.mu.Unlock()
	room := models.LaneRoom{
		Total: min(attemptsAtOnce-l.posting, 2*attemptsAtOnce-len(l.taken)),
		Lanes: make(map[string]int, len(l.lanes)), Depth: map[string]int{},
		Share: sharedAtOnce, Most: laneAtOnce, After: l.last, Taken: make([]int64, 0, len(l.taken)),
	}
	for name, lane := range l.lanes {
		room.Lanes[name] = lane.posting + len(lane.waiting)
		if lane.quick && l.waiting < waitingAtOnce {
			room.Depth[name] = quickDepth
		}
	}
	for job := range l.taken {
		room.Taken = append(room.Taken, job)
	}
	if l.closed {
		room.Total = 0
	}
	return room
}

// take registers the deliveries that were taken, and returns the names of the lanes that need
// serving.
func (l *lanes) take(found []models.TakenLane) (serve []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range found {
		own := l.lanes[f.Name]
		if own != nil {
			own.had = 0
		}
		if len(f.Deliveries) == 0 {
			continue
		}
		if own == nil {
			own = &lane{}
			l.lanes[f.Name] = own
		}
		own.waiting = append(own.waiting, f.Deliveries...)
		own.unrecorded += len(f.Deliveries)
		l.waiting += len(f.Deliveries)
		for _, d := range f.Deliveries {
			l.taken[d.JobID] = true
		}
		if len(f.Deliveries) == f.Room {
			own.had = own.posting + len(own.waiting)
		}
		l.last = f.Name
		serve = append(serve, f.Name)
	}
	return serve
}

// posters returns how many more goroutines are to serve a lane.
func (l *lanes) posters(name string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	own := l.lanes[name]
	if own == nil {
		return 0
	}
	more := max(0, min(len(own.waiting), laneAtOnce-own.posters))
	own.posters += more
	return more
}

// next returns the next delivery for one of a lane's posters, or nil if the poster should
// end.
func (l *lanes) next(name string) *models.DueDelivery {
	l.mu.Lock()
	defer l.mu.Unlock()
	own := l.lanes[name]
	if len(own.waiting) == 0 || l.closed {
		own.posters--
		l.leave(name, own)
		return nil
	}
	d := own.waiting[0]
	own.waiting = own.waiting[1:]
	own.posting++
	l.waiting--
	l.posting++
	return d
}

// answered frees the place of a delivery in its lane, before its attempt is recorded. If the
// answer was slow, the deliveries that wait in the lane go back to the queue. As soon as half
// of a lane is free, answered requests another look at the queue.
func (l *lanes) answered(d *models.DueDelivery, ok bool, took time.Duration) {
	l.mu.Lock()
	own := l.lanes[d.Lane]
	own.posting--
	l.posting--
	if own.quick = took < quickAnswer; !own.quick {
		for _, waits := range own.waiting {
			delete(l.taken, waits.JobID)
		}
		own.unrecorded -= len(own.waiting)
		l.waiting -= len(own.waiting)
		own.waiting = nil
	}
	more := ok && own.had > 0 && own.posting+len(own.waiting) <= own.had/2
	if more {
		own.had = 0 // until the next look
	}
	l.mu.Unlock()
	if more {
		l.wake()
	}
}

// done removes a delivery: its result is recorded, or it will be taken again.
func (l *lanes) done(d *models.DueDelivery) {
	l.mu.Lock()
	defer l.mu.Unlock()
	own := l.lanes[d.Lane]
	delete(l.taken, d.JobID)
	own.unrecorded--
	l.leave(d.Lane, own)
}

// leave removes a lane that has become empty.
func (l *lanes) leave(name string, own *lane) {
	if own.unrecorded == 0 && own.posters == 0 {
		delete(l.lanes, name)
	}
}

// close ends all lanes: no delivery starts after those in progress.
func (l *lanes) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}
