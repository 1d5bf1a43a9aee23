// Reads an OFX file from standard input and writes what ofx-js reads in it, as JSON.
import { text } from 'node:stream/consumers';
import { parse } from 'ofx-js';

console.log(JSON.stringify(await parse(await text(process.stdin))));
