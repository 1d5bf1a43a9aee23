// What the scripts of both bundles share.

// say speaks through the live region. Emptying it first makes a repeated text heard.
export function say(text?: string) {
  const live = document.getElementById('live');
  if (!live || !text) return;
  live.textContent = '';
  setTimeout(() => (live.textContent = text), 60);
}

// clock writes seconds as a clock does: "1:02:03" from an hour on, else "02:03".
export function clock(seconds: number) {
  const pad = (n: number) => String(n).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  return (hours ? hours + ':' : '') + pad(Math.floor((seconds % 3600) / 60)) + ':' + pad(seconds % 60);
}

// submitOnce makes a second press change nothing while the first is on its way.
export function submitOnce() {
  document.addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement;
    if ((event as SubmitEvent).submitter?.hasAttribute('formtarget')) return; // the page stays
    if (form.dataset.busy) event.preventDefault();
    form.dataset.busy = '1';
    (event as SubmitEvent).submitter?.setAttribute('aria-busy', 'true');
  });
  // Coming back by the browser's cache, the form can be sent again.
  addEventListener('pageshow', (event) => {
    if (!event.persisted) return;
    document.querySelectorAll<HTMLElement>('[data-busy]').forEach((form) => delete form.dataset.busy);
    document.querySelectorAll('[aria-busy]').forEach((button) => button.removeAttribute('aria-busy'));
  });
}
