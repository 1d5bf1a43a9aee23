// The palette: a combobox over what the server finds as one types. The keyboard alone is enough, and leaving it
// gives the focus back.

import { say } from './page';

export function palette() {
  const dialog = document.getElementById('palette') as HTMLDialogElement | null;
  if (!dialog) return;
  const field = dialog.querySelector<HTMLInputElement>('[role=combobox]')!;
  const form = field.form!;
  let last: AbortController | undefined;
  let resting = 0;
  let shown: string | undefined; // the text whose list is shown
  let pressed = false; // Enter, before that list came

  const options = () => [...dialog.querySelectorAll<HTMLElement>('[role=option]')];
  const chosen = () => dialog.querySelector<HTMLElement>('[aria-selected=true]');
  const choose = (option?: HTMLElement) => {
    chosen()?.setAttribute('aria-selected', 'false');
    option?.setAttribute('aria-selected', 'true');
    option?.scrollIntoView({ block: 'nearest' });
    if (option) field.setAttribute('aria-activedescendant', option.id);
    else field.removeAttribute('aria-activedescendant');
  };
  const go = () => {
    pressed = false;
    chosen()?.click();
  };
  const enter = () => (shown === field.value ? go() : (pressed = true));

  async function load() {
    last?.abort();
    last = new AbortController();
    const text = field.value;
    const answer = await fetch(form.dataset.list + '?q=' + encodeURIComponent(text), { signal: last.signal });
    if (!answer.ok || answer.redirected) return form.submit(); // the page says why
    const next = new DOMParser().parseFromString(await answer.text(), 'text/html').body.firstElementChild!;
    document.getElementById(next.id)!.replaceWith(next);
    shown = text;
    choose(options()[0]);
    say((next as HTMLElement).dataset.live);
    if (pressed && text === field.value) go();
  }

  const soon = (pause: number) => {
    clearTimeout(resting);
    // Offline: the form leads to the page of the search, which says so.
    resting = window.setTimeout(() => load().catch((error) => error.name === 'AbortError' || form.submit()), pause);
  };

  function open() {
    if (dialog!.open) return dialog!.close();
    field.value = '';
    shown = undefined;
    pressed = false;
    dialog!.showModal();
    soon(0);
  }

  document.addEventListener('click', (event) => {
    const target = event.target as Element;
    if (!target.closest('[data-palette]') || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });
  field.addEventListener('input', () => soon(120));
  // The keyboards of phones may send this instead of Enter; so does the Enter that opened the palette.
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (field.value) enter();
  });
  field.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    const all = options();
    const at = all.indexOf(chosen()!);
    const to = { ArrowDown: (at + 1) % all.length, ArrowUp: (at - 1 + all.length) % all.length }[event.key];
    if (to !== undefined) choose(all[to]);
    else if (event.key === 'Escape') dialog.close(); // at once: the field would first clear itself
    else if (event.key !== 'Enter') return;
    else enter();
    event.preventDefault();
  });
}

// shortcuts opens the sheet of keys with "?", and leads to a section with "g" and its letter, if letters are on.
export function shortcuts(on: () => boolean) {
  let g = 0; // when it was pressed
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || !on()) return;
    const typing = 'input:not([type=radio]), select, textarea, dialog, [contenteditable]';
    if ((event.target as Element).closest(typing)) return;
    const part =
      event.timeStamp - g < 1500
        ? document.querySelector<HTMLElement>(`[data-go="${CSS.escape(event.key.toLowerCase())}"]`)
        : null;
    g = event.key === 'g' ? event.timeStamp : 0;
    const sheet = document.getElementById('shortcuts') as HTMLDialogElement | null;
    if (part) part.click();
    else if (event.key === '?' && sheet) sheet.showModal();
    else return;
    event.preventDefault();
  });
}
