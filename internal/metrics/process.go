package metrics

import (
	"runtime"
	"strconv"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
)

// process collects what the process knows without asking the database.
type process struct{ Options }

var (
	buildInfo = prometheus.NewDesc("garoupa_build_info",
		"1, labeled with the program's version, its schema and the version of Go.",
		[]string{"version", "schema", "go"}, nil)
	listening = prometheus.NewDesc("garoupa_listening",
		"1 if the process hears of changes in the database, otherwise 0.", nil, nil)
	clockAhead = prometheus.NewDesc("garoupa_clock_ahead_seconds",
		"How far the machine's clock is ahead of the database's.", nil, nil)
	openStreams = prometheus.NewDesc("garoupa_streams_open", "Open event streams.", nil, nil)
	leasesHeld  = prometheus.NewDesc("garoupa_webhook_leases_held",
		"Deliveries that the process has, until their attempts are recorded.", nil, nil)

	poolConnections = prometheus.NewDesc("garoupa_db_pool_connections",
		"Connections of a pool, by state.", []string{"pool", "state"}, nil)
	poolLimit = prometheus.NewDesc("garoupa_db_pool_connections_max",
		"The most connections that a pool opens.", []string{"pool"}, nil)
	poolWaits = prometheus.NewDesc("garoupa_db_pool_waits_total",
		"Requests for a connection that had to wait for one.", []string{"pool"}, nil)
	poolWaited = prometheus.NewDesc("garoupa_db_pool_wait_seconds_total",
		"Time that requests for a connection waited.", []string{"pool"}, nil)
	poolGivenUp = prometheus.NewDesc("garoupa_db_pool_waits_given_up_total",
		"Requests for a connection that ended before they got one.", []string{"pool"}, nil)

	reads = prometheus.NewDesc("garoupa_db_reads_total",
		"Queries that a read database may answer, by who answered; of the primary, by why the read database did not.",
		[]string{"database", "reason"}, nil)

	batchCommits = prometheus.NewDesc("garoupa_batch_commits_total",
		"Commits that write values which arrived at the same time.", []string{"batch"}, nil)
	batchValues = prometheus.NewDesc("garoupa_batch_values_total",
		"Values written by these commits.", []string{"batch"}, nil)
	batchWaiting = prometheus.NewDesc("garoupa_batch_waiting",
		"Values that have no answer yet.", []string{"batch"}, nil)
)

func (p *process) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{buildInfo, listening, clockAhead, openStreams, leasesHeld, poolConnections,
		poolLimit, poolWaits, poolWaited, poolGivenUp, reads, batchCommits, batchValues, batchWaiting} {
		to <- d
	}
}

func (p *process) Collect(to chan<- prometheus.Metric) {
	gauge(to, buildInfo, 1, p.Version, strconv.FormatInt(p.Schema, 10), runtime.Version())
	gauge(to, listening, number(p.Listening()))
	gauge(to, clockAhead, p.Clock.Difference().Seconds())
	gauge(to, openStreams, float64(p.Streams()))
	gauge(to, leasesHeld, float64(p.Leases()))
	for name, pool := range map[string]*pgxpool.Pool{"requests": p.DB.Pool, "queue": p.DB.Queue,
		"batches": p.DB.Batches, "reserved": p.DB.Reserved, "background": p.DB.Background} {
		collectPool(to, name, pool.Stat())
	}
	if r := p.DB.Reads(); r != nil {
		collectPool(to, "read", r.Pool)
		counter(to, reads, float64(r.Standby), "standby", "")
		for reason, n := range r.Primary {
			counter(to, reads, float64(n), "primary", reason)
		}
	}
	for name, b := range p.Batches() {
		counter(to, batchCommits, float64(b.Commits), name)
		counter(to, batchValues, float64(b.Values), name)
		gauge(to, batchWaiting, float64(b.Waiting), name)
	}
}

func collectPool(to chan<- prometheus.Metric, name string, s *pgxpool.Stat) {
	gauge(to, poolConnections, float64(s.AcquiredConns()), name, "used")
	gauge(to, poolConnections, float64(s.IdleConns()), name, "idle")
	gauge(to, poolConnections, float64(s.ConstructingConns()), name, "opening")
	gauge(to, poolLimit, float64(s.MaxConns()), name)
	counter(to, poolWaits, float64(s.EmptyAcquireCount()), name)
	counter(to, poolWaited, s.EmptyAcquireWaitTime().Seconds(), name)
	counter(to, poolGivenUp, float64(s.CanceledAcquireCount()), name)
}

func gauge(to chan<- prometheus.Metric, d *prometheus.Desc, value float64, labels ...string) {
	to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
}

func counter(to chan<- prometheus.Metric, d *prometheus.Desc, value float64, labels ...string) {
	to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, value, labels...)
}

func number(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
