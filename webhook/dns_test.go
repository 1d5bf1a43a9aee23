package webhook_test

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// resolver returns a resolver that uses its own DNS server. The server calls answer with a
// name without its final dot, once per question for A and once per question for AAAA. If
// answer returns no addresses, the name does not exist.
func resolver(t *testing.T, answer func(name string, questions dnsmessage.Type) []netip.Addr) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	go func() {
		packet := make([]byte, 1232)
		for {
			n, from, err := server.ReadFrom(packet)
			if err != nil {
				return
			}
			if reply := dnsReply(packet[:n], answer); reply != nil {
				_, _ = server.WriteTo(reply, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

func dnsReply(query []byte, answer func(string, dnsmessage.Type) []netip.Addr) []byte {
	var message dnsmessage.Message
	if message.Unpack(query) != nil || len(message.Questions) != 1 {
		return nil
	}
	question := message.Questions[0]
	addrs := answer(strings.TrimSuffix(question.Name.String(), "."), question.Type)
	message.Response, message.Authoritative, message.Additionals = true, true, nil
	if len(addrs) == 0 {
		message.RCode = dnsmessage.RCodeNameError
	}
	for _, addr := range addrs {
		var body dnsmessage.ResourceBody
		switch {
		case addr.Is4() && question.Type == dnsmessage.TypeA:
			body = &dnsmessage.AResource{A: addr.As4()}
		case addr.Is6() && question.Type == dnsmessage.TypeAAAA:
			body = &dnsmessage.AAAAResource{AAAA: addr.As16()}
		default:
			continue
		}
		header := dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class}
		message.Answers = append(message.Answers, dnsmessage.Resource{Header: header, Body: body})
	}
	reply, err := message.Pack()
	if err != nil {
		return nil
	}
	return reply
}

// always returns a function for resolver that answers every question about name with addrs.
func always(name string, addrs ...netip.Addr) func(string, dnsmessage.Type) []netip.Addr {
	return func(asked string, _ dnsmessage.Type) []netip.Addr {
		if asked == name {
			return addrs
		}
		return nil
	}
}
