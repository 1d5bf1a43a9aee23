package machines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// command returns a program that runs as the owner of the cluster.
func (c *Cluster) command(name, folder string, args ...string) *program {
	return &program{name: name, folder: folder, owner: c.owner, args: args}
}

func (c *Cluster) startEtcd(ctx context.Context) error {
	for _, m := range c.Machines {
		file := filepath.Join(m.folder, "etcd.yml")
		if err := c.render("etcd.yml", file, 0o600, c.names(m)); err != nil {
			return err
		}
		m.member = c.command("etcd", m.folder, "etcd", "--config-file", file)
		if err := m.member.start(); err != nil {
			return err
		}
	}
	for _, m := range c.Machines {
		err := await(ctx, "etcd is healthy", m.agrees)
		if err != nil {
			return fmt.Errorf("%w: %s", err, m.member.log())
		}
	}
	return nil
}

// agrees reports whether the machine's etcd is healthy, and knows that all members have its version. Before that it
// says 3.0.0, and Patroni would speak to it as to an old one.
func (m *Machine) agrees() bool {
	text, status := ask("http://" + m.etcd + "/version")
	var version struct{ EtcdServer, EtcdCluster string }
	if status != http.StatusOK || json.Unmarshal(text, &version) != nil {
		return false
	}
	of := func(v string) string { return v[:strings.LastIndex(v, ".")+1] }
	return of(version.EtcdServer) == of(version.EtcdCluster) && answers("http://"+m.etcd+"/health")
}

func (c *Cluster) startPatroni(ctx context.Context) error {
	for _, m := range c.Machines {
		values := c.names(m)
		script := filepath.Join(m.disk, "create-database.sh")
		if err := c.render("create-database.sh", script, 0o700, values); err != nil {
			return err
		}
		file := m.patroniFile()
		if err := c.render("patroni.yml", file, 0o600, values); err != nil {
			return err
		}
		m.patroni = c.command("patroni", m.folder, "patroni", file)
		if err := m.patroni.start(); err != nil {
			return err
		}
	}
	if err := await(ctx, "a leader", func() bool { return c.Leader() != nil }); err != nil {
		return fmt.Errorf("%w: %s", err, c.Machines[0].patroni.log())
	}
	return c.AwaitSynchronous(ctx)
}

func (m *Machine) patroniFile() string { return filepath.Join(m.folder, "patroni.yml") }

func (c *Cluster) startBalancer(ctx context.Context) error {
	file := filepath.Join(c.Folder, "haproxy.cfg")
	if err := c.render("haproxy.cfg", file, 0o600, c.names(nil)); err != nil {
		return err
	}
	c.balancer = c.command("haproxy", c.Folder, "haproxy", "-db", "-f", file)
	return c.balancer.start()
}

// startPooler starts pgbouncer, if it is wanted.
func (c *Cluster) startPooler(context.Context) error {
	if !c.Pooled {
		return nil
	}
	file, users := filepath.Join(c.Folder, "pgbouncer.ini"), filepath.Join(c.Folder, "pgbouncer-users.txt")
	if err := errors.Join(c.render("pgbouncer.ini", file, 0o600, c.names(nil)),
		c.render("pgbouncer-users.txt", users, 0o600, c.names(nil))); err != nil {
		return err
	}
	c.pooler = c.command("pgbouncer", c.Folder, "pgbouncer", file)
	return c.pooler.start()
}

// settings returns the settings of every process.
func (c *Cluster) settings() (env []string, err error) {
	files := []string{"garoupa.env"}
	if c.Pooled {
		files = append(files, "garoupa-pooled.env")
	}
	for _, name := range files {
		file := filepath.Join(c.Folder, name)
		if err := c.render(name, file, 0o600, c.names(nil)); err != nil {
			return nil, err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				env = append(env, line)
			}
		}
	}
	return append(env, c.Env...), nil
}

// startProcesses migrates first, so that no process waits for another.
func (c *Cluster) startProcesses(ctx context.Context) error {
	env, err := c.settings()
	if err != nil {
		return err
	}
	migrate := c.command("migrate", c.Folder, c.Program, "migrate")
	migrate.env = env
	migrated := func() bool {
		if err := migrate.start(); err != nil {
			return false
		}
		<-migrate.ended
		return migrate.cmd.ProcessState.Success()
	}
	if err := await(ctx, "the schema is migrated", migrated); err != nil { // HAProxy finds the leader first
		return fmt.Errorf("%w: %s", err, migrate.log())
	}
	for i, p := range c.Processes {
		p.program = c.command(fmt.Sprintf("%s-%d", p.Role, i+1), c.Folder, c.Program, "serve", "-"+p.Role)
		p.env = append(env[:len(env):len(env)], "GAROUPA_LISTEN="+p.Address)
		if c.DatabaseThrough != nil {
			p.env = append(p.env, "DATABASE_URL="+c.DatabaseThrough(i, c.DatabaseURL()))
		}
		if err := p.Start(); err != nil {
			return err
		}
	}
	for _, p := range c.Processes {
		if err := p.AwaitReady(ctx); err != nil {
			return err
		}
	}
	return await(ctx, "HAProxy leads to a ready process", func() bool { return answers("http://" + c.Web + "/readyz") })
}

// Start starts the process, again if it has ended.
func (p *Process) Start() error { return p.start() }

// AwaitReady returns when the process is ready.
func (p *Process) AwaitReady(ctx context.Context) error {
	err := await(ctx, p.name+" is ready", func() bool { return answers("http://" + p.Address + "/readyz") })
	if err != nil {
		return fmt.Errorf("%w: %s", err, p.log())
	}
	return nil
}

// answers reports whether the address answers 200.
func answers(url string) bool {
	_, status := ask(url)
	return status == http.StatusOK
}

// ask returns what an address answers and its status, which is 0 if it does not answer.
func ask(url string) (text []byte, status int) {
	client := http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Get(url)
	if err != nil {
		return nil, 0
	}
	defer answer.Body.Close()
	if text, err = io.ReadAll(answer.Body); err != nil {
		return nil, 0
	}
	return text, answer.StatusCode
}
