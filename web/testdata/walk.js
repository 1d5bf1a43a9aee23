// What a page says wrong or leaves out: its language, words that were never filled in,
// amounts and moments written as the other language does. Code is nobody's language.
((groups, eventTypes, lang, page) => {
  const problems = [];
  const root = page.documentElement;
  if (root.lang !== lang) problems.push(`the page's language is "${root.lang}"`);
  if (!page.title.trim()) problems.push("no title");

  const key = new RegExp(`(?<![\\w/@.-])(${groups.join("|")})\\.[a-z]\\w*`, "g");
  const amount = /R\$\s?\d[\d.,]*\d|R\$\s?\d/g;
  const right = { "en": /^R\$\d{1,3}(,\d{3})*(\.\d{2,})?$/, "pt-BR": /^R\$\u00a0\d{1,3}(\.\d{3})*(,\d{2,})?$/ };
  const read = (text, language = lang) => {
    for (const [found] of text.matchAll(key)) {
      if (!eventTypes.includes(found) && !found.endsWith(".example")) problems.push(`no text for "${found}"`);
    }
    for (const [found] of text.matchAll(amount)) {
      if (!right[language].test(found)) problems.push(`an amount is written "${found}"`);
    }
    const broken = text.match(/%!.{0,20}|<nil>|\bNaN\b|\bundefined\b|\[object /);
    if (broken) problems.push(`a text holds "${broken[0]}"`);
  };

  read(page.title);
  const code = "pre, code, script, style, textarea, .font-mono";
  const texts = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  const word = (node) => { // on both sides of where it may be broken
    const next = node.nextSibling?.localName === "wbr" ? node.nextSibling.nextSibling : null;
    return node.data + (next ? word(next) : "");
  };
  while (texts.nextNode()) {
    const node = texts.currentNode;
    if (!node.parentElement.closest(code) && node.previousSibling?.localName !== "wbr") {
      read(word(node), node.parentElement.closest("[lang]").lang); // a part may be what somebody else will read
    }
  }
  for (const name of ["aria-label", "title", "placeholder", "alt"]) {
    for (const el of page.querySelectorAll(`[${name}]`)) {
      read(el.getAttribute(name));
      if (!el.getAttribute(name).trim() && name !== "alt") problems.push(`<${el.localName}> has an empty ${name}`);
    }
  }

  for (const el of page.querySelectorAll("input[inputmode=decimal]")) {
    if (el.value.includes("R$")) problems.push(`the field ${el.name} holds a currency: "${el.value}"`);
  }

  const said = (el) =>
    el.textContent.trim() || el.getAttribute("aria-label") || el.querySelector("[aria-label], [alt]");
  for (const el of page.querySelectorAll("h1, h2, h3, h4, button, a, label, legend, summary, th, dt")) {
    const spoken = !el.matches('[tabindex="-1"][aria-hidden=true]');
    if (spoken && !said(el)) problems.push(`<${el.localName}> says nothing: ${el.outerHTML.slice(0, 120)}`);
  }
  for (const el of page.querySelectorAll("time")) {
    if (!el.dateTime) problems.push(`"${el.textContent.trim()}" has no datetime`);
    if (!el.title.includes("UTC")) problems.push(`"${el.textContent.trim()}" does not tell its zone`);
  }
  return [...new Set(problems)];
})
