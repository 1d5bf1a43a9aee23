package jobs

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivershared/baseservice"
	"github.com/riverqueue/river/rivershared/riverpilot"
	"github.com/riverqueue/river/rivertype"

	"garoupa/models"
)

// takeTimeout limits a look at the queue.
const takeTimeout = 10 * time.Second

// pilot makes River's workers serve the webhook lanes that have due deliveries. River does
// everything else itself.
type pilot struct {
	riverpilot.StandardPilot
	queue *models.DeliveryQueue
	lanes *lanes
	calls atomic.Int64 // number of jobs handed out to serve a lane
}

// driver hands the pilot to River. River considers this interface private and promises
// nothing about it: see docs/decisions/0011-lanes.md.
type driver struct {
	*riverpgxv5.Driver
	pilot *pilot
}

func newDriver(db *models.DB, queue *models.DeliveryQueue, l *lanes) *driver {
	return &driver{riverpgxv5.New(db.Pool), &pilot{queue: queue, lanes: l}}
}

// PluginInit and PluginPilot are the methods by which River gets a pilot from a driver.
func (*driver) PluginInit(*baseservice.Archetype) {}

func (d *driver) PluginPilot() riverpilot.Pilot { return d.pilot }

// JobGetAvailable implements riverpilot.Pilot. For webhooks it takes deliveries from their
// queue and returns a job for each lane that needs serving. The deliveries stay in the queue
// until their result is recorded. A returned job has no row, and its id is negative.
func (p *pilot) JobGetAvailable(ctx context.Context, exec riverdriver.Executor, state riverpilot.ProducerState,
	params *riverdriver.JobGetAvailableParams) (*riverdriver.JobGetAvailableResult, error) {
	if params.Queue != models.QueueWebhooks {
		return p.StandardPilot.JobGetAvailable(ctx, exec, state, params)
	}
	room := p.lanes.room()
	if room.Total <= 0 {
		return &riverdriver.JobGetAvailableResult{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, takeTimeout)
	defer cancel()
	found, err := p.queue.Take(ctx, room)
	if err != nil {
		return nil, fmt.Errorf("jobs: %w", err)
	}
	result := &riverdriver.JobGetAvailableResult{}
	now := time.Now()
	for _, lane := range p.lanes.take(found) {
		result.Jobs = append(result.Jobs, &rivertype.JobRow{
			ID: -p.calls.Add(1), Kind: models.JobDeliverWebhook, Queue: lane, State: rivertype.JobStateRunning,
			EncodedArgs: noArgs, Metadata: noArgs, Attempt: 1, MaxAttempts: 1, AttemptedAt: &now,
			AttemptedBy: []string{params.ClientID},
			Priority:    1, CreatedAt: now, ScheduledAt: now,
		})
	}
	return result, nil
}

var noArgs = []byte("{}")

// JobSetStateIfRunningMany implements riverpilot.Pilot. It skips jobs without a row.
func (p *pilot) JobSetStateIfRunningMany(ctx context.Context, exec riverdriver.Executor,
	params *riverdriver.JobSetStateIfRunningManyParams) ([]*rivertype.JobRow, error) {
	if !slices.ContainsFunc(params.ID, func(id int64) bool { return id > 0 }) {
		return nil, nil
	}
	return p.StandardPilot.JobSetStateIfRunningMany(ctx, exec, params)
}
