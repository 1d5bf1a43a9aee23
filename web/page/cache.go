package page

import "sync"

// cacheSize bounds how many values a cache keeps.
const cacheSize = 2000

// cache keeps values that are a function of their key. When it is full it drops any of them.
// The zero value is ready to use. It is safe for concurrent use.
type cache[V any] struct {
	mu     sync.Mutex
	values map[string]V
}

// load returns the value of key. If the cache does not have it, load calls make and keeps the
// result.
func (c *cache[V]) load(key string, make func(string) (V, error)) (V, error) {
	c.mu.Lock()
	v, ok := c.values[key]
	c.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := make(key)
	if err != nil {
		return v, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values == nil {
		c.values = map[string]V{}
	}
	if len(c.values) >= cacheSize {
		for k := range c.values {
			delete(c.values, k)
			break
		}
	}
	c.values[key] = v
	return v, nil
}
