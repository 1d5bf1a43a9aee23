package jobs

import (
	"sync"
	"time"

	"garoupa/models"
)

const (
	// attemptsAtOnce bounds the attempts under way in one process. Each waits on
	// somebody else's server, so there are many more than processors; each holds a
	// connection and some 50 kB.
	attemptsAtOnce = 2000
	// sharedAtOnce is the part of them that lanes share.
	sharedAtOnce = attemptsAtOnce / 2
	// laneAtOnce bounds those of one endpoint, for the endpoint's sake.
	laneAtOnce = 100
	// quickDepth is how many times its share is taken of a lane whose endpoint
	// answers within quickAnswer: many at once cost little more than one.
	quickDepth  = 5
	quickAnswer = 250 * time.Millisecond
	// waitingAtOnce bounds what was taken so and waits in memory.
	waitingAtOnce = attemptsAtOnce
	// lanesAtOnce bounds the jobs that serve lanes: each posts, or waits for its posts to
	// be recorded.
	lanesAtOnce = 2 * attemptsAtOnce
	// forgetAfter is how long a delivery rests that an error of our own stopped, a lost
	// database say.
	forgetAfter = 30 * time.Second
)

// lanes keep deliveries to one endpoint from delaying those to another. Each
// endpoint's wait in a lane of their own. Half of the places are shared evenly by
// the lanes that have something to do, one each at least; the other half is free for
// lanes that come. So however many endpoints hang, and however much waits for them,
// they leave room. What waits is not touched until its lane has room: it costs
// neither a worker nor a statement.
type lanes struct {
	wake func() // asks for another look at the queue

	mu      sync.Mutex
	lanes   map[string]*lane
	taken   map[int64]bool // jobs, until what became of them is recorded
	posting int            // of all lanes
	waiting int            // of all lanes
	last    string         // lane served last
	closed  bool           // the process stops
}

// lane is what a process has of an endpoint's deliveries.
type lane struct {
	waiting    []*models.DueDelivery
	posting    int
	unrecorded int  // taken, in any state
	posters    int  // goroutines that serve it
	quick      bool // its endpoint's latest answer was
	had        int  // after the latest look, if more may wait; else 0
}

func newLanes(wake func()) *lanes {
	return &lanes{wake: wake, lanes: map[string]*lane{}, taken: map[int64]bool{}}
}

// room says what may be taken now.
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

// take notes what was taken, and returns the lanes that need serving.
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

// posters says how many more goroutines shall serve a lane.
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

// next returns what one of a lane's posters shall post, or nil when it shall end.
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

// answered frees the place of a delivery in its lane, before its attempt is recorded.
// If the answer was slow, what waits in the lane goes back. As soon as half of a lane
// is free, what waits in the queue is looked for.
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

// done forgets a delivery: what became of it is recorded, or it shall be taken again.
func (l *lanes) done(d *models.DueDelivery) {
	l.mu.Lock()
	defer l.mu.Unlock()
	own := l.lanes[d.Lane]
	delete(l.taken, d.JobID)
	own.unrecorded--
	l.leave(d.Lane, own)
}

// leave gives a lane up when nothing of it is left.
func (l *lanes) leave(name string, own *lane) {
	if own.unrecorded == 0 && own.posters == 0 {
		delete(l.lanes, name)
	}
}

// close ends all lanes: what is under way is the last.
func (l *lanes) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}
