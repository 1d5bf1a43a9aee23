package machines

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
)

// Leader returns the machine whose PostgreSQL leads, by its own Patroni; nil if none says so.
func (c *Cluster) Leader() *Machine {
	for _, m := range c.Machines {
		if m.patroni != nil && answers("http://"+m.rest+"/primary") {
			return m
		}
	}
	return nil
}

// AwaitSynchronous returns when a machine leads and each of the others follows, one of them synchronously.
func (c *Cluster) AwaitSynchronous(ctx context.Context) error {
	return await(ctx, "a leader with a synchronous standby and another one", func() bool {
		leaders, synchronous, standbys := 0, 0, 0
		for _, m := range c.Machines {
			switch {
			case answers("http://" + m.rest + "/primary"):
				leaders++
			case answers("http://" + m.rest + "/synchronous"):
				synchronous++
			case answers("http://" + m.rest + "/replica"):
				standbys++
			}
		}
		return leaders == 1 && synchronous == 1 && standbys == 1
	})
}

// AwaitLeader returns when a machine other than the given one leads.
func (c *Cluster) AwaitLeader(ctx context.Context, other *Machine) error {
	return await(ctx, "another machine leads", func() bool {
		leader := c.Leader()
		return leader != nil && leader != other
	})
}

// SwitchOver makes the synchronous standby lead.
func (c *Cluster) SwitchOver(ctx context.Context) error {
	leader := c.Leader()
	if leader == nil {
		return errors.New("machines: no machine leads")
	}
	return c.patronictl(ctx, leader, "switchover", "garoupa", "--master", leader.Name, "--force")
}

// Reinitialize gives the machine a copy of the leader's database in place of its own.
func (c *Cluster) Reinitialize(ctx context.Context, m *Machine) error {
	return c.patronictl(ctx, m, "reinit", "garoupa", m.Name, "--force")
}

// patronictl runs a command on a machine.
func (c *Cluster) patronictl(ctx context.Context, m *Machine, args ...string) error {
	command := exec.CommandContext(ctx, "patronictl", append([]string{"-c", m.patroniFile()}, args...)...)
	command.Dir, command.Env = m.folder, []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=" + m.folder}
	command.SysProcAttr = c.owner.attributes()
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("machines: patronictl %s: %w: %s", args[0], err, out)
	}
	return nil
}

// Log returns the end of the log of the machine's Patroni.
func (m *Machine) Log() string { return m.patroni.log() }

// KillDatabase ends the machine's Patroni and PostgreSQL with SIGKILL.
func (m *Machine) KillDatabase() error {
	m.patroni.Kill()
	return m.postgres(syscall.SIGKILL)
}

// StartDatabase starts the machine's Patroni, which starts PostgreSQL.
func (m *Machine) StartDatabase() error { return m.patroni.start() }

// Freeze stops the machine's Patroni and PostgreSQL, which keep their connections. thaw lets them go on.
func (m *Machine) Freeze() (thaw func() error, err error) {
	set := func(s syscall.Signal) error { return errors.Join(m.patroni.signal(s, true), m.postgres(s)) }
	return func() error { return set(syscall.SIGCONT) }, set(syscall.SIGSTOP)
}

// kill ends all of the machine.
func (m *Machine) kill() {
	if m.patroni != nil {
		m.patroni.Kill()
		_ = m.postgres(syscall.SIGKILL) // it fails if none runs
	}
	if m.member != nil {
		m.member.Kill()
	}
}

// Freeze stops the process, which keeps its connections. Thaw lets it go on.
func (p *Process) Freeze() error { return p.signal(syscall.SIGSTOP, true) }

// Thaw lets a frozen process go on.
func (p *Process) Thaw() error { return p.signal(syscall.SIGCONT, true) }
