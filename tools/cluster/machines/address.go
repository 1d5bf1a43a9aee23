package machines

import (
	"fmt"
	"math/rand/v2"
	"net"
)

// The range of ports, which is below those that the kernel gives to clients.
const firstPort, ports = 12_000, 8_000

// free returns an address of a host on which no process listens, a different one each time.
func (c *Cluster) free(host string) (string, error) {
	for range ports {
		port := firstPort + rand.IntN(ports)
		address := net.JoinHostPort(host, fmt.Sprint(port))
		if c.taken[address] {
			continue
		}
		listener, err := net.Listen("tcp", address)
		if err != nil {
			continue
		}
		c.taken[address] = true
		return address, listener.Close()
	}
	return "", fmt.Errorf("no port of %s is free", host)
}

func hostOf(address string) string { host, _ := split(address); return host }

func portOf(address string) string { _, port := split(address); return port }

func split(address string) (host, port string) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		panic(err) // free made it
	}
	return host, port
}
