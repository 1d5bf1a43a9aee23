// The hosted Pix page: copy, countdown and live status. The page works without this script,
// by reloading. The script never decides what is shown: when the status may have changed,
// it reads the page's own address again and replaces #state.

import { clock, say, submitOnce } from './page';

const find = <T extends Element = HTMLElement>(selector: string, root: ParentNode = document) =>
  root.querySelector<T>(selector);
const state = () => find('#state')!;
const pending = () => /^(PENDING|SLOW|STOPPED)$/.test(state().dataset.status!); // a payment may still come

let stream: EventSource | undefined;
let pollTimer = 0;
let tickTimer = 0;
let failures = 0;
let latePolls = 0;

// toClipboard reports whether text is on the clipboard. Without permission, or outside
// https, where there is no clipboard, it copies what select selects. If that fails too, the
// text stays selected for a long press.
async function toClipboard(text: string, select: () => void) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    select();
    return document.execCommand('copy');
  }
}

// done shows for a moment that the button worked.
let doneTimer = 0;
function done(button: HTMLElement) {
  button.dataset.done = '';
  clearTimeout(doneTimer);
  doneTimer = window.setTimeout(() => delete button.dataset.done, 4000);
}

async function copy(button: HTMLElement) {
  const field = find<HTMLInputElement>('#' + button.dataset.copy)!;
  const data = state().dataset;
  const copied = await toClipboard(field.value, () => {
    field.focus({ preventScroll: true });
    field.setSelectionRange(0, field.value.length);
  });
  if (copied) {
    done(button);
    button.focus({ preventScroll: true });
  } else find('#code-help')!.textContent = data.copyfail!;
  say(copied ? data.copied : data.copyfail);
}

// countdown uses the server's clock, because phones' clocks are often wrong.
function countdown() {
  clearInterval(tickTimer);
  const data = state().dataset;
  const out = find('[data-count]');
  if (!out) return;
  const skew = Date.parse(data.now!) - Date.now();
  const end = Date.parse(data.expires!);
  let last = Infinity;
  const draw = () => {
    const left = Math.max(0, Math.ceil((end - Date.now() - skew) / 1000));
    out.textContent = clock(left);
    find('[data-expiry]')?.toggleAttribute('data-urgent', left <= 300);
    if (last > 300 && left <= 300 && left > 240) say(data.m5);
    if (last > 60 && left <= 60 && left > 0) say(data.m1);
    last = left;
    if (!left) {
      clearInterval(tickTimer);
      setTimeout(refresh, 800);
    }
  };
  draw();
  tickTimer = window.setInterval(draw, 1000);
}

async function refresh() {
  let next: HTMLElement | null;
  try {
    // After returning from the bank's app the connection may be dead without an error: give up
    // on it.
    const signal = AbortSignal.timeout?.(10000);
    const answer = await fetch(location.href, { headers: { 'X-Fragment': 'state' }, cache: 'no-store', signal });
    if (!answer.ok) throw answer.status;
    next = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('state');
    failures = 0;
    network();
  } catch {
    failures++;
    network();
    return;
  }
  if (!next) return;
  const shown = () => next.dataset.status === state().dataset.status;
  if (shown()) return;
  const swap = () => {
    if (shown()) return; // another request was faster
    state().replaceWith(next);
    document.title = next.dataset.title || document.title;
    find('#result')?.focus({ preventScroll: true });
    scrollTo({ top: 0 });
    say(next.dataset.live);
    start();
  };
  const still = document.hidden || matchMedia('(prefers-reduced-motion: reduce)').matches;
  const transition = (document as { startViewTransition?: (f: () => void) => { updateCallbackDone: Promise<void> } });
  if (!still && transition.startViewTransition) await transition.startViewTransition(swap).updateCallbackDone;
  else swap();
}

// schedule polls while the stream is down, at growing intervals.
function schedule() {
  clearTimeout(pollTimer);
  if (!pending()) return;
  pollTimer = window.setTimeout(async () => {
    if (!document.hidden) await refresh();
    schedule();
  }, Math.min(30000, 4000 * 2 ** Math.min(failures, 3)));
}

// watchLate keeps checking for two more minutes: a payment of the last second may be
// confirmed after the code has expired.
function watchLate() {
  if (state().dataset.status !== 'EXPIRED' || latePolls++ >= 8) return;
  pollTimer = window.setTimeout(() => refresh().then(() => {
    if (state().dataset.status === 'EXPIRED') watchLate();
  }), 15000);
}

function stop() {
  stream?.close();
  stream = undefined;
  clearTimeout(pollTimer);
  clearInterval(tickTimer);
}

function start() {
  stop();
  if (!pending()) return watchLate();
  countdown();
  if (!('EventSource' in window)) return schedule();
  stream = new EventSource(state().dataset.events!);
  stream.addEventListener('status', (event) => {
    if (event.data !== state().dataset.status) refresh();
  });
  stream.onopen = () => {
    clearTimeout(pollTimer);
    failures = 0;
    network();
  };
  stream.onerror = schedule; // the browser reconnects by itself; poll meanwhile
}

// To pay, buyers leave for the bank's app, and phones then drop the stream without an
// error: close it when hidden, read again and reopen it when shown.
document.addEventListener('visibilitychange', () => {
  if (document.hidden) stop();
  else refresh().then(start);
});
addEventListener('pagehide', stop);
addEventListener('pageshow', (event) => {
  if (event.persisted) refresh().then(start);
});

// network shows whether updates can arrive: without a connection, or without an answer to
// the last request, the page says that it tries again.
function network() {
  const offline = !navigator.onLine;
  const lost = offline || failures > 0;
  const bar = find('#net');
  const waiting = find('[data-waiting]');
  if (bar) bar.hidden = !offline;
  if (waiting) waiting.textContent = (lost ? waiting.dataset.reconnecting : waiting.dataset.waiting)!;
  document.documentElement.classList.toggle('lost', lost);
}
addEventListener('offline', () => {
  network();
  say(state().dataset.offline);
});
addEventListener('online', () => {
  network();
  say(state().dataset.online);
  refresh().then(start);
});

function toggle(button: HTMLElement) {
  const target = document.getElementById(button.dataset.toggle!)!;
  const open = target.toggleAttribute('data-open');
  button.setAttribute('aria-expanded', String(open));
  find('[data-show]', button)!.hidden = open;
  find('[data-hide]', button)!.hidden = !open;
  if (open) target.scrollIntoView({ block: 'nearest', behavior: 'smooth' });
}

// share offers the receipt to the phone's other apps, or copies its address. If neither is
// allowed it shows the address, selected.
async function share(button: HTMLElement) {
  const address = find('#address')!;
  const url = address.textContent!;
  try {
    if (navigator.share) return await navigator.share({ title: document.title, url });
  } catch (error) {
    if ((error as Error).name === 'AbortError') return; // the visitor closed the sheet
  }
  const copied = await toClipboard(url, () => {
    address.parentElement!.classList.remove('hidden');
    getSelection()!.selectAllChildren(address);
  });
  if (copied) done(button);
  say(copied ? button.dataset.copied : address.parentElement!.textContent!);
}

document.addEventListener('click', (event) => {
  const button = (event.target as Element).closest<HTMLElement>('[data-copy],[data-toggle],[data-print],[data-share]');
  if (!button) return;
  if ('copy' in button.dataset) copy(button);
  else if ('toggle' in button.dataset) toggle(button);
  else if ('print' in button.dataset) print();
  else share(button);
});
document.addEventListener('focusin', (event) => {
  const field = event.target as HTMLInputElement;
  if (field.id === 'code') field.select();
});

submitOnce();
network();
start();
