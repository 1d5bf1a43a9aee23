import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = process.env.WEBHOOK_SECRET;
if (!secret) {
  console.error('Set WEBHOOK_SECRET to the signing secret of the endpoint.');
  process.exit(1);
}
const maxBody = 256 << 10; // more than any event has

// In your shop: tables in your database, changed in one transaction.
const handled = new Set(); // event ids
const statuses = new Map(); // by checkout id

// A final status is never left, except that money sent in time turns EXPIRED or
// CANCELLED into PAID: a status gives way only to one of a higher rank.
const ranks = { PENDING: 1, EXPIRED: 2, CANCELLED: 2, PAID: 3 };

// verify compares over the bytes as they came, in constant time.
function verify(body, signature) {
  const expected = createHmac('sha256', secret).update(body).digest();
  const received = Buffer.from(signature ?? '', 'hex');
  return received.length === expected.length && timingSafeEqual(received, expected);
}

// handle handles an event once. Events come in any order.
function handle(event) {
  if (handled.has(event.id)) return;
  handled.add(event.id);
  const checkout = event.data.checkout;
  if (!checkout) return; // about a withdrawal
  if (ranks[checkout.status] > (ranks[statuses.get(checkout.id)] ?? 0)) {
    statuses.set(checkout.id, checkout.status);
  }
  console.log(event.type, checkout.id, checkout.externalId, statuses.get(checkout.id));
}

async function receive(request, response) {
  const chunks = [];
  let size = 0;
  // Throws when the request breaks off. The connection is kept to answer 413.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > maxBody) return response.writeHead(413, { connection: 'close' }).end();
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  const { 'x-svc-signature': signature, 'x-svc-signature-previous': previous } = request.headers;
  // For a day after a rotation, the previous secret signs too.
  if (!verify(body, signature) && !verify(body, previous)) return response.writeHead(401).end();
  handle(JSON.parse(body));
  response.writeHead(204).end();
}

createServer((request, response) => {
  receive(request, response).catch((error) => { // without this, one broken request ends the program
    console.error(error.message);
    response.destroy();
  });
}).listen(process.env.PORT ?? 4242, '127.0.0.1');
