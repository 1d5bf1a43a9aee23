//go:build cluster

package faults

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"garoupa/tools/cluster/machines"
)

// The lines of the document around the report.
const (
	reportBegins = "<!-- make cluster-test writes from here -->\n"
	reportEnds   = "<!-- cluster: to here -->\n"
)

// TestCluster breaks one part of the cluster of deploy/cluster after the other, while clients create and pay through
// HAProxy. After each every acknowledgement is compared with the database, and with what the merchant received.
func TestCluster(t *testing.T) {
	s, c, n := newCluster(t, machines.Options{})
	s.breakParts(c, []part{
		{"a web process killed (SIGKILL), and started again after 5 s", killProcess("web"), false},
		{"a jobs process killed (SIGKILL), and started again after 5 s", killProcess("jobs"), true},
		{"a web process frozen (SIGSTOP) for 15 s", freezeProcess, false},
		{"patronictl switchover", switchOver, false},
		{"the leader's Patroni and PostgreSQL killed (SIGKILL)", killLeader, false},
		{"the leader's Patroni and PostgreSQL frozen (SIGSTOP) until another leads, 3 times", freezeLeader, false},
		{"the leader cut off from etcd until another leads", n.partition, false},
		{"the network of a web process to the database silent for 20 s", n.silenceOne, false},
		{"the network of all processes to the database silent for 20 s", n.silenceAll, false},
		{"rolling-upgrade.sh: every process replaced, one after the other", upgrade, true},
	})
}

// TestClusterPooled breaks the cluster with pgbouncer in transaction mode between the processes and HAProxy.
func TestClusterPooled(t *testing.T) {
	s, c, _ := newCluster(t, machines.Options{Pooled: true})
	s.breakParts(c, []part{
		{"pgbouncer in transaction mode: nothing broken for 10 s", func(*testing.T, *machines.Cluster) {
			time.Sleep(10 * time.Second)
		}, true},
		{"pgbouncer in transaction mode: patronictl switchover", switchOver, false},
		{"pgbouncer in transaction mode: the leader's Patroni and PostgreSQL killed (SIGKILL)", killLeader, false},
	})
}

// part is what is broken.
type part struct {
	what   string
	broken func(t *testing.T, c *machines.Cluster)
	smooth bool // clients must see no error
}

// breakParts breaks one part after the other under load, and judges each.
func (s *site) breakParts(c *machines.Cluster, parts []part) {
	t := s.t
	for _, part := range parts {
		saw := s.under(func() { part.broken(t, c) })
		if part.smooth && len(saw.answers) > 0 {
			t.Errorf("%s: clients saw %v", part.what, maps.Clone(saw.answers))
		}
		s.judge(part.what, saw)
		fatal(t, c.AwaitSynchronous(t.Context())) // the next fault finds the cluster whole
		for _, p := range c.Processes {
			fatal(t, p.AwaitReady(t.Context()))
		}
		if t.Failed() {
			for _, m := range c.Machines {
				t.Logf("%s: %s", m.Name, m.Log())
			}
			t.FailNow()
		}
	}
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newCluster starts the cluster, and the network through which it can be cut or silent.
func newCluster(t *testing.T, o machines.Options) (*site, *machines.Cluster, *network) {
	t.Helper()
	webhooks := newReceiver(t)
	n := &network{etcd: map[int][]*wire{}}
	n.between(t, &o)
	o.Env = []string{"GAROUPA_RATE_LIMIT=off", "GAROUPA_WEBHOOK_ALLOW_PRIVATE=true",
		"GAROUPA_WEBHOOK_BACKOFF=1s,2s,4s,8s"}
	var err error
	o.Program, err = filepath.Abs(program)
	fatal(t, err)
	o.Templates, err = filepath.Abs("../../deploy/cluster")
	fatal(t, err)
	c, err := machines.Start(t.Context(), o)
	t.Cleanup(func() { fatal(t, c.Stop()) })
	fatal(t, err)
	s := &site{t: t, database: c.DatabaseURL(), webhooks: webhooks, processes: []*process{{url: "http://" + c.Web}},
		env: append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GAROUPA_SECRET_KEY=" + c.SecretKey(),
			"GAROUPA_DATA_DIR=" + t.TempDir()}, o.Env...)}
	s.makeMerchant()
	s.turnTo(s.database)
	return s, c, n
}

// afterwards is how long clients work without what was lost.
const afterwards = 5 * time.Second

func killProcess(role string) func(t *testing.T, c *machines.Cluster) {
	return func(t *testing.T, c *machines.Cluster) {
		p := c.Processes[slices.IndexFunc(c.Processes, func(p *machines.Process) bool { return p.Role == role })]
		p.Kill()
		time.Sleep(afterwards)
		fatal(t, p.Start())
		fatal(t, p.AwaitReady(t.Context()))
	}
}

func freezeProcess(t *testing.T, c *machines.Cluster) {
	p := c.Processes[0]
	fatal(t, p.Freeze())
	time.Sleep(15 * time.Second)
	fatal(t, p.Thaw())
	fatal(t, p.AwaitReady(t.Context()))
}

func switchOver(t *testing.T, c *machines.Cluster) {
	leader := c.Leader()
	fatal(t, c.SwitchOver(t.Context()))
	fatal(t, c.AwaitLeader(t.Context(), leader))
	fatal(t, c.AwaitSynchronous(t.Context()))
}

func killLeader(t *testing.T, c *machines.Cluster) {
	leader := c.Leader()
	fatal(t, leader.KillDatabase())
	fatal(t, c.AwaitLeader(t.Context(), leader))
	time.Sleep(afterwards)
	fatal(t, leader.StartDatabase())
	fatal(t, c.AwaitSynchronous(t.Context()))
}

// freezeLeader does so three times: whether a leader that wakes up takes the lead back depends on where it was stopped.
func freezeLeader(t *testing.T, c *machines.Cluster) {
	for range 3 {
		leader := c.Leader()
		thaw, err := leader.Freeze()
		fatal(t, err)
		fatal(t, c.AwaitLeader(t.Context(), leader))
		time.Sleep(afterwards)
		fatal(t, thaw())
		if err := c.AwaitSynchronous(t.Context()); err != nil {
			t.Error(err) // what was lost is counted all the same
			return
		}
	}
}

// upgrade runs deploy/cluster/rolling-upgrade.sh, whose command to restart a unit asks the test.
func upgrade(t *testing.T, c *machines.Cluster) {
	restarted := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, port, _ := strings.Cut(r.URL.Path, "@")
		for _, p := range c.Processes {
			if strings.HasSuffix(p.Address, ":"+port) {
				if err := p.Stop(); err != nil {
					t.Error(err)
				}
				if err := p.Start(); err != nil {
					t.Error(err)
				}
				return
			}
		}
		http.NotFound(w, r)
	}))
	defer restarted.Close()
	restart := filepath.Join(t.TempDir(), "restart")
	fatal(t, os.WriteFile(restart, fmt.Appendf(nil, "#!/bin/sh\nexec curl -fsS '%s/'\"$1\"\n", restarted.URL), 0o755))
	var units []string
	for _, p := range c.Processes {
		_, port, _ := strings.Cut(p.Address, ":")
		units = append(units, "garoupa-"+p.Role+"@"+port)
	}
	command := exec.CommandContext(t.Context(), "../../deploy/cluster/rolling-upgrade.sh", units...)
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "RESTART=" + restart}
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("rolling-upgrade.sh: %v: %s", err, out)
	}
}
