package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"time"

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
	db    *models.DB
	lanes *lanes
}

// driver gives River the pilot. River calls this interface its own and promises
// nothing about it: see docs/decisions/0011-lanes.md.
type driver struct {
	*riverpgxv5.Driver
	pilot *pilot
}

func newDriver(db *models.DB, l *lanes) *driver {
	return &driver{riverpgxv5.New(db.Pool), &pilot{db: db, lanes: l}}
}

// PluginInit and PluginPilot are how River asks a driver for a pilot.
func (*driver) PluginInit(*baseservice.Archetype) {}

func (d *driver) PluginPilot() riverpilot.Pilot { return d.pilot }

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
	jobs, share, err := models.TakeDeliveryJobs(ctx, p.db.Queue, params.ClientID, room)
	if err != nil {
		return nil, fmt.Errorf("jobs: take deliveries: %w", err)
	}
	p.lanes.take(room, share, jobs, p.read(ctx, jobs))
	result := &riverdriver.JobGetAvailableResult{Jobs: make([]*rivertype.JobRow, len(jobs))}
	now := time.Now()
	for i, job := range jobs {
		result.Jobs[i] = &rivertype.JobRow{
			ID: job.ID, Kind: models.JobDeliverWebhook, Queue: job.Lane, State: rivertype.JobStateRunning,
			EncodedArgs: noArgs, Metadata: noArgs, // the lanes have read them
			Attempt: job.Run, MaxAttempts: models.DeliveryJobMaxAttempts, AttemptedAt: &now, AttemptedBy: []string{params.ClientID},
			Priority: 1, CreatedAt: now, ScheduledAt: now,
		}
	}
	return result, nil
}

var noArgs = []byte("{}")

// read reads the deliveries of all jobs at once. If it fails, the workers try for
// themselves.
func (p *pilot) read(ctx context.Context, jobs []models.DeliveryJob) map[string]*models.Delivery {
	if len(jobs) == 0 {
		return nil
	}
	ids := make([]string, len(jobs))
	for i, job := range jobs {
		ids[i] = job.DeliveryID
	}
	due, err := models.DueDeliveries(ctx, p.db.Queue, ids)
	if err != nil {
		slog.WarnContext(ctx, "reading deliveries together failed", "err", err)
	}
	return due
}
