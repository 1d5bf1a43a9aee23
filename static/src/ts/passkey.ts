// Passkeys. A [data-passkey] is the part of a form that a passkey fills in, shown if the
// browser supports passkeys. Its button gets the options from the server, asks the browser
// to "create" or "get", writes the answer into the part's hidden field, and sends the form.
// If the browser does not support passkeys, [data-passkey-missing] says so.

const bytes = (text: string) =>
  Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
const text = (buffer: ArrayBuffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');

// A replacement for the parse methods in older browsers.
const named = (keys?: PublicKeyCredentialDescriptorJSON[]) =>
  keys?.map((key) => ({ ...key, id: bytes(key.id) })) as PublicKeyCredentialDescriptor[] | undefined;

function creation(o: PublicKeyCredentialCreationOptionsJSON): PublicKeyCredentialCreationOptions {
  if (PublicKeyCredential.parseCreationOptionsFromJSON) return PublicKeyCredential.parseCreationOptionsFromJSON(o);
  return {
    ...o, challenge: bytes(o.challenge), user: { ...o.user, id: bytes(o.user.id) },
    excludeCredentials: named(o.excludeCredentials),
  } as PublicKeyCredentialCreationOptions;
}

function request(o: PublicKeyCredentialRequestOptionsJSON): PublicKeyCredentialRequestOptions {
  if (PublicKeyCredential.parseRequestOptionsFromJSON) return PublicKeyCredential.parseRequestOptionsFromJSON(o);
  return {
    ...o, challenge: bytes(o.challenge), allowCredentials: named(o.allowCredentials),
  } as PublicKeyCredentialRequestOptions;
}

// The members of both kinds of answer that the server reads.
const members = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'];

// typed returns the values of a form. It needs no password if a passkey replaces it.
function typed(form: HTMLFormElement) {
  const fields = new FormData(form);
  fields.delete('password');
  return new URLSearchParams(fields as unknown as Record<string, string>);
}

// send sends a form with an answer, and removes the answer so that it is gone when the
// visitor comes back.
function send(form: HTMLFormElement, field: HTMLInputElement, value: string) {
  field.value = value;
  if (form.requestSubmit) form.requestSubmit();
  else form.submit(); // Safari before 16
  field.value = '';
}

// answer asks the browser, and sends the form with the answer.
async function answer(part: HTMLElement, signal?: AbortSignal) {
  const field = part.querySelector<HTMLInputElement>('input[type=hidden]')!;
  const form = field.form!;
  const asked = await fetch(part.dataset.ask!, {
    method: 'POST', signal, body: 'first' in part.dataset ? typed(form) : undefined,
  });
  // At 422 the page says what is wrong with the rest.
  if (asked.status == 422 && 'first' in part.dataset) return send(form, field, '{}');
  if (!asked.ok) throw new Error(String(asked.status));
  const options = await asked.json();
  const credential = (part.dataset.passkey === 'create'
    ? await navigator.credentials.create({ publicKey: creation(options) })
    : await navigator.credentials.get({
      publicKey: request(options), signal, mediation: signal ? 'conditional' : 'optional',
    })) as PublicKeyCredential;
  const response = credential.response as unknown as Record<string, ArrayBuffer | undefined>;
  const out: Record<string, string> = { id: credential.id };
  for (const name of members) if (response[name]) out[name] = text(response[name]);
  send(form, field, JSON.stringify(out));
}

// words returns the message for an error, by the browser's name of the error.
const words: Record<string, string> = {
  NotAllowedError: 'cancelled', AbortError: 'cancelled', InvalidStateError: 'known',
  NotSupportedError: 'unsupported', ConstraintError: 'unsupported',
};

// offered ends what offer began, because a browser handles one request at a time.
let offered: AbortController | undefined;

// offer lets the browser propose passkeys at the email field. A challenge lasts for five
// minutes, so a new one is requested before it expires.
async function offer(part: HTMLElement) {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  const mine = (offered = new AbortController());
  answer(part, mine.signal).catch(() => {}); // the button tells what is wrong
  setTimeout(() => {
    if (offered !== mine) return;
    mine.abort();
    offer(part);
  }, 4 * 60 * 1000);
}

async function press(part: HTMLElement, button: HTMLElement) {
  if (button.hasAttribute('aria-busy')) return;
  const told = part.querySelector<HTMLElement>('[role=alert]')!;
  offered?.abort();
  offered = undefined;
  told.textContent = '';
  button.setAttribute('aria-busy', 'true');
  try {
    await answer(part);
  } catch (error) {
    told.textContent = part.dataset[words[(error as Error).name] || 'failed']!;
  }
  button.removeAttribute('aria-busy');
}

// passkeys shows the parts of the page that need passkeys, if the browser supports them.
export function passkeys() {
  if (!window.PublicKeyCredential) return;
  document.querySelectorAll<HTMLElement>('[data-passkey-missing]').forEach((notice) => (notice.hidden = true));
  document.querySelectorAll<HTMLElement>('[data-passkey]').forEach((part) => {
    const button = part.querySelector<HTMLElement>('button')!;
    button.addEventListener('click', () => press(part, button));
    part.hidden = false;
    if ('offer' in part.dataset) offer(part);
  });
}
