// Passkeys. A [data-passkey] is the part of a form that a passkey fills in, to be seen
// where the browser knows passkeys. Its button asks the server what to ask the browser,
// "create" or "get", writes what the browser answers into the part's hidden field, and
// sends the form. Where browsers know none, [data-passkey-missing] says so.

const bytes = (text: string) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
const text = (buffer: ArrayBuffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');

// Browsers from before the parse methods get what they do.
const named = (keys?: PublicKeyCredentialDescriptorJSON[]) => keys?.map((key) => ({ ...key, id: bytes(key.id) })) as PublicKeyCredentialDescriptor[] | undefined;

function creation(o: PublicKeyCredentialCreationOptionsJSON): PublicKeyCredentialCreationOptions {
  if (PublicKeyCredential.parseCreationOptionsFromJSON) return PublicKeyCredential.parseCreationOptionsFromJSON(o);
  return { ...o, challenge: bytes(o.challenge), user: { ...o.user, id: bytes(o.user.id) }, excludeCredentials: named(o.excludeCredentials) } as PublicKeyCredentialCreationOptions;
}

function request(o: PublicKeyCredentialRequestOptionsJSON): PublicKeyCredentialRequestOptions {
  if (PublicKeyCredential.parseRequestOptionsFromJSON) return PublicKeyCredential.parseRequestOptionsFromJSON(o);
  return { ...o, challenge: bytes(o.challenge), allowCredentials: named(o.allowCredentials) } as PublicKeyCredentialRequestOptions;
}

// The members of an answer that the server reads, of either kind.
const members = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'];

// typed is what stands in a form, which needs no password where a passkey takes its place.
function typed(form: HTMLFormElement) {
  const fields = new FormData(form);
  fields.delete('password');
  return new URLSearchParams(fields as unknown as Record<string, string>);
}

// send sends a form with an answer, which does not stay in it for who comes back.
function send(form: HTMLFormElement, field: HTMLInputElement, value: string) {
  field.value = value;
  if (form.requestSubmit) form.requestSubmit();
  else form.submit(); // Safari before 16
  field.value = '';
}

// answer asks, and sends the form with what the browser answers.
async function answer(part: HTMLElement, signal?: AbortSignal) {
  const field = part.querySelector<HTMLInputElement>('input[type=hidden]')!;
  const form = field.form!;
  const asked = await fetch(part.dataset.ask!, { method: 'POST', signal, body: 'first' in part.dataset ? typed(form) : undefined });
  if (asked.status == 422 && 'first' in part.dataset) return send(form, field, '{}'); // the page says what is wrong with the rest
  if (!asked.ok) throw new Error(String(asked.status));
  const options = await asked.json();
  const credential = (part.dataset.passkey === 'create'
    ? await navigator.credentials.create({ publicKey: creation(options) })
    : await navigator.credentials.get({ publicKey: request(options), signal, mediation: signal ? 'conditional' : 'optional' })) as PublicKeyCredential;
  const response = credential.response as unknown as Record<string, ArrayBuffer | undefined>;
  const out: Record<string, string> = { id: credential.id };
  for (const name of members) if (response[name]) out[name] = text(response[name]);
  send(form, field, JSON.stringify(out));
}

// words says what became of it, by the names that browsers give to errors.
const words: Record<string, string> = {
  NotAllowedError: 'cancelled', AbortError: 'cancelled', InvalidStateError: 'known', NotSupportedError: 'unsupported', ConstraintError: 'unsupported',
};

// offered ends what offer began: a browser asks one thing at a time.
let offered: AbortController | undefined;

// offer lets the browser propose passkeys where the e-mail is typed. A question lasts
// for five minutes, so that it is asked again before.
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

// passkeys shows the parts of the page that need passkeys, if the browser knows them.
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
