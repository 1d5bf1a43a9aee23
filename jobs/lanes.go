package jobs

import (
	"context"
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
	share    int              // of a lane at the latest look that found something
	last     string           // lane served last
}

// taken is a delivery under way.
type taken struct {
	lane      string
	delivery  *models.Delivery // as it was when taken; nil if it could not be read
	succeeded bool
}

func newLanes(wake func()) *lanes {
	return &lanes{wake: wake, taken: map[int64]*taken{}, underWay: map[string]int{}}
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

// take notes jobs that were taken, and their deliveries by job.
func (l *lanes) take(jobs []models.DeliveryJob, share int, deliveries map[int64]*models.Delivery) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, job := range jobs {
		l.taken[job.ID] = &taken{lane: job.Lane, delivery: deliveries[job.ID]}
		l.underWay[job.Lane]++
		l.share, l.last = share, job.Lane
	}
}

// delivery returns the delivery of a job under way, or reads it.
func (l *lanes) delivery(ctx context.Context, q models.Querier, jobID int64, id string) (*models.Delivery, error) {
	l.mu.Lock()
	t := l.taken[jobID]
	l.mu.Unlock()
	if t != nil && t.delivery != nil {
		return t.delivery, nil
	}
	due, err := models.DueDeliveries(ctx, q, []string{id})
	if err != nil || due[id] != nil {
		return due[id], err
	}
	return nil, models.ErrNotFound
}

// succeeded notes that the endpoint of a job's lane answers, so that the lane's
// next need not wait for the next look at the queue.
func (l *lanes) succeeded(jobID int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.taken[jobID]; t != nil {
		t.succeeded = true
	}
}

// JobFinish implements riverpilot.ProducerState: the job's place is free again.
func (l *lanes) JobFinish(job *rivertype.JobRow) {
	l.mu.Lock()
	t := l.taken[job.ID]
	if t == nil {
		l.mu.Unlock()
		return
	}
	delete(l.taken, job.ID)
	more := t.succeeded && l.underWay[t.lane] >= l.share // more may wait than the lane could take
	if l.underWay[t.lane]--; l.underWay[t.lane] == 0 {
		delete(l.underWay, t.lane)
	}
	l.mu.Unlock()
	if more {
		l.wake()
	}
}
