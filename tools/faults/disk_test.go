//go:build cluster

package faults

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/tools/cluster/machines"
)

// sizeOfDisk is enough for a machine, and little memory.
const sizeOfDisk = 768 << 20

// TestClusterDisk fills the disk of the leader. Each machine has one of its own, in memory.
func TestClusterDisk(t *testing.T) {
	s, c, _ := newCluster(t, machines.Options{Disk: sizeOfDisk})
	s.breakParts(c, []part{
		{"the leader's disk full for 20 s", fillDisk, false},
		{"the leader's disk full until patronictl switchover", fillDiskAndSwitchOver, false},
		{"the leader's disk full, so that PostgreSQL cannot write its log and ends", fillLog, false},
	})
}

// keepFull fills the disk of a machine for some time, also what becomes free meanwhile.
func keepFull(t *testing.T, m *machines.Machine, long time.Duration) {
	for end := time.Now().Add(long); time.Now().Before(end); {
		fatal(t, m.FillDisk())
		time.Sleep(200 * time.Millisecond)
	}
}

// fillDisk frees the disk again. PostgreSQL writes to the log files that it has, and cannot make tables longer.
func fillDisk(t *testing.T, c *machines.Cluster) {
	leader := c.Leader()
	keepFull(t, leader, 20*time.Second)
	fatal(t, leader.FreeDisk())
	fatal(t, c.AwaitSynchronous(t.Context()))
}

func fillDiskAndSwitchOver(t *testing.T, c *machines.Cluster) {
	leader := c.Leader()
	keepFull(t, leader, afterwards)
	fatal(t, c.SwitchOver(t.Context()))
	fatal(t, c.AwaitLeader(t.Context(), leader))
	keepFull(t, leader, afterwards)
	fatal(t, leader.FreeDisk())
	fatal(t, c.AwaitSynchronous(t.Context()))
}

// fillLog writes to the log until PostgreSQL needs another file for it.
func fillLog(t *testing.T, c *machines.Cluster) {
	leader := c.Leader()
	fatal(t, leader.FillDisk())
	conn, err := pgx.Connect(t.Context(), c.SuperuserURL(leader))
	fatal(t, err)
	_, err = conn.Exec(t.Context(), `SELECT pg_logical_emit_message(false, '', repeat('.', 1000000))
		FROM generate_series(1, 2000)`)
	if !conn.IsClosed() {
		t.Fatalf("PostgreSQL goes on with a full disk: %v", err)
	}
	fatal(t, c.AwaitLeader(t.Context(), leader))
	keepFull(t, leader, afterwards)
	fatal(t, leader.FreeDisk())
	fatal(t, c.Reinitialize(t.Context(), leader))
	fatal(t, c.AwaitSynchronous(t.Context()))
}
