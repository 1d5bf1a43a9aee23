package dashboard

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// RequestsProps is GET /app/requisicoes?q=&class=&method=&key=&before=: calls of the
// API, newest first. Fields of its form: q, class, method, key.
type RequestsProps struct {
	Shell    layouts.Shell
	Filter   RequestFilter
	Keys     []RequestKey // to choose from
	Requests []RequestRow
	Pager    components.PagerProps
}

// RequestFilter is the filter of the list, as in the address.
type RequestFilter struct {
	Text   string // a request's id, that of what it was about, or how the path begins
	Class  string // "" or one of RequestClasses
	Method string // "" or one of RequestMethods
	Key    string // "" or a key's id
}

// What the list is narrowed by.
var (
	RequestClasses = []string{"2xx", "4xx", "5xx"}
	RequestMethods = []string{"GET", "POST"}
)

// RequestKey is a key to choose.
type RequestKey struct{ ID, Name, Last4 string }

// RequestRow is one call.
type RequestRow struct {
	Href      string
	RequestID string
	At        time.Time
	Method    string
	Path      string
	Status    int
	Duration  time.Duration
	KeyID     string
	KeyName   string // "" if the key is not there any more
	KeyLast4  string
	ErrorCode string // "" if it succeeded
}

// RequestProps is GET /app/requisicoes/{id}.
type RequestProps struct {
	Shell layouts.Shell
	RequestRow
	Request, Answer string // the bodies, masked; "" if there is none to show
	Object          string // what the call was about, an Object constant; "" for none
	ObjectHref      string // its page
}

// What a call may be about.
const (
	ObjectCheckout   = "checkout"
	ObjectLink       = "link"
	ObjectWithdrawal = "withdrawal"
)

// Query returns the filter as the query of a URL, "" for an empty filter.
func (f RequestFilter) Query() string {
	values := url.Values{}
	for name, value := range map[string]string{"q": f.Text, "class": f.Class, "method": f.Method, "key": f.Key} {
		if value != "" {
			values.Set(name, value)
		}
	}
	return values.Encode()
}

func (p RequestsProps) filtered() bool { return p.Filter != RequestFilter{} }

func (p RequestsProps) classes(ctx context.Context) []components.SelectOption {
	options := []components.SelectOption{{Label: i18n.T(ctx, "requests.any")}}
	for _, class := range RequestClasses {
		options = append(options, components.SelectOption{Value: class, Label: i18n.T(ctx, "requests.class_"+class)})
	}
	return options
}

func (p RequestsProps) methods(ctx context.Context) []components.SelectOption {
	options := []components.SelectOption{{Label: i18n.T(ctx, "requests.any")}}
	for _, method := range RequestMethods {
		options = append(options, components.SelectOption{Value: method, Label: method})
	}
	return options
}

func (p RequestsProps) keys(ctx context.Context) []components.SelectOption {
	options := []components.SelectOption{{Label: i18n.T(ctx, "requests.any_key")}}
	for _, key := range p.Keys {
		options = append(options, components.SelectOption{Value: key.ID, Label: key.Name + " …" + key.Last4})
	}
	return options
}

// badge shows the status with the color of its class.
func (r RequestRow) badge() components.BadgeProps {
	badge := components.BadgeProps{Tone: components.ToneOK, Icon: "check", Text: strconv.Itoa(r.Status)}
	switch {
	case r.Status >= 500:
		badge.Tone, badge.Icon = components.ToneBad, "circle-x"
	case r.Status >= 400:
		badge.Tone, badge.Icon = components.ToneWarn, "triangle-alert"
	}
	return badge
}

// key names the key, also one that is not there any more.
func (r RequestRow) key() string {
	if r.KeyName == "" {
		return r.KeyID
	}
	return r.KeyName + " …" + r.KeyLast4
}
