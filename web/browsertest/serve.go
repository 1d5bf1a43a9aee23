package browsertest

import (
	"net"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
)

const shutdownTimeout = time.Minute

// Serve serves app on a free port of the loopback interface until the test ends, and returns
// its address, such as http://127.0.0.1:40123, without a slash at the end. Browsers treat it
// as a secure context, as they do HTTPS. The test fails if a handler still runs after the
// pages have closed: the source of event streams must be stopped by a cleanup that is
// registered after Serve and therefore runs before Serve's own.
func Serve(t testing.TB, app *fiber.App) (baseURL string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("browsertest: serve: %v", err)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- app.Listener(listener) }()
	t.Cleanup(func() {
		if err := app.ShutdownWithTimeout(shutdownTimeout); err != nil {
			t.Errorf("browsertest: shut the server down: %v: a handler still runs, perhaps a stream of events", err)
		}
		if err := <-stopped; err != nil {
			t.Errorf("browsertest: serve: %v", err)
		}
	})
	return "http://" + listener.Addr().String()
}
