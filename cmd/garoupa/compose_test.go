package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// compose.yaml has no secret of its own, uses exact images, serves as a role that owns nothing,
// and gives each service a limit of memory.
func TestCompose(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	secrets := regexp.MustCompile(`\$\{(\w*(?:PASSWORD|SECRET)\w*)([^}]*)\}`).FindAllStringSubmatch(string(text), -1)
	if len(secrets) < 5 {
		t.Fatalf("found the secrets %q", secrets)
	}
	for _, secret := range secrets {
		if !strings.HasPrefix(secret[2], ":?") {
			t.Errorf("%s has the default %q", secret[1], secret[2])
		}
	}
	exact := regexp.MustCompile(`^(garoupa|[a-z]+:\d+\.\d+(\.\d+)?)$`)
	for _, image := range regexp.MustCompile(`(?m)^ +image: (\S+)$`).FindAllStringSubmatch(string(text), -1) {
		if !exact.MatchString(image[1]) {
			t.Errorf("the image %s may change", image[1])
		}
	}
	file, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	if from := regexp.MustCompile(`(?m)^FROM (\S+) AS`).FindSubmatch(file); from == nil || !exact.Match(from[1]) {
		t.Errorf("the Dockerfile is built from %s", from)
	}
	_, body, _ := strings.Cut(string(text), "\nservices:\n")
	body, _, _ = strings.Cut(body, "\nnetworks:\n")
	services := regexp.MustCompile(`(?m)^  (\w+):$`).FindAllStringSubmatchIndex(body, -1)
	roles := map[string]string{}
	for i, at := range services {
		name, service := body[at[2]:at[3]], body[at[1]:]
		if i+1 < len(services) {
			service = body[at[1]:services[i+1][0]]
		}
		if !strings.Contains(service, "mem_limit: ") {
			t.Errorf("%s has no limit of memory", name)
		}
		if role := regexp.MustCompile(`DATABASE_URL: postgres://(\w+):`).FindStringSubmatch(service); role != nil {
			roles[name] = role[1]
		}
	}
	if len(services) != 4 || roles["migrate"] != "garoupa" || roles["garoupa"] != "garoupa_serve" {
		t.Errorf("%d services connect as %v", len(services), roles)
	}
}
