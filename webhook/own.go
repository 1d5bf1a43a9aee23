package webhook

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"sync"
	"time"
)

const (
	ownRefresh = time.Minute
	// ownTimeout bounds the look-up of one host.
	ownTimeout = 5 * time.Second
	// ownKept is how long an address counts after its name stopped leading to it: a name server
	// may answer with some of a balancer's addresses at a time, and connections outlive answers.
	ownKept = time.Hour
)

// OwnHosts are the hosts under which the installation is reached, and their addresses, which
// the interfaces of a machine behind a balancer do not show.
type OwnHosts struct {
	resolver *net.Resolver
	mu       sync.Mutex
	seen     map[string]map[netip.Addr]time.Time // when each host last led to an address
}

// NewOwnHosts returns the hosts of URLs, without their addresses: see Refresh.
func NewOwnHosts(urls ...string) (*OwnHosts, error) {
	o := &OwnHosts{resolver: net.DefaultResolver, seen: map[string]map[netip.Addr]time.Time{}}
	for _, raw := range urls {
		u, err := url.Parse(raw)
		if err != nil {
			return nil, fmt.Errorf("webhook: own host: %w", err)
		}
		o.seen[u.Hostname()] = map[netip.Addr]time.Time{}
	}
	return o, nil
}

// Refresh looks all hosts up. A host whose look-up fails keeps its addresses.
func (o *OwnHosts) Refresh(ctx context.Context, now time.Time) error {
	var failed []error
	for host := range o.seen {
		if err := o.refresh(ctx, host, now); err != nil {
			failed = append(failed, fmt.Errorf("webhook: own host: %w", err))
		}
	}
	return errors.Join(failed...)
}

func (o *OwnHosts) refresh(ctx context.Context, host string, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, ownTimeout)
	defer cancel()
	found, err := o.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, addr := range found {
		o.seen[host][addr] = now
	}
	for addr, at := range o.seen[host] {
		if now.Sub(at) > ownKept {
			delete(o.seen[host], addr)
		}
	}
	return nil
}

// Keep refreshes the addresses every minute until ctx ends. It calls report with what fails.
func (o *OwnHosts) Keep(ctx context.Context, report func(error)) {
	tick := time.NewTicker(ownRefresh)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if err := o.Refresh(ctx, now); err != nil && ctx.Err() == nil {
				report(err)
			}
		}
	}
}

// Addrs returns the addresses, for [Options].
func (o *OwnHosts) Addrs() []netip.Addr {
	o.mu.Lock()
	defer o.mu.Unlock()
	var all []netip.Addr
	for _, addrs := range o.seen {
		for addr := range addrs {
			all = append(all, addr)
		}
	}
	return all
}
