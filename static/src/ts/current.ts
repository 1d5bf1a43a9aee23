// Keeps <main data-pulse> current, and [data-current] elsewhere on the page: the server's stream tells that there
// is something new, and the page is read again. What did not change stays. Nothing moves under the pointer: a list
// with [data-key] that is pointed at gets its new rows when the pointer leaves it.

import { kept, say } from './page';

const pause = 2000; // between two readings
const phone = matchMedia('(pointer: coarse)');
const title = document.title;
let main: HTMLElement | null;
let pulse: EventSource | undefined;
let looks = 0; // the timer of a hidden page
let reading = false;
let wished = 0; // the timer of the next reading
let last = 0; // when the page was read
let unseen = 0; // payments while the page was hidden

export function keepCurrent() {
  main = document.querySelector<HTMLElement>('main[data-pulse]');
  if (!main || !('EventSource' in window)) return;
  listen();
  pending();
  document.addEventListener('visibilitychange', () => {
    listen();
    if (document.hidden) return;
    unseen = 0;
    document.title = title;
  });
  addEventListener('pagehide', () => pulse?.close());
  addEventListener('pageshow', (event) => event.persisted && listen());
  sounds();
}

// listen opens the stream of a page in sight. A browser has few connections to a server, so a hidden page has
// none: on a desk it looks by itself, since its title tells of payments.
function listen() {
  pulse?.close();
  clearInterval(looks);
  if (document.hidden) {
    if (!phone.matches) looks = window.setInterval(read, 10_000);
    return;
  }
  pulse = new EventSource(main!.dataset.pulse!);
  pulse.addEventListener('pulse', (event) => {
    if (event.data !== main!.dataset.mark) wish(pause - (Date.now() - last));
  });
}

function wish(after: number) {
  clearTimeout(wished);
  wished = window.setTimeout(read, Math.max(0, after));
}

// pending reads the page again while it shows a delivery that is due.
let again = 0;
function pending() {
  if (main!.querySelector('[data-pending]') && again++ < 30) wish(pause);
}

// busy reports whether a change of the page would disturb: a person is typing, or decides.
const busy = () =>
  !!main!.querySelector('dialog[open], form[data-busy]') ||
  !!document.activeElement?.closest('main :is(input, select, textarea)');

async function read() {
  if (reading || busy()) return wish(pause);
  reading = true;
  last = Date.now();
  try {
    const answer = await fetch(location.href, { cache: 'no-store' });
    const page = answer.ok && !answer.redirected ? await answer.text() : '';
    const read = new DOMParser().parseFromString(page, 'text/html');
    const next = read.querySelector<HTMLElement>('main[data-pulse]');
    if (next && !busy()) {
      const before = paid(main!);
      const flash = main!.querySelector('[data-flash]');
      if (flash) next.prepend(flash.cloneNode(true)); // the page that the person opened has it alone
      merge(main!, next);
      const others = read.querySelectorAll('[data-current]');
      document.querySelectorAll('[data-current]').forEach((part, i) => others[i] && merge(part, others[i]));
      sound.show();
      tell([...paid(main!).values()].filter((row) => !before.has(row.dataset.key!)));
    }
  } catch {
    // Offline: the stream connects again, and tells what is new.
  }
  reading = false;
  pending();
}

// paid returns the rows of paid charges by their keys. A list is there twice, for phones and for desks.
const paid = (part: Element) =>
  new Map([...part.querySelectorAll<HTMLElement>('[data-paid]')].map((row) => [row.dataset.key!, row]));

function tell(rows: HTMLElement[]) {
  if (!rows.length) return;
  ring();
  say(rows[0].dataset.paid);
  if (!document.hidden) return;
  unseen += rows.length;
  document.title = '(' + unseen + ') ' + title;
}

const keyed = (parent: Element) => [...parent.children].some((child) => child.hasAttribute('data-key'));

// merge makes old look like next, and keeps its elements where it can.
function merge(old: Element, next: Element) {
  if (old.isEqualNode(next)) return;
  for (const own of [...old.attributes]) {
    if (!next.hasAttribute(own.name) && own.name !== 'open') old.removeAttribute(own.name);
  }
  for (const own of next.attributes) {
    if (old.getAttribute(own.name) !== own.value) old.setAttribute(own.name, own.value);
  }
  if (keyed(old) && keyed(next)) return mergeRows(old, next);
  let from = 0;
  const olds = [...old.childNodes];
  arrange(old, [...next.childNodes].map((node) => {
    const at = olds.findIndex((own, i) => i >= from && alike(own, node));
    if (at < 0) return node;
    from = at + 1;
    if (node instanceof Element) merge(olds[at] as Element, node);
    else if (olds[at].nodeValue !== node.nodeValue) olds[at].nodeValue = node.nodeValue;
    return olds[at];
  }));
}

// alike reports whether two nodes are the same part of the page.
function alike(one: Node, other: Node) {
  const same = (name: string) => (one as Element).getAttribute(name) === (other as Element).getAttribute(name);
  return one.nodeName === other.nodeName &&
    (!(one instanceof Element) || ['id', 'aria-labelledby', 'class'].every(same));
}

// arrange makes nodes the children of the parent, and does not touch those that are in their place.
function arrange(parent: Element, nodes: Node[]) {
  for (const child of [...parent.childNodes]) if (!nodes.includes(child)) child.remove();
  nodes.forEach((node, i) => {
    if (parent.childNodes[i] !== node) parent.insertBefore(node, parent.childNodes[i] ?? null);
  });
}

function mergeRows(list: Element, next: Element) {
  const keyOf = (row: Element) => (row as HTMLElement).dataset.key;
  const rows = new Map([...list.children].map((row) => [keyOf(row), row]));
  const moved = [...next.children].map(keyOf).join() !== [...rows.keys()].join();
  const held = moved && (list.matches(':hover') || list.contains(document.activeElement));
  if (held) {
    list.addEventListener('pointerleave', () => wish(0), { once: true });
    list.addEventListener('focusout', () => wish(0), { once: true });
  }
  const shown = [...next.children].map((row) => {
    const own = rows.get(keyOf(row));
    if (own) merge(own, row);
    else row.classList.add('arrives');
    return own ?? row;
  });
  if (moved && !held) arrange(list, shown);
}

// The button [data-sound] turns the sound of payments on and off. A browser lets a page sound after a click.
const sound = kept('garoupa-sound', 'off', '[data-sound]');
let audio: AudioContext | undefined;

function sounds() {
  document.addEventListener('click', (event) => {
    if (sound.on()) audio ??= new AudioContext();
    if ((event.target as Element).closest('[data-sound]')) ring();
  });
}

// ring plays two short notes.
function ring() {
  if (!sound.on()) return;
  audio ??= new AudioContext();
  [880, 1318.5].forEach((pitch, i) => {
    const note = audio!.createOscillator();
    const volume = audio!.createGain();
    const start = audio!.currentTime + i * 0.12;
    note.frequency.value = pitch;
    volume.gain.setValueAtTime(0.15, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + 0.35);
    note.connect(volume).connect(audio!.destination);
    note.start(start);
    note.stop(start + 0.35);
  });
}
