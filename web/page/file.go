package page

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/guard"
	"garoupa/internal/requestid"
	"garoupa/views/i18n"
)

// FileBatch is how many lines of a file are read and written at a time.
const FileBatch = 500

// batchWithin bounds reading one batch of a file. The whole file may take as long as its
// reader needs.
const batchWithin = 30 * time.Second

// steadyWriter cancels the work on a file if nothing was written for batchWithin. Time that a
// slow browser needs to read does not count.
type steadyWriter struct {
	to    io.Writer
	stall *time.Timer
}

// Write implements io.Writer.
func (s steadyWriter) Write(p []byte) (int, error) {
	s.stall.Stop()
	defer s.stall.Reset(batchWithin)
	return s.to.Write(p)
}

// SendFile answers with a CSV file that write writes while it is sent. The answer begins at
// once and needs the same memory for any number of lines. If write fails, the connection
// breaks, so browsers report an incomplete file.
func SendFile(c *fiber.Ctx, name string, write func(ctx context.Context, to io.Writer) error) error {
	return sendFile(c, "text/csv; charset=utf-8", name, write)
}

// SendSheet is SendFile for a workbook, which begins once all of it is made.
func SendSheet(c *fiber.Ctx, name string, write func(ctx context.Context, to io.Writer) error) error {
	return sendFile(c, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", name, write)
}

// SendOFX is SendFile for what accounting programs read.
func SendOFX(c *fiber.Ctx, name string, write func(ctx context.Context, to io.Writer) error) error {
	return sendFile(c, "application/x-ofx", name, write)
}

// SendJSONFile is SendFile for JSON.
func SendJSONFile(c *fiber.Ctx, name string, write func(ctx context.Context, to io.Writer) error) error {
	return sendFile(c, fiber.MIMEApplicationJSON, name, write)
}

func sendFile(c *fiber.Ctx, kind, name string, write func(ctx context.Context, to io.Writer) error) error {
	if !SendsFile(c.Path()) { // it would be compressed, and a file that broke off would look whole
		return fmt.Errorf("page: %s is not named as a path that sends a file", c.Path())
	}
	c.Set(fiber.HeaderContentType, kind)
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="`+name+`"`)
	c.Set("X-Accel-Buffering", "no")
	// The file outlives the handler, so its context must not refer to c.
	ctx := requestid.With(i18n.With(context.Background(), i18n.Of(c.UserContext())), requestid.Of(c.UserContext()))
	reader, writer := io.Pipe() // the other end is closed when the browser disconnects
	guard.Go("send a file", func() {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stall := time.AfterFunc(batchWithin, cancel)
		defer stall.Stop()
		err := guard.Call("send a file", func() error { return write(ctx, steadyWriter{writer, stall}) })
		if err != nil && err != io.ErrClosedPipe {
			slog.ErrorContext(ctx, "file failed", "err", err)
		}
		writer.CloseWithError(err)
	})
	c.Context().SetBodyStream(reader, -1)
	return nil
}
