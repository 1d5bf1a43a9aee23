package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivershared/baseservice"
	"github.com/riverqueue/river/rivershared/riverpilot"
	"github.com/riverqueue/river/rivertype"

	"garoupa/models"
)

// takeTimeout bounds a look at the queue.
const takeTimeout = 10 * time.Second

// pilot decides which jobs River's workers get: of webhooks as many as the lanes
// have room for. Everything else is River's own.
type pilot struct {
	riverpilot.StandardPilot
	pool  *pgxpool.Pool
	lanes *lanes
}

// driver gives River the pilot. River calls this interface its own and promises
// nothing about it: see docs/decisions/0011-lanes.md.
type driver struct {
	*riverpgxv5.Driver
	pilot *pilot
}

func (*driver) PluginInit(*baseservice.Archetype) {}
func (d *driver) PluginPilot() riverpilot.Pilot   { return d.pilot }
func newDriver(pool *pgxpool.Pool, l *lanes) *driver {
	return &driver{riverpgxv5.New(pool), &pilot{pool: pool, lanes: l}}
}

// ProducerInit implements riverpilot.Pilot: the lanes hear of each job that ends.
func (p *pilot) ProducerInit(ctx context.Context, exec riverdriver.Executor, params *riverpilot.ProducerInitParams) (int64, riverpilot.ProducerState, error) {
	id, state, err := p.StandardPilot.ProducerInit(ctx, exec, params)
	if params.Queue == models.QueueWebhooks {
		state = p.lanes
	}
	return id, state, err
}

// JobGetAvailable implements riverpilot.Pilot.
func (p *pilot) JobGetAvailable(ctx context.Context, exec riverdriver.Executor, state riverpilot.ProducerState, params *riverdriver.JobGetAvailableParams) (*riverdriver.JobGetAvailableResult, error) {
	if params.Queue != models.QueueWebhooks {
		return p.StandardPilot.JobGetAvailable(ctx, exec, state, params)
	}
	room := p.lanes.room(params.MaxToLock)
	if room.Total <= 0 {
		return &riverdriver.JobGetAvailableResult{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, takeTimeout)
	defer cancel()
	jobs, share, err := models.TakeDeliveryJobs(ctx, p.pool, params.ClientID, room)
	if err != nil {
		return nil, fmt.Errorf("jobs: take deliveries: %w", err)
	}
	p.lanes.take(jobs, share, p.read(ctx, jobs))
	result := &riverdriver.JobGetAvailableResult{Jobs: make([]*rivertype.JobRow, len(jobs))}
	now := time.Now()
	for i, job := range jobs {
		result.Jobs[i] = &rivertype.JobRow{
			ID: job.ID, Kind: models.JobDeliverWebhook, Queue: job.Lane, EncodedArgs: job.Args, State: rivertype.JobStateRunning,
			Attempt: job.Attempt, MaxAttempts: models.DeliveryJobMaxAttempts, AttemptedAt: &now, AttemptedBy: []string{params.ClientID},
			Metadata: []byte("{}"), Priority: 1, CreatedAt: now, ScheduledAt: now,
		}
	}
	return result, nil
}

// read reads the deliveries of all jobs at once. What it cannot read the workers
// try for themselves.
func (p *pilot) read(ctx context.Context, jobs []models.DeliveryJob) map[int64]*models.Delivery {
	if len(jobs) == 0 {
		return nil
	}
	ids := make([]string, len(jobs))
	for i, job := range jobs {
		var args deliverWebhookArgs
		if json.Unmarshal(job.Args, &args) == nil { // River's executor says what is wrong with it
			ids[i] = args.DeliveryID
		}
	}
	due, err := models.DueDeliveries(ctx, p.pool, ids)
	if err != nil {
		return nil
	}
	deliveries := make(map[int64]*models.Delivery, len(jobs))
	for i, job := range jobs {
		deliveries[job.ID] = due[ids[i]]
	}
	return deliveries
}
