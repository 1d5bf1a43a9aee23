package main

// document is docs/benchmarks.md up to the machine.
const document = `# Benchmarks

How fast one Garoupa creates, reads and lists checkouts, held against pgbench running the same SQL on the same
PostgreSQL. ` + "`make bench`" + ` measures and writes this file; it takes about twenty minutes.

pgbench has no HTTP, no JSON, no authentication and no checks to do: it is what this PostgreSQL can do on this machine
with one transaction per request. The **ratio** says how much of that is left to a client of the API. Rates depend on the
machine and on what else it does; ratios much less so, as the two sides take turns.

## Method

* One run starts a PostgreSQL and a server (` + "`bin/garoupa serve`" + `) of its own, on disk, with every commit flushed. Rate limits are
  off. The simulator issues live codes too, so neither key waits for an institution. No webhook endpoint is
  registered: a creation writes the checkout, its idempotency key and its event.
* pgbench runs what the product runs. The product is first served with ` + "`log_statement=all`" + `; the statements and the values of their
  parameters, sizes included, are taken from PostgreSQL's log. Only what no two requests share (ids, keys, times) is made
  afresh by an expression in the parameter's place. pgbench prepares its statements, as the product does, but sends values as
  text. The look-up of the API key, which the product does once a second, is not repeated.
* The product writes checkouts that are created at the same time in one commit, by a statement that takes arrays. pgbench
  creates one in each transaction, by the same statement over plain values, which is what is fastest for one.
* At each of %d numbers of connections: %d rounds of pgbench for %d s and the product for as long, after a warm-up of
  %d s each. Rates, p50, p99 and CPU times are medians of the rounds; the ratio is the median of the ratios within each round.
* Data: %d checkouts, half of them live and half test, of one merchant. Reads take random ids. Lists ask for 20, in turn the
  first page and the one after a random cursor. Creations carry every member and an ` + "`Idempotency-Key`" + ` of their own, and come
  last; PostgreSQL makes a checkpoint before each half of their rounds.
* A connection sends its next request when it has the answer to the last one. The generator keeps connections open and has
  its requests ready as bytes. The latencies of pgbench are from its log of all transactions.
* CPU times are those of the processes: the server's, all of PostgreSQL's, and the generator's.
* Answers under a test key embed the code's image (about 1 kB); under a live key they link to it.

For comparison: a bare server on Fiber and pgx, without authentication or checks, reached 0.68 to 0.73 on creation, 0.30
to 0.34 on reads and 0.29 on lists on such a machine, against its own statements.
`

// profilesIntroduction comes before the profiles.
const profilesIntroduction = `
## Where the server's time goes

CPU profiles of the server at %d connections, over %d s, by what a function and those it calls take. They are of a program
built from the same sources with one file more, which opens the door to pprof; the product has none. After a run they lie
in ` + "`tmp/profiles`" + `, for ` + "`go tool pprof`" + `.
`
