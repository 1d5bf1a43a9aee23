// A provider (npm oidc-provider) with one client and with people that the test sets. It writes its
// issuer to standard output, and ends with its standard input.
import http from "node:http";
import Provider from "oidc-provider";

const redirect = process.argv.at(-1);
const people = new Map(); // by subject: the claims of a person
const methods = new Map(); // by subject: the amr of the person's log-ins
let down = false;

const server = http.createServer();
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const issuer = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(issuer, {
  clients: [{ client_id: "garoupa", client_secret: "a secret of the client", redirect_uris: [redirect] }],
  claims: { openid: ["sub", "acr", "amr", "auth_time"], email: ["email", "email_verified"], profile: ["name"] },
  acrValues: ["urn:example:strong"],
  pkce: { required: () => true },
  features: { devInteractions: { enabled: false } },
  cookies: { keys: ["a key for cookies"] },
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  findAccount: (_, sub) => people.has(sub) && { accountId: sub, claims: () => ({ sub, ...people.get(sub) }) },
  // Everything that the client asks for is granted.
  loadExistingGrant: async (ctx) => {
    const grant = new ctx.oidc.provider.Grant({
      clientId: ctx.oidc.client.clientId, accountId: ctx.oidc.session.accountId,
    });
    grant.addOIDCScope("openid email profile");
    await grant.save();
    return grant;
  },
});

const read = async (request) => {
  let body = "";
  for await (const part of request) body += part;
  return new URLSearchParams(body);
};

const form = `<!doctype html><html lang="pt-BR"><title>Empresa</title><form method="post">
<input name="sub" aria-label="Pessoa"><button name="do" value="log in">Entrar</button>
<button name="do" value="cancel">Cancelar</button></form></html>`;

const interact = async (request, response) => {
  if (request.method === "GET") {
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    return response.end(form);
  }
  const fields = await read(request);
  const sub = fields.get("sub");
  const result = fields.get("do") === "cancel"
    ? { error: "access_denied", error_description: "The person cancelled." }
    : { login: { accountId: sub, remember: true, amr: methods.get(sub), acr: fields.get("acr") ?? undefined } };
  return provider.interactionFinished(request, response, result);
};

// The test sets people, and breaks the provider.
const control = async (request, response) => {
  const fields = await read(request);
  if (fields.has("down")) down = fields.get("down") === "true";
  if (fields.has("sub")) {
    const claims = { email: fields.get("email"), email_verified: fields.get("verified") === "true", name: "Pessoa" };
    people.set(fields.get("sub"), claims);
    methods.set(fields.get("sub"), fields.get("amr") ? fields.get("amr").split(" ") : ["pwd"]);
  }
  return response.end();
};

const answer = provider.callback();
server.on("request", (request, response) => {
  if (request.url === "/control") return control(request, response);
  if (down) {
    response.statusCode = 503;
    return response.end("down");
  }
  if (request.url.startsWith("/interaction/")) return interact(request, response).catch(() => response.destroy());
  return answer(request, response);
});

process.stdin.on("end", () => process.exit()).resume();
console.log(issuer);
