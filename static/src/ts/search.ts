// A form with [data-found] shows what is found as one types, after a pause, in the part of the page
// that it names. Without script its button does.

import { say } from './page';

let resting = 0;
let last: AbortController | undefined;

async function search(form: HTMLFormElement) {
  last?.abort();
  last = new AbortController();
  const query = new URLSearchParams([...new FormData(form)] as [string, string][]);
  const address = form.action + '?' + query;
  const answer = await fetch(address, { signal: last.signal });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const next = page.getElementById(form.dataset.found!);
  if (!next) return;
  document.getElementById(form.dataset.found!)!.replaceWith(next);
  history.replaceState(null, '', address);
  say(next.dataset.live);
}

export function searches() {
  document.addEventListener('input', (event) => {
    const form = (event.target as HTMLInputElement).form;
    if (!form?.dataset.found) return;
    clearTimeout(resting);
    resting = window.setTimeout(() => search(form).catch(() => {}), 250); // offline: the button says so
  });
}
