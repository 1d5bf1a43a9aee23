// Draws the shapes of an icon as one path, so that a page has one element in place of up to eight, and fewer bytes.

const number = String.raw`-?(?:\d+\.?\d*|\.\d+)`;
const moved = new RegExp(`^([Mm])\\s*(${number})[\\s,]*(${number})[\\s,]*(.*)$`, 's');
const round = (n) => String(Number(n.toFixed(3)));

// toPath returns the data of a path (SVG 2, chapter 9) for each shape, by its attributes.
const toPath = {
  path({ d }) {
    const [, , x, y, rest] = d.match(moved);
    // A path begins at the origin, so its first "m" may be "M". Numbers that follow are lines, relative after "m".
    const line = /^[-.\d]/.test(rest) ? (d.startsWith('m') ? 'l' : 'L') : '';
    return `M${x} ${y}${line}${rest}`;
  },
  line({ x1, y1, x2, y2 }) { return `M${x1} ${y1}L${x2} ${y2}`; },
  polyline({ points }) { return `M${points}`; },
  circle({ cx, cy, r }) {
    return `M${round(cx - r)} ${cy}a${r} ${r} 0 1 0 ${round(2 * r)} 0a${r} ${r} 0 1 0 ${round(-2 * r)} 0z`;
  },
  rect({ x = 0, y = 0, width, height, rx = 0 }) {
    const corner = (dx, dy) => `a${rx} ${rx} 0 0 1 ${round(dx * rx)} ${round(dy * rx)}`;
    const [across, down] = [width - 2 * rx, height - 2 * rx].map(round);
    return `M${round(Number(x) + Number(rx))} ${y}h${across}${corner(1, 1)}v${down}${corner(-1, 1)}` +
      `h${round(-across)}${corner(-1, -1)}v${round(-down)}${corner(1, -1)}z`;
  },
};
const attributes = {
  path: ['d'], line: ['x1', 'x2', 'y1', 'y2'], polyline: ['points'], circle: ['cx', 'cy', 'r'],
  rect: ['x', 'y', 'width', 'height', 'rx', 'ry'],
};

// outline returns a path that looks like shapes, which are elements of SVG without children, and after it those that
// have a color of their own.
export function outline(shapes) {
  let data = '';
  const others = shapes.replace(/<(\w+) ([^>]*?)\/>/g, (whole, name, rest) => {
    const given = Object.fromEntries([...rest.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]));
    if ('fill' in given) return whole;
    const odd = Object.keys(given).filter((key) => !attributes[name]?.includes(key));
    if (!attributes[name] || odd.length > 0 || (given.ry ?? given.rx) !== given.rx) throw new Error(`outline ${whole}`);
    data += toPath[name](given);
    return '';
  });
  return `<path d="${data}"/>${others}`;
}
