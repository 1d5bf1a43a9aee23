// Reads codes, a JSON array of texts, from standard input and writes what pix-utils
// makes of each, a JSON array in the same order.
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';

const require = createRequire(import.meta.url);
const { parsePix, hasError } = require('pix-utils');
// parsePix leaves the amount of a dynamic code out; its own reader of fields has it.
const { parseEmv } = require('pix-utils/dist/main/emvHandler.js');

const codes = JSON.parse(await text(process.stdin));
console.log(JSON.stringify(codes.map((code) => {
  const pix = parsePix(code);
  if (hasError(pix)) return { error: pix.message };
  const fields = parseEmv({ emvCode: code });
  return {
    type: pix.type,
    key: pix.pixKey,
    info: pix.infoAdicional,
    location: pix.url,
    recurrence: pix.urlRec,
    amount: fields.getTag('54'),
    name: pix.merchantName,
    city: pix.merchantCity,
    txid: fields.getSubTag('05', '62'),
  };
})));
