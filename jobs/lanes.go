package jobs

import (
	"context"
	"fmt"
	"sync"

	"github.com/riverqueue/river/rivertype"

	"garoupa/models"
)

const (
	// attemptsAtOnce bounds the deliveries under way in one process. Each waits on
	// somebody else's server, so there are many more than processors; each holds a
	// connection and some 50 kB.
	attemptsAtOnce = 2000
	// sharedAtOnce is the part of them that lanes share.
	sharedAtOnce = attemptsAtOnce / 2
	// laneAtOnce bounds those of one endpoint, for the endpoint's sake.
	laneAtOnce = 100
)

// lanes keep deliveries to one endpoint from delaying those to another. Each
// endpoint's wait in a lane of their own. Half of the places are shared evenly by
// the lanes that have something to do, one each at least; the other half is free for
// lanes that come. So however many endpoints hang, and however much waits for them,
// they leave room. What waits is not touched until its lane has room: it costs
// neither a worker nor a statement.
type lanes struct {
	wake func() // asks for another look at the queue

	mu       sync.Mutex
	taken    map[int64]*taken // by job
	underWay map[string]int   // by lane; no zeros
	full     map[string]int   // by lane, what it may have: those that had as much at the latest look, so that more may wait
	last     string           // lane served last
}

// taken is a delivery that was taken and is not yet recorded.
type taken struct {
	job      models.DeliveryJob
	delivery *models.Delivery // as it was when taken; nil if it could not be read
	answered bool             // it has left its lane
}

func newLanes(wake func()) *lanes {
	return &lanes{wake: wake, taken: map[int64]*taken{}, underWay: map[string]int{}, full: map[string]int{}}
}

// room says what may be taken now, of at most limit deliveries.
func (l *lanes) room(limit int) models.LaneRoom {
	l.mu.Lock()
	defer l.mu.Unlock()
	room := models.LaneRoom{
		Total: min(limit, attemptsAtOnce-len(l.taken)), Lanes: make([]string, 0, len(l.underWay)), UnderWay: make([]int, 0, len(l.underWay)),
		Shared: sharedAtOnce, Most: laneAtOnce, After: l.last,
	}
	for lane, n := range l.underWay {
		room.Lanes, room.UnderWay = append(room.Lanes, lane), append(room.UnderWay, n)
	}
	return room
}

// take notes jobs that were taken within room, and their deliveries. Share is how
// many of each lane may be under way.
func (l *lanes) take(room models.LaneRoom, share int, jobs []models.DeliveryJob, deliveries map[string]*models.Delivery) {
	l.mu.Lock()
	defer l.mu.Unlock()
	had := make(map[string]int, len(room.Lanes)) // by what was looked at: some have ended since
	for i, lane := range room.Lanes {
		had[lane] = room.UnderWay[i]
	}
	for _, job := range jobs {
		l.taken[job.ID] = &taken{job: job, delivery: deliveries[job.DeliveryID]}
		l.underWay[job.Lane]++
		l.last = job.Lane
		had[job.Lane]++
	}
	clear(l.full)
	for lane, n := range had {
		if n >= share {
			l.full[lane] = share
		}
	}
}

// delivery returns what a job under way is to deliver, and whether a person asked
// for it.
func (l *lanes) delivery(ctx context.Context, q models.Querier, jobID int64) (d *models.Delivery, manual bool, err error) {
	l.mu.Lock()
	t := l.taken[jobID]
	l.mu.Unlock()
	if t == nil {
		return nil, false, fmt.Errorf("job %d was not taken by the lanes", jobID)
	}
	if t.delivery != nil {
		return t.delivery, t.job.Manual, nil
	}
	due, err := models.DueDeliveries(ctx, q, []string{t.job.DeliveryID})
	if err == nil && due[t.job.DeliveryID] == nil {
		err = models.ErrNotFound
	}
	return due[t.job.DeliveryID], t.job.Manual, err
}

// answered frees the place of a job in its lane, before its attempt is recorded. As
// soon as successes have freed half of a lane, what waits in it is looked for: many
// at once cost little more than one. Failures can wait for the next look.
func (l *lanes) answered(jobID int64, ok bool) {
	l.mu.Lock()
	t := l.taken[jobID]
	more := false
	if t != nil {
		l.leave(t)
		more = ok && l.full[t.job.Lane] > 0 && l.underWay[t.job.Lane] <= l.full[t.job.Lane]/2
	}
	l.mu.Unlock()
	if more {
		l.wake()
	}
}

func (l *lanes) leave(t *taken) {
	if t.answered {
		return
	}
	t.answered = true
	if l.underWay[t.job.Lane]--; l.underWay[t.job.Lane] == 0 {
		delete(l.underWay, t.job.Lane)
	}
}

// JobFinish implements riverpilot.ProducerState: the job's place in the process is
// free again.
func (l *lanes) JobFinish(job *rivertype.JobRow) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.taken[job.ID]; t != nil {
		delete(l.taken, job.ID)
		l.leave(t)
	}
}
