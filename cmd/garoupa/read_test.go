package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"testing"

	"garoupa/internal/faulttest"
	"garoupa/internal/server/servertest"
)

// Two processes list from a standby. A charge that one created is the first of the other's list at once, each
// time, and still when the standby is gone.
func TestServe_ReadDatabase(t *testing.T) {
	t.Parallel()
	pair := faulttest.NewPair(t)
	pair.Part(t)
	network := faulttest.NewProxy(t, pair.Standby)
	monitors := servertest.Address(t)
	p := newProgramOver(t, "DATABASE_URL="+pair.Primary, "GAROUPA_DATABASE_READ_URL="+network.URL(),
		"GAROUPA_SECRET_KEY="+fmt.Sprintf("%064d", 1), "GAROUPA_METRICS_LISTEN="+monitors)
	p.run("migrate")
	made := p.demo()
	first := p.serve()
	other := *p
	other.url = "http://" + servertest.Address(t)
	other.env = append(p.env[:len(p.env):len(p.env)], "GAROUPA_LISTEN="+other.url[len("http://"):],
		"GAROUPA_METRICS_LISTEN=")
	second := other.serve()

	createAndList := func(from, to int) {
		t.Helper()
		for n := from; n < to; n++ {
			status, id := other.create(made.Keys.Test, "order-"+strconv.Itoa(n))
			if status != http.StatusCreated {
				t.Fatalf("create %d: %d", n, status)
			}
			if newest := p.newest(made.Keys.Test); newest != id {
				t.Fatalf("the newest charge of the list is %s, after %s was created", newest, id)
			}
		}
	}
	createAndList(0, 200)
	p.until("lists come from the standby", func() bool {
		p.newest(made.Keys.Test)
		return readsOf(t, monitors, "standby") > 0
	})
	network.Silence()
	before := readsOf(t, monitors, "primary")
	createAndList(200, 220)
	if n := readsOf(t, monitors, "primary") - before; n != 20 {
		t.Errorf("%d of the last 20 lists came from the primary", n)
	}
	p.stop(first, os.Interrupt)
	other.stop(second, os.Interrupt)
}

// newest returns the id of the first charge of the list.
func (p *program) newest(key string) string {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.url+"/v1/checkouts?limit=20",
		http.NoBody)
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	answer, err := p.client.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer answer.Body.Close()
	var list struct{ Data []struct{ ID string } }
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil || len(list.Data) == 0 {
		p.t.Fatalf("list: %d, %v", answer.StatusCode, err)
	}
	return list.Data[0].ID
}

// readsOf returns how many queries a database answered, by the metrics of the process that listens there.
func readsOf(t *testing.T, monitors, database string) (sum int) {
	t.Helper()
	answer, err := http.Get("http://" + monitors + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^garoupa_db_reads_total\{database="` + database + `",reason="\w*"\} (\d+)$`)
	for _, found := range line.FindAllSubmatch(text, -1) {
		n, _ := strconv.Atoi(string(found[1]))
		sum += n
	}
	return sum
}
