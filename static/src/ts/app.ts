// The dashboard: copy, show a password, dialogs in browsers that need help, and things in
// progress on a page. Every page works without this script, except for what only a script
// can do.

import { keepCurrent } from './current';
import { clock, kept, say, submitOnce } from './page';
import { palette, shortcuts } from './palette';
import { passkeys } from './passkey';
import { pictures } from './picture';
import { searches } from './search';

async function copy(button: HTMLElement) {
  const source = document.getElementById(button.dataset.copy!)!;
  const text = source instanceof HTMLInputElement ? source.value : source.textContent || '';
  let ok = false;
  try {
    await navigator.clipboard.writeText(text);
    ok = true;
  } catch {
    // No permission, or no clipboard outside https: select, and copy the old way.
    if (source instanceof HTMLInputElement) source.select();
    else getSelection()?.selectAllChildren(source);
    ok = document.execCommand('copy');
  }
  if (ok) {
    button.dataset.done = '';
    setTimeout(() => delete button.dataset.done, 4000);
  }
  say(ok ? button.dataset.copied : button.dataset.failed);
}

function reveal(button: HTMLElement) {
  const field = document.getElementById(button.dataset.reveal!) as HTMLInputElement;
  const shown = field.type === 'password';
  field.type = shown ? 'text' : 'password';
  button.setAttribute('aria-pressed', String(shown));
  field.focus();
}

// fill enters a value that the visitor would otherwise look up. Without script the button
// sends its form, and the server fills in the field.
function fill(button: HTMLElement) {
  const field = document.getElementById(button.dataset.fill!) as HTMLInputElement;
  field.value = button.dataset.value!;
  field.focus();
}

// Browsers without command and commandfor get the two commands that pages use.
const commands = 'commandForElement' in HTMLButtonElement.prototype;
function command(button: HTMLElement) {
  const dialog = document.getElementById(button.getAttribute('commandfor')!) as HTMLDialogElement;
  if (button.getAttribute('command') === 'close') dialog.close();
  else dialog.showModal();
}

document.addEventListener('click', (event) => {
  const target = event.target as Element;
  if (target instanceof HTMLDialogElement) return target.close(); // a click beside the sheet or dialog
  const button = target.closest<HTMLElement>('[data-copy],[data-reveal],[data-fill],[data-print],[commandfor]');
  if (!button) return;
  if ('copy' in button.dataset) copy(button);
  else if ('reveal' in button.dataset) reveal(button);
  else if ('print' in button.dataset) print();
  else if ('fill' in button.dataset) {
    event.preventDefault();
    fill(button);
  } else if (!commands) command(button);
});
document.addEventListener('focusin', (event) => {
  const field = event.target as HTMLInputElement;
  if ('select' in field.dataset) field.select();
});

// A choice with [data-into] writes its text into the field of its form that it names. Without script the server does.
document.addEventListener('change', (event) => {
  const choice = event.target as HTMLInputElement;
  if (!choice.dataset.into) return;
  (choice.form!.elements.namedItem(choice.dataset.into) as HTMLTextAreaElement).value = choice.dataset.text!;
});

// A form with [data-preview] shows what is typed in the preview's frame, after a pause in typing: the
// address there takes the [data-preview-fields] as its query, and no others, because addresses are
// logged. Without script a button does this. A color field with [data-well] writes into the field that it
// names.
let resting = 0;
function preview(form: HTMLFormElement) {
  const address = new URL(form.dataset.preview!, location.href);
  const typed = new FormData(form);
  for (const name of form.dataset.previewFields!.split(' ')) {
    address.searchParams.delete(name);
    for (const value of typed.getAll(name)) address.searchParams.append(name, String(value));
  }
  (document.getElementById('preview') as HTMLIFrameElement).contentWindow!.location.replace(address);
}
document.addEventListener('input', (event) => {
  const field = event.target as HTMLInputElement;
  if (field.dataset.well) (document.getElementById(field.dataset.well) as HTMLInputElement).value = field.value;
  const form = field.form;
  if (!form?.dataset.preview) return;
  clearTimeout(resting);
  resting = window.setTimeout(() => preview(form), 250);
});

// A new charge that is to be sent goes on to WhatsApp, once: Back shows the charge.
const send = document.querySelector<HTMLAnchorElement>('a[data-send]');
if (send) {
  history.replaceState(null, '', location.pathname);
  location.assign(send.href);
}

// [data-follow] is something in progress: it is read again until it stops following, and
// replaced when its data-version changes, with the parts that are [data-beside] it. A minute is
// enough: what takes longer shows when it is due, and is followed from then on.
const every = 1000;
let reads = 0;
function follow() {
  if (!document.querySelector('[data-follow]') || reads++ >= 60) return;
  setTimeout(async () => {
    if (!document.hidden) await read().catch(() => {}); // offline: the next time
    follow();
  }, every);
}

// swap puts an element in the place of another, and keeps the focus there.
function swap(old: Element, next: HTMLElement) {
  const held = old.contains(document.activeElement);
  old.replaceWith(next);
  if (held) {
    next.tabIndex = -1;
    next.focus({ preventScroll: true });
  }
}

async function read(old = document.querySelector<HTMLElement>('[data-follow]')!) {
  const answer = await fetch(location.href, { cache: 'no-store' });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const next = page.getElementById(old.id);
  if (!next || next.dataset.version === old.dataset.version) return;
  for (const part of document.querySelectorAll(`[data-beside="${old.id}"]`)) {
    const other = page.getElementById(part.id);
    if (other) swap(part, other);
  }
  swap(old, next);
  say(next.dataset.live);
  countdown();
}

// The server notifies a [data-stream] when its status differs from its data-version; then
// it is read again. Phones drop the streams of hidden pages, so those are closed, and
// opened again when the page is shown.
let stream: EventSource | undefined;
function watch() {
  stream?.close();
  stream = undefined;
  const part = document.querySelector<HTMLElement>('[data-stream]');
  if (!part || document.hidden || !('EventSource' in window)) return;
  stream = new EventSource(part.dataset.stream!);
  stream.addEventListener('status', (event) => {
    // Offline: the stream reconnects by itself.
    if (event.data !== part.dataset.version) read(part).then(watch, () => {});
  });
}
document.addEventListener('visibilitychange', watch);
addEventListener('pagehide', () => stream?.close());
addEventListener('pageshow', (event) => {
  if (event.persisted) watch();
});

// countdown uses the server's clock, as written into the page.
function countdown() {
  const out = document.querySelector<HTMLElement>('[data-countdown]');
  if (!out) return;
  const skew = Date.parse(out.dataset.now!) - Date.now();
  const end = Date.parse(out.dataset.countdown!);
  const draw = () => {
    if (!out.isConnected) return clearInterval(timer);
    const left = Math.max(0, Math.ceil((end - Date.now() - skew) / 1000));
    out.textContent = clock(left);
    if (left) return;
    clearInterval(timer);
    const part = out.closest<HTMLElement>('[data-version]');
    if (!part) return out.parentElement!.remove();
    part.dataset.follow = '';
    reads = 0;
    follow();
  };
  const timer = window.setInterval(draw, 1000);
  draw();
}

// In a scrolling list, [data-menu], the current item is scrolled into view.
document.querySelectorAll<HTMLElement>('[data-menu]').forEach((menu) => {
  const current = menu.querySelector('[aria-current]')?.getBoundingClientRect();
  if (!current) return;
  const box = menu.getBoundingClientRect();
  if (current.bottom > box.bottom) menu.scrollTop = current.top - box.top - box.height / 2;
  menu.scrollLeft += current.left - box.left - (box.width - current.width) / 2;
});

// The name of a chosen file replaces our text. The browser may keep the file through a
// reload.
document.querySelectorAll<HTMLElement>('[data-file-name]').forEach((name) => {
  const field = document.getElementById(name.dataset.fileName!) as HTMLInputElement;
  const none = name.textContent;
  const show = () => (name.textContent = field.files?.[0]?.name ?? none);
  field.addEventListener('change', show);
  addEventListener('pageshow', show);
});

const hotkeys = kept('garoupa-hotkeys', 'on', '[data-hotkeys]');

// A letter presses its [data-hot], while no field has the focus. A chosen answer gets the focus.
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if ((event.target as Element).closest('input:not([type=radio]), select, textarea, dialog, [contenteditable]')) return;
  const part = document.querySelector<HTMLElement>(`[data-hot="${CSS.escape(event.key.toLowerCase())}"]`);
  if (!part || !hotkeys.on()) return;
  event.preventDefault();
  part.focus();
  part.click();
});

// A form with [data-guard] that was changed asks before the page is left, except when the
// form itself is being sent.
type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

function touched(control: Control) {
  if (control instanceof HTMLSelectElement) {
    const options = [...control.options];
    const given = Math.max(0, options.findIndex((option) => option.defaultSelected));
    return control.selectedIndex !== given;
  }
  if (control.type === 'file') return control.value !== '';
  if (control instanceof HTMLInputElement && /^(checkbox|radio)$/.test(control.type)) {
    return control.checked !== control.defaultChecked;
  }
  return control.value !== control.defaultValue;
}

if (document.querySelector('form[data-guard]')) addEventListener('beforeunload', (event) => {
  const kept = [...document.querySelectorAll<Control>(
    'form[data-guard]:not([data-busy]) :is(input, select, textarea)[name]')];
  if (!kept.some(touched)) return;
  event.preventDefault();
  event.returnValue = true; // browsers from before 2023
});

submitOnce();
pictures();
searches();
countdown();
follow();
watch();
keepCurrent();
passkeys();
palette();
shortcuts(hotkeys.on);
