// Reads PNG images, a JSON array of base64, from standard input and writes the text of
// the QR code in each, or null, a JSON array in the same order.
import { text } from 'node:stream/consumers';
import jsQR from 'jsqr';
import { PNG } from 'pngjs';

const images = JSON.parse(await text(process.stdin));
console.log(JSON.stringify(images.map((image) => {
  const { data, width, height } = PNG.sync.read(Buffer.from(image, 'base64'));
  const code = jsQR(new Uint8ClampedArray(data), width, height);
  return code && Buffer.from(code.binaryData).toString('utf8');
})));
