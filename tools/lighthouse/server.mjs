// Starts a server with a PostgreSQL of its own and a demo merchant, and lists the pages to
// measure.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

// serve starts program and returns the pages, each with a name, an address and, if it needs
// a log-in, a cookie.
export async function serve(program) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'garoupa-lighthouse-'));
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const env = {
    PATH: process.env.PATH, HOME: process.env.HOME, GAROUPA_DATA_DIR: path.join(folder, 'data'),
    GAROUPA_LISTEN: `127.0.0.1:${port}`, GAROUPA_RATE_LIMIT: 'off', GAROUPA_LOG_LEVEL: 'error',
  };
  // From the root, where the program finds the PostgreSQL that npm installed.
  const child = spawn(program, ['serve', '-demo-history=false'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const merchant = http.createServer((request, response) => response.end());
  const stop = async () => {
    merchant.close();
    child.kill('SIGTERM');
    await ended;
    fs.rmSync(folder, { recursive: true, force: true });
  };
  try {
    await ready(base, child);
    await new Promise((resolve) => merchant.listen(0, '127.0.0.1', resolve));
    const hook = `http://127.0.0.1:${merchant.address().port}/webhooks`;
    const made = execFileSync(program, ['demo', '-json', '-history', '-webhook-url', hook], { env, encoding: 'utf8' });
    const demo = JSON.parse(made);
    return { stop, pages: await pages(base, demo) };
  } catch (error) {
    await stop();
    throw error;
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = net.createServer().on('error', reject).listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

async function ready(base, child) {
  for (let tries = 0; tries < 600 && child.exitCode === null; tries++) {
    const answer = await fetch(`${base}/entrar`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((next) => setTimeout(next, 100));
  }
  throw new Error('the server does not start');
}

async function pages(base, demo) {
  const sell = (externalId) => create(base, demo.keys.test, '/v1/checkouts', {
    amount: 124990, description: 'Vaso Lua Nova, esmalte azul', externalId, expiresIn: 86400,
  });
  const checkout = await sell('pedido-1');
  for (const order of ['pedido-2', 'pedido-3', 'pedido-4']) { // for the overview to show
    await create(base, demo.keys.test, `/v1/test/checkouts/${(await sell(order)).id}/pay`, undefined);
  }
  const link = await create(base, demo.keys.test, '/v1/payment-links', { productId: demo.productId });
  const cookie = await logIn(base, demo.owner);
  const endpoints = await (await fetch(`${base}/app/webhooks`, { headers: { Cookie: cookie } })).text();
  const endpoint = endpoints.match(/\/app\/webhooks\/[a-z]+_[0-9a-f]+/)[0];
  return [
    { name: '`/pay/<id>`', url: checkout.checkoutUrl },
    { name: '`/l/<id>`', url: `${base}/l/${link.paymentLinkId}` },
    { name: '`/entrar`', url: `${base}/entrar` },
    { name: '`/app`', url: `${base}/app`, cookie },
    { name: '`/app/cobrancas`, 50 rows', url: `${base}/app/cobrancas`, cookie: `${cookie}; rows=low` },
    { name: '`/app/webhooks/<id>`', url: base + endpoint, cookie },
  ];
}

async function create(base, key, where, body) {
  const answer = await fetch(base + where, {
    method: 'POST', body: JSON.stringify(body), headers: {
      Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID(),
    },
  });
  if (!answer.ok) throw new Error(`${where}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function logIn(base, owner) {
  const answer = await fetch(`${base}/entrar`, {
    method: 'POST', redirect: 'manual', headers: { Origin: base }, body: new URLSearchParams(owner),
  });
  if (answer.status !== 303) throw new Error(`/entrar: ${answer.status}`);
  return answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0]).join('; ');
}
