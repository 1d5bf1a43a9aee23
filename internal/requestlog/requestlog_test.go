package requestlog

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"garoupa/models"
	"garoupa/models/modelstest"
)

// When the log is closed all calls are stored, masked, and without bodies that are not
// JSON.
func TestLog(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	l := Start(db.Pool)
	for i := range 2*together + 1 {
		call := Call{APIRequest: models.APIRequest{ProjectID: "prj", RequestID: "req", At: time.Now(), Method: "POST",
			Path: "/v1/\x00\xff", Status: 201, KeyID: "key"},
			Request: []byte(`{"phone":"1"}`), Answer: []byte(`{"id":"chk_"}`)}
		if i == 0 {
			call.Request = []byte(`{"phone":"secret`)
		}
		l.Add(call)
	}
	l.Close()
	var n, kept int
	db.Pool.QueryRow(t.Context(),
		"SELECT count(*), count(*) FILTER (WHERE request = '{\"phone\":\"•••\"}' AND path = '/v1/') FROM "+
			"api_requests").Scan(&n, &kept)
	if n != 2*together+1 || kept != n-1 {
		t.Errorf("%d written, %d of them masked", n, kept)
	}
}

// stuck is a database that does not answer until it is released.
type stuck struct {
	models.Querier
	entered, free chan struct{}
}

func (s stuck) Exec(context.Context, string, ...any) (pgconn.CommandTag, error) {
	s.entered <- struct{}{}
	<-s.free
	return pgconn.CommandTag{}, errors.New("gone")
}

// While the database hangs, calls continue, and dropped calls are counted.
func TestLog_Overload(t *testing.T) {
	t.Parallel()
	db := stuck{entered: make(chan struct{}, 100), free: make(chan struct{})}
	l := Start(db)
	l.Add(Call{})
	<-db.entered
	for range waiting + 10 {
		l.Add(Call{APIRequest: models.APIRequest{Path: strings.Repeat("x", 10)}})
	}
	if got := l.dropped.Load(); got != 10 {
		t.Errorf("%d dropped", got)
	}
	close(db.free)
	l.Close()
	var none *Log
	none.Add(Call{})
	none.Close()
}
