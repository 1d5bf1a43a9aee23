// Functions that both bundles use.

// say announces a text through the live region. It empties the region first, so that a
// repeated text is announced, too.
export function say(text?: string) {
  const live = document.getElementById('live');
  if (!live || !text) return;
  live.textContent = '';
  setTimeout(() => (live.textContent = text), 60);
}

// clock formats seconds: "1:02:03" from an hour on, otherwise "02:03".
export function clock(seconds: number) {
  const pad = (n: number) => String(n).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  return (hours ? hours + ':' : '') + pad(Math.floor((seconds % 3600) / 60)) + ':' + pad(seconds % 60);
}

// submitOnce ignores a second click while the form is being sent. A form with [data-download] is answered with a
// file: the page stays, and the form can be sent again.
export function submitOnce() {
  document.addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement;
    if ((event as SubmitEvent).submitter?.hasAttribute('formtarget') || 'download' in form.dataset) return;
    if (form.dataset.busy) event.preventDefault();
    form.dataset.busy = '1';
    (event as SubmitEvent).submitter?.setAttribute('aria-busy', 'true');
  });
  // After coming back through the browser's cache, the form can be sent again.
  addEventListener('pageshow', (event) => {
    if (!event.persisted) return;
    document.querySelectorAll<HTMLElement>('[data-busy]').forEach((form) => delete form.dataset.busy);
    document.querySelectorAll('[aria-busy]').forEach((button) => button.removeAttribute('aria-busy'));
  });
}

// kept is a wish of the visitor that this browser keeps, with the buttons that show and change it.
export function kept(name: string, unless: 'on' | 'off', buttons: string) {
  let value: string = unless;
  try {
    value = localStorage.getItem(name) ?? unless;
  } catch {
    // No storage: the wish lasts as long as the page.
  }
  const on = () => value === 'on';
  const show = () =>
    document.querySelectorAll(buttons).forEach((one) => one.setAttribute('aria-pressed', String(on())));
  document.addEventListener('click', (event) => {
    if (!(event.target as Element).closest(buttons)) return;
    value = on() ? 'off' : 'on';
    show();
    try {
      localStorage.setItem(name, value);
    } catch {
      // No storage.
    }
  });
  show();
  return { on, show };
}
