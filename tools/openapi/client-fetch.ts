// Creates a checkout, reads it, and provokes an error, with the types of openapi-typescript. It
// prints what the test compares.
import createClient from 'openapi-fetch';
import type { paths } from './.generated/fetch.ts';

const [baseUrl, key] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

const made = await client.POST('/v1/checkouts', {
  params: { header: { 'Idempotency-Key': 'openapi-typescript' } },
  body: { amount: 4990, description: 'Vaso Lua Nova', externalId: 'openapi-typescript' },
});
if (!made.data) throw new Error(JSON.stringify(made.error));
const read = await client.GET('/v1/checkouts/{checkoutId}', { params: { path: { checkoutId: made.data.id } } });
const listed = await client.GET('/v1/checkouts', { params: { query: { externalId: 'openapi-typescript' } } });
const wrong = await client.POST('/v1/checkouts', {
  body: { amount: 0, description: 'Vaso Lua Nova', externalId: 'openapi-typescript' },
});
console.log(JSON.stringify({
  id: read.data?.id, amount: read.data?.amount, paidAt: read.data?.paidAt, listed: listed.data?.data.length,
  type: wrong.error?.error.type, code: wrong.error?.error.code, message: wrong.error?.error.message,
  requestId: wrong.error?.error.requestId,
}));
