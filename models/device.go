package models

import (
	"context"
	"time"
)

// Device is a browser in which a person has logged in. Two people may share a browser; each has a row.
type Device struct {
	ID         string
	UserID     string
	Place      []byte // as in log_in_places
	Name       string // of the browser and its system at the last log-in; "" if unknown
	IP         string // of the last log-in
	LastSeenAt time.Time
}

// NoteDevice records a log-in with d, and sets d.ID. It reports whether it is the person's first
// with this browser, and whether the person has logged in with another one.
func NoteDevice(tx *Tx, d *Device) (first, others bool, err error) {
	err = tx.Scan(`INSERT INTO devices (id, user_id, place, name, ip, first_seen_at, last_seen_at)
		VALUES ($1, $2, $3, $4, $5, $6, $6)
		ON CONFLICT ON CONSTRAINT devices_once DO UPDATE SET name = EXCLUDED.name, ip = EXCLUDED.ip,
			last_seen_at = EXCLUDED.last_seen_at
		RETURNING id, xmax = 0, EXISTS (SELECT FROM devices o WHERE o.user_id = $2 AND o.place <> $3)`,
		[]any{deviceShape.random(), d.UserID, d.Place, d.Name, d.IP, d.LastSeenAt}, &d.ID, &first, &others)
	return first, others, err
}

// UserDevice returns one of a person's devices, or ErrNotFound.
func UserDevice(ctx context.Context, q Querier, userID, id string) (*Device, error) {
	return one[Device](ctx, q, `SELECT id, user_id, place, name, ip, last_seen_at FROM devices
		WHERE user_id = $1 AND id = $2`, userID, id)
}

// EndDevice forgets one of a person's devices and returns it, or ErrNotFound.
func EndDevice(tx *Tx, userID, id string) (*Device, error) {
	return within(tx, func(ctx context.Context, q Querier) (*Device, error) {
		return one[Device](ctx, q, `DELETE FROM devices WHERE user_id = $1 AND id = $2
			RETURNING id, user_id, place, name, ip, last_seen_at`, userID, id)
	})
}

// DeleteDeviceSessions ends the sessions of one of a person's devices, and returns their number.
func DeleteDeviceSessions(tx *Tx, userID, id string) (ended int64, err error) {
	return tx.Exec("DELETE FROM sessions WHERE user_id = $1 AND device_id = $2", userID, id)
}

// DeleteDevices forgets devices without a log-in since a time, up to a limit, and reports whether
// more may be left.
func DeleteDevices(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	return deleteSome(ctx, q, "devices", "id",
		"SELECT id FROM devices WHERE last_seen_at < $1 ORDER BY last_seen_at LIMIT $2", before)
}
