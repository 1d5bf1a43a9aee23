// Creates a checkout, reads it, and provokes an error, with the client of hey-api. It prints what
// the test compares.
import { client } from './.generated/heyapi/client.gen.ts';
import { createCheckout, listCheckouts, readCheckout } from './.generated/heyapi/sdk.gen.ts';

const [baseUrl, key] = process.argv.slice(2);
client.setConfig({ baseUrl, auth: key });

const made = await createCheckout({
  headers: { 'Idempotency-Key': 'hey-api' },
  body: { amount: 4990, description: 'Vaso Lua Nova', externalId: 'hey-api' },
});
if (!made.data) throw new Error(JSON.stringify(made.error));
const read = await readCheckout({ path: { checkoutId: made.data.id } });
const listed = await listCheckouts({ query: { externalId: 'hey-api' } });
const wrong = await createCheckout({ body: { amount: 0, description: 'Vaso Lua Nova', externalId: 'hey-api' } });
console.log(JSON.stringify({
  id: read.data?.id, amount: read.data?.amount, paidAt: read.data?.paidAt, listed: listed.data?.data.length,
  type: wrong.error?.error.type, code: wrong.error?.error.code, message: wrong.error?.error.message,
  requestId: wrong.error?.error.requestId,
}));
