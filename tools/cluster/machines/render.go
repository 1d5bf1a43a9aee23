package machines

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"text/template"
)

// render writes a file of deploy/cluster, with its names filled in, for the owner of the cluster. A name in the file
// that values lack is an error.
func (c *Cluster) render(name, to string, mode os.FileMode, values map[string]string) error {
	text, err := os.ReadFile(filepath.Join(c.Templates, name))
	if err != nil {
		return err
	}
	filled, err := template.New(name).Option("missingkey=error").Parse(string(text))
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := filled.Execute(&out, values); err != nil {
		return fmt.Errorf("fill in %s: %w", name, err)
	}
	if err := os.WriteFile(to, out.Bytes(), mode); err != nil {
		return err
	}
	return c.owner.give(to)
}

// names returns what the files call the parts of a machine, and those of all machines.
func (c *Cluster) names(m *Machine) map[string]string {
	values := map[string]string{
		"Scope": "garoupa", "Network": "127.0.0.0/8", "PostgresBin": c.PostgresBin,
		"Password": c.secrets.garoupa, "SuperuserPassword": c.secrets.superuser,
		"ReplicatorPassword": c.secrets.replicator, "SecretKey": c.secrets.key,
		"Database": c.Database, "Web": c.Web, "Pooler": c.poolerAt, "Folder": c.Folder,
		"DatabaseHost": hostOf(c.Database), "DatabasePort": portOf(c.Database),
		"PoolerHost": hostOf(c.poolerAt), "PoolerPort": portOf(c.poolerAt),
	}
	for i, other := range c.Machines {
		n := fmt.Sprint(i + 1)
		values["EtcdPeer"+n], values["Etcd"+n] = other.etcdPeer, other.etcd
		values["Postgres"+n], values["RestPort"+n] = other.Postgres, portOf(other.rest)
	}
	web := 0
	for _, p := range c.Processes {
		if p.Role == "web" {
			web++
			values[fmt.Sprintf("Web%d", web)] = p.Address
		}
	}
	if m != nil {
		values["Name"], values["Folder"] = m.Name, m.disk
		values["EtcdPeer"], values["Etcd"] = m.etcdPeer, m.etcd
		values["Postgres"], values["Rest"] = m.Postgres, m.rest
		values["EtcdHosts"] = c.etcdOf(m)
	}
	return values
}
