// Reads a JSON array of {secret, headers, body} from standard input and writes what the
// standardwebhooks package says of each, a JSON array in the same order: "" or its refusal.
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

const cases = JSON.parse(await text(process.stdin));
console.log(JSON.stringify(cases.map(({ secret, headers, body }) => {
  try {
    new Webhook(secret).verify(body, headers);
    return '';
  } catch (error) {
    return error.message;
  }
})));
