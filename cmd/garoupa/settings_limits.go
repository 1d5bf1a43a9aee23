package main

import (
	"fmt"
	"maps"

	"garoupa/api"
	"garoupa/internal/ratelimit"
	"garoupa/web"
)

// limiters are the limiters of the RateLimit settings; nil means no limit.
type limiters struct {
	live, test, withdrawals, resends, failedAuth *ratelimit.Limiter
	pages, logIn, failedLogIn, newPlaces         *ratelimit.Limiter
	people, signUps, mails                       *ratelimit.Limiter
}

// byName returns the limiters that are on, by the names that instances share.
func (l limiters) byName() map[string]*ratelimit.Limiter {
	all := map[string]*ratelimit.Limiter{
		"live": l.live, "test": l.test, "withdrawals": l.withdrawals, "failed_auth": l.failedAuth, "pages": l.pages,
		"log_in": l.logIn, "resends": l.resends, "failed_log_in": l.failedLogIn, "new_places": l.newPlaces,
		"people": l.people, "sign_ups": l.signUps, "mails": l.mails,
	}
	maps.DeleteFunc(all, func(_ string, limiter *ratelimit.Limiter) bool { return limiter == nil })
	return all
}

// api returns the limiters of the API.
func (l limiters) api() api.Limits {
	return api.Limits{Live: l.live, Test: l.test, Withdrawals: l.withdrawals, FailedAuth: l.failedAuth, Public: l.pages}
}

// web returns the limiters of the pages.
func (l limiters) web() web.Limits {
	return web.Limits{
		Pages: l.pages, LogIn: l.logIn, FailedLogIn: l.failedLogIn, NewPlaces: l.newPlaces, People: l.people,
		SignUps: l.signUps, Mails: l.mails, Withdrawals: l.withdrawals, Resends: l.resends,
	}
}

func (s *settings) checkRateLimit() error {
	if s.RateLimit != "on" && s.RateLimit != "off" {
		return fmt.Errorf("%q is neither on nor off", s.RateLimit)
	}
	return nil
}

// readLimit sets a limiter, unless all limits are off.
func (s *settings) readLimit(l **ratelimit.Limiter, text string) error {
	rate, err := ratelimit.Parse(text)
	if err == nil && s.RateLimit != "off" {
		*l = ratelimit.New(rate)
	}
	return err
}
