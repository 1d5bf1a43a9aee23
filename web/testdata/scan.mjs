// Reads a PNG from standard input the way a payer's phone would: one library finds
// the QR code in the picture, another reads the BR Code. Prints what they saw.
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';

const require = createRequire(import.meta.url);
const { PNG } = require('pngjs');
const { parsePix, hasError } = require('pix-utils');
// parsePix leaves the amount of a dynamic code out; its own reader of fields has it.
const { parseEmv } = require('pix-utils/dist/main/emvHandler.js');
const jsQR = require('jsqr');

const png = PNG.sync.read(await buffer(process.stdin));
const found = jsQR(new Uint8ClampedArray(png.data), png.width, png.height);
if (!found) throw new Error('no QR code in the picture');
const pix = parsePix(found.data);
if (hasError(pix)) throw new Error(`not a BR Code: ${pix.message}`);
const amount = parseEmv({ emvCode: found.data }).getTag('54');
console.log(JSON.stringify({ text: found.data, url: pix.url, name: pix.merchantName, amount }));
