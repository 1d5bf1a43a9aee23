package payload

import (
	"strconv"
	"time"

	"garoupa/models"
)

// AppendEventDeliveries appends an event, as it was sent, with its deliveries (docs/rules.md, "Events by API").
func AppendEventDeliveries(dst []byte, e *models.Event, deliveries []models.Delivery) []byte {
	dst = append(append(dst, `{"event":`...), e.Body...)
	dst = append(dst, `,"deliveries":[`...)
	for i := range deliveries {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendDelivery(dst, &deliveries[i])
	}
	return append(dst, ']', '}')
}

func appendDelivery(dst []byte, d *models.Delivery) []byte {
	dst = append(dst, '{')
	dst = stringMember(dst, "id", d.ID)
	dst = stringMember(dst, "endpointId", d.Endpoint.ID)
	dst = stringMember(dst, "status", string(d.Status))
	dst = strconv.AppendInt(member(dst, "attempts"), int64(d.Attempts), 10)
	dst = nullableTimeMember(dst, "nextAttemptAt", d.NextAttemptAt)
	dst = nullableTimeMember(dst, "finishedAt", d.FinishedAt)
	dst = member(dst, "lastStatusCode")
	if d.Last.StatusCode == 0 {
		dst = append(dst, "null"...)
	} else {
		dst = strconv.AppendInt(dst, int64(d.Last.StatusCode), 10)
	}
	var failure *string
	if d.Last.ErrorClass != "" {
		failure = &d.Last.ErrorClass
	}
	dst = nullableMember(dst, "lastError", failure)
	return append(dst, '}')
}

// AppendReplayed appends the result of a replay: how many deliveries were queued, and the time of the oldest
// event that was left out, nil for none.
func AppendReplayed(dst []byte, queued int, next *time.Time) []byte {
	dst = strconv.AppendInt(member(append(dst, '{'), "queued"), int64(queued), 10)
	dst = nullableTimeMember(dst, "nextFrom", next)
	return append(dst, '}')
}
