package payload

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// WithoutBuyer returns the body of an event of a checkout without the buyer's data and, unless keepMetadata is set,
// without the metadata, in the form that AppendEvent gives a checkout without them.
func WithoutBuyer(body []byte, keepMetadata bool) ([]byte, error) {
	var event struct {
		Data struct {
			Checkout struct {
				Customer json.RawMessage `json:"customer"`
				Metadata json.RawMessage `json:"metadata"`
			} `json:"checkout"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &event); err != nil {
		return nil, fmt.Errorf("payload: the body of an event: %w", err)
	}
	c := event.Data.Checkout
	body, err := replaced(body, "customer", c.Customer, `{"name":null,"email":null,"document":null}`)
	if err == nil && !keepMetadata {
		body, err = replaced(body, "metadata", c.Metadata, "{}")
	}
	return body, err
}

// replaced replaces the value of a member, an object, where it occurs first. Texts cannot imitate the member, because
// their quotes are escaped, and members of metadata are no objects.
func replaced(body []byte, name string, value json.RawMessage, by string) ([]byte, error) {
	was := append([]byte(`"`+name+`":`), value...)
	if len(value) == 0 || value[0] != '{' || !bytes.Contains(body, was) {
		return nil, fmt.Errorf("payload: the body of an event has no object %s", name)
	}
	return bytes.Replace(body, was, []byte(`"`+name+`":`+by), 1), nil
}
