// Prints the WCAG 2.2 contrast of every pair of color tokens that pages put on each other,
// in both themes. Exits with 1 if one is below its target.
import fs from 'node:fs';

const source = fs.readFileSync(new URL('css/tokens.css', import.meta.url), 'utf8');

function theme(name) {
  const blocks = [...source.matchAll(new RegExp(`@utility (?:tokens|sea)-${name} \\{([^}]*)\\}`, 'g'))];
  const block = blocks.map((b) => b[1]).join('');
  return Object.fromEntries([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map((m) => [m[1], m[2]]));
}

function luminance(hex) {
  const [r, g, b] = [1, 3, 5]
    .map((i) => parseInt(hex.slice(i, i + 2), 16) / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

const text = 4.5; // 1.4.3
const shape = 3; // 1.4.11

const pairs = [
  ...['surface', 'canvas', 'subtle'].flatMap((ground) => ['ink', 'ink-2', 'ink-3'].map((ink) => [ink, ground, text])),
  ...['surface', 'canvas'].flatMap((ground) => [
    ['accent', ground, text],
    ['bad', ground, text],
    ['ok', ground, text],
    ['line-strong', ground, shape],
    ['focus', ground, shape],
  ]),
  ['chart', 'surface', shape],
  ['chart-warn', 'surface', shape],
  ['on-accent', 'accent', text],
  ['on-accent', 'accent-hover', text],
  ['on-bad', 'bad', text],
  ['on-bad', 'bad-hover', text],
  ['surface', 'ok', shape], // the tick of a paid checkout
  ['canvas', 'ink', text], // initials
  ['accent-ink', 'accent-soft', text],
  ['ok-ink', 'ok-soft', text],
  ['warn-ink', 'warn-soft', text],
  ['warn-ink', 'surface', text],
  ['bad-ink', 'bad-soft', text],
  ['info-ink', 'info-soft', text],
  ...['bar', 'bar-2'].flatMap((ground) => ['on-bar', 'on-bar-2'].map((ink) => [ink, ground, text])),
  ['bar-mark', 'bar', text],
  ...['sea', 'sea-2'].flatMap((ground) => ['on-sea', 'on-sea-2'].map((ink) => [ink, ground, text])),
];

const light = theme('light');
const dark = theme('dark');
let faint = 0;
for (const [ink, ground, target] of pairs) {
  const ratios = [light, dark].map((t) => contrast(t[ink], t[ground]));
  const fails = ratios.some((r) => !(r >= target));
  if (fails) faint++;
  const [l, d] = ratios.map((r) => r.toFixed(2).padStart(5));
  console.log(`${`${ink} on ${ground}`.padEnd(26)} target ${target}  light ${l}  dark ${d}${fails ? '  FAIL' : ''}`);
}
const missing = Object.keys(light).filter((name) => !(name in dark));
if (missing.length) console.log(`not in the dark theme: ${missing.join(', ')}`);
process.exit(faint || missing.length ? 1 : 0);
