package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// deployed returns the files below a folder of deploy, by their path.
func deployed(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(filepath.Join("../../deploy", folder), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files[strings.TrimPrefix(filepath.ToSlash(path), "../../deploy/")] = string(text)
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("files of %s: %d, %v", folder, len(files), err)
	}
	return files
}

var settingAssigned = regexp.MustCompile(`\b((?:GAROUPA_[A-Z_]+|DATABASE_URL))(?:=|: )`)

// Whatever deploy sets is a setting of the program; each way to run it has the database, the key and both roles.
func TestDeploy_Settings(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"GAROUPA_PASSWORD": true} // compose.yaml's own
	for field := range reflect.TypeFor[settings]().Fields() {
		if name := field.Tag.Get("env"); name != "" {
			known[name] = true
		}
	}
	for _, folder := range []string{"cluster", "systemd", "compose", "kubernetes"} {
		for path, text := range deployed(t, folder) {
			for _, set := range settingAssigned.FindAllStringSubmatch(text, -1) {
				if !known[set[1]] {
					t.Errorf("%s sets %s, which is no setting", path, set[1])
				}
			}
		}
	}
	for _, folder := range []string{"compose", "kubernetes"} {
		all := ""
		for _, text := range deployed(t, folder) {
			all += text
		}
		for _, want := range []string{"DATABASE_URL", "GAROUPA_SECRET_KEY", "GAROUPA_BASE_URL", "[serve, -web]",
			"[serve, -jobs]"} {
			if !strings.Contains(all, want) {
				t.Errorf("%s lacks %s", folder, want)
			}
		}
	}
}

// Units of systemd run commands that exist, as a user of their own, and give a stop its time.
func TestDeploy_Systemd(t *testing.T) {
	t.Parallel()
	want := map[string]string{"systemd/garoupa-web@.service": "serve -web",
		"systemd/garoupa-jobs@.service": "serve -jobs", "systemd/garoupa-migrate.service": "migrate"}
	files := deployed(t, "systemd")
	if len(files) != len(want) {
		t.Errorf("%d units, want %d", len(files), len(want))
	}
	for path, command := range want {
		text := files[path]
		if !strings.Contains(text, "\nExecStart=/usr/local/bin/garoupa "+command+"\n") ||
			!strings.Contains(text, "\nUser=garoupa\n") || !strings.Contains(text, "\nNoNewPrivileges=yes\n") {
			t.Errorf("%s is %s", path, text)
		}
		if strings.Contains(path, "@") && (!strings.Contains(text, "GAROUPA_LISTEN=127.0.0.1:%i") ||
			!strings.Contains(text, "\nTimeoutStopSec=25\n")) {
			t.Errorf("%s does not listen at its port, or is killed while it stops", path)
		}
	}
}

// The manifests probe paths that exist at the image's port, run both roles twice under a budget, use exact images, and
// allow a stop its time.
func TestDeploy_Kubernetes(t *testing.T) {
	t.Parallel()
	files := deployed(t, "kubernetes")
	kinds := map[string]int{}
	for _, text := range files {
		for document := range strings.SplitSeq(text, "\n---\n") {
			kind := regexp.MustCompile(`(?m)^kind: (\w+)$`).FindStringSubmatch(document)
			if kind == nil || strings.Contains(document, "\t") {
				t.Fatalf("a document without a kind, or with a tab: %s", document)
			}
			kinds[kind[1]]++
			if kind[1] != "Deployment" {
				continue
			}
			for _, want := range []string{"replicas: 2\n", "containerPort: 8080", "terminationGracePeriodSeconds: 30\n",
				"rollingUpdate: {maxSurge: 1, maxUnavailable: 0}\n", "readOnlyRootFilesystem: true\n",
				"readinessProbe:\n            httpGet: {path: /readyz, port: http}\n",
				"livenessProbe:\n            httpGet: {path: /livez, port: http}\n"} {
				if !strings.Contains(document, want) {
					t.Errorf("a Deployment lacks %q", want)
				}
			}
		}
		for _, image := range regexp.MustCompile(`(?m)^ +image(?:Name)?: (\S+)$`).FindAllStringSubmatch(text, -1) {
			if !regexp.MustCompile(`:\d+\.\d+(\.\d+)?$`).MatchString(image[1]) {
				t.Errorf("the image %s may change", image[1])
			}
		}
	}
	if kinds["Deployment"] != 2 || kinds["PodDisruptionBudget"] != 2 || kinds["Cluster"] != 1 || kinds["Service"] != 1 {
		t.Errorf("the kinds are %v", kinds)
	}
	image, err := os.ReadFile("../../Dockerfile")
	if err != nil || !strings.Contains(string(image), "GAROUPA_LISTEN=0.0.0.0:8080") {
		t.Errorf("the image does not listen at 8080: %v", err)
	}
}

// The cluster of compose.yaml has no secret of its own, limits each service, and gives every name in the files of
// deploy/cluster a value.
func TestDeploy_Compose(t *testing.T) {
	t.Parallel()
	text := deployed(t, "compose")["compose/compose.yaml"]
	for _, secret := range regexp.MustCompile(`\$\{(\w+)([^}]*)\}`).FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(secret[2], ":?") {
			t.Errorf("%s has the default %q", secret[1], secret[2])
		}
	}
	if machines := strings.Count(text, "<<: *machine") + strings.Count(text, "<<: *garoupa"); machines != 12 ||
		strings.Count(text, "mem_limit: ") != 2 {
		t.Errorf("%d services", machines)
	}
	var lacking []string
	cluster := deployed(t, "cluster")
	for _, file := range []string{"etcd.yml", "patroni.yml", "create-database.sh", "haproxy.cfg"} {
		names := regexp.MustCompile(`\{\{\.(\w+)\}\}`).FindAllStringSubmatch(cluster["cluster/"+file], -1)
		for _, name := range names {
			if !strings.Contains(text, "  "+name[1]+": ") {
				lacking = append(lacking, name[1])
			}
		}
	}
	if len(lacking) > 0 {
		t.Errorf("compose.yaml lacks %s", slices.Compact(lacking))
	}
}
