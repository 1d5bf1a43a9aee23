//go:build cluster

package faults

import (
	"slices"
	"testing"
	"time"

	"garoupa/internal/faulttest"
	"garoupa/tools/cluster/machines"
)

// network is what lies between a machine's Patroni and the members of etcd, and between a process of the program and
// HAProxy's address of the database. It lets everything pass until it is broken.
type network struct {
	etcd     map[int][]*wire    // by machine
	database []*faulttest.Proxy // by process
}

// between makes the cluster use the network. A pooler takes its place before the database.
func (n *network) between(t *testing.T, o *machines.Options) {
	o.EtcdThrough = func(machine int, address string) string {
		w := newWire(t, address)
		n.etcd[machine] = append(n.etcd[machine], w)
		return w.listener.Addr().String()
	}
	if o.Pooled {
		return
	}
	o.DatabaseThrough = func(process int, url string) string {
		n.database = append(n.database, faulttest.NewProxy(t, url))
		return n.database[process].URL()
	}
}

// partition cuts off the leader's Patroni from etcd until another machine leads.
func (n *network) partition(t *testing.T, c *machines.Cluster) {
	leader := c.Leader()
	at := slices.Index(c.Machines, leader)
	for _, w := range n.etcd[at] {
		w.cut(true)
	}
	fatal(t, c.AwaitLeader(t.Context(), leader))
	time.Sleep(afterwards)
	for _, w := range n.etcd[at] {
		w.cut(false)
	}
	fatal(t, c.AwaitSynchronous(t.Context()))
}

// silenceOne silences the network between the first process, which answers clients, and the database.
func (n *network) silenceOne(t *testing.T, c *machines.Cluster) { silence(t, c, n.database[:1]) }

// silenceAll silences the database for all processes. Patroni and the standbys hear it all the while, so that it leads
// on.
func (n *network) silenceAll(t *testing.T, c *machines.Cluster) { silence(t, c, n.database) }

// silence lets no byte pass for 20 s, and closes no connection.
func silence(t *testing.T, c *machines.Cluster, through []*faulttest.Proxy) {
	for _, p := range through {
		p.Silence()
	}
	time.Sleep(20 * time.Second)
	for _, p := range through {
		p.Restore()
	}
	for _, p := range c.Processes {
		fatal(t, p.AwaitReady(t.Context()))
	}
}
