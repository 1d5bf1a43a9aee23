import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const handled = new Set(); // in your shop: a unique column in your database

// verify compares over the bytes as they came, in constant time.
function verify(secret, body, signature) {
  const expected = createHmac('sha256', secret).update(body).digest();
  const received = Buffer.from(signature ?? '', 'hex');
  return received.length === expected.length && timingSafeEqual(received, expected);
}

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (!verify(process.env.WEBHOOK_SECRET, body, request.headers['x-svc-signature'])) {
    return response.writeHead(401).end();
  }
  const event = JSON.parse(body);
  if (!handled.has(event.id)) {
    handled.add(event.id);
    console.log(event.type, event.data.checkout.id, event.data.checkout.externalId);
  }
  response.writeHead(204).end();
}).listen(process.env.PORT ?? 4242, '127.0.0.1');
