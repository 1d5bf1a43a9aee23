// The actions of a person on a page: find elements by their text or a CSS selector, wait
// for them, click them. The Go side calls one of the functions returned at the end. A
// waiting function returns {done: true, value} as soon as it can, or {done: false, seen},
// with what prevented success, when its time (ms) is over. Polling uses timers, which also
// run in a hidden page, or animation frames if scripts are disabled, which stops timers.
((byFrame) => {
  const collapse = (text) => (text ?? "").replace(/\s+/g, " ").trim();

  const visible = (el) =>
    el.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) && el.getClientRects().length > 0;

  const describe = (el) => {
    const text = collapse(el.innerText ?? el.textContent);
    const classes = [...el.classList].slice(0, 3).map((c) => "." + c).join("");
    return el.tagName.toLowerCase() + (el.id && "#" + el.id) + classes +
      (text && ` "${text.length > 40 ? text.slice(0, 40) + "…" : text}"`);
  };

  const controls = "a[href],button,input,select,textarea,summary,[role],[tabindex]";
  const buttons = "input[type=submit],input[type=button],input[type=reset]";
  const fields = "input,select,textarea";

  // A label may contain its field, whose content is not part of the name.
  const labelText = (label) => {
    const copy = label.cloneNode(true);
    copy.querySelectorAll(fields).forEach((field) => field.remove());
    return copy.textContent;
  };

  // Every name that a person or a screen reader could use for a control.
  const names = (el) => {
    const found = [el.getAttribute("aria-label"), el.getAttribute("alt")];
    for (const id of (el.getAttribute("aria-labelledby") ?? "").split(/\s+/).filter(Boolean)) {
      found.push(document.getElementById(id)?.innerText);
    }
    for (const label of el.labels ?? []) found.push(labelText(label));
    if (el.matches(buttons)) found.push(el.value);
    else if (!el.matches(fields)) found.push(el.innerText, el.textContent);
    return found.map(collapse).filter(Boolean);
  };

  const select = (selector) => {
    try {
      return [...document.querySelectorAll(selector)];
    } catch {
      return []; // a text, not a selector
    }
  };

  const reads = (el, text) => visible(el) && (collapse(el.innerText) === text || collapse(el.textContent) === text);

  const innermost = (text) => {
    // innerText needs layout, and most elements do not even contain the first word.
    const word = text.split(" ")[0].toLowerCase();
    const candidates = select("body *").filter((el) => el.textContent.toLowerCase().includes(word));
    let el = candidates.find((candidate) => reads(candidate, text));
    for (let inner = el; inner; inner = [...el.children].find((child) => reads(child, text))) el = inner;
    return el;
  };

  // A control by its name, else by CSS selector (visible ones first), else any text.
  const locate = (target) => {
    const text = collapse(target);
    const control = select(controls).find((el) => visible(el) && names(el).includes(text));
    if (control) return control;
    const matches = select(target);
    return matches.find(visible) ?? matches[0] ?? innermost(text);
  };

  const poll = async (step, ms) => {
    const end = performance.now() + ms;
    for (;;) {
      const outcome = await step();
      if (outcome.done || performance.now() > end) return outcome;
      await new Promise((next) => (byFrame ? requestAnimationFrame(next) : setTimeout(next, 20)));
    }
  };

  // Waits until movements are drawn. A hidden page never draws.
  const frame = () => new Promise((drawn) => {
    if (document.hidden) drawn();
    else requestAnimationFrame(() => requestAnimationFrame(drawn));
  });
  const done = (value = null) => ({ done: true, value });
  const blocked = (seen) => ({ done: false, seen });
  const absent = "nothing on the page matches";

  const usable = (el) => {
    if (!el) return absent;
    if (!visible(el)) return `${describe(el)} is hidden`;
    if (el.matches(":disabled")) return `${describe(el)} is disabled`;
    return "";
  };

  // Reports whether an element is in the window, and in each list around it that scrolls.
  const inView = (el) => {
    const box = el.getBoundingClientRect();
    for (let list = el.parentElement; list; list = list.parentElement) {
      const around = list.getBoundingClientRect();
      const scrolls = /auto|scroll/.test(getComputedStyle(list).overflowY);
      if (scrolls && (box.top < around.top || box.bottom > around.bottom)) return false;
    }
    return box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
  };

  const middle = (el) => {
    const box = el.getClientRects()[0];
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };

  // Returns the point to click once the element is in view, does not move from one frame to
  // the next, and is on top there.
  const press = (target, ms) => poll(async () => {
    const el = locate(target);
    const obstacle = usable(el);
    if (obstacle) return blocked(obstacle);
    if (!inView(el)) {
      el.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    }
    const before = middle(el);
    await frame();
    if (locate(target) !== el || usable(el)) return blocked(`${describe(el)} changes`);
    const at = middle(el);
    if (before.x !== at.x || before.y !== at.y) return blocked(`${describe(el)} is moving`);
    const hit = document.elementFromPoint(at.x, at.y);
    const own = hit && (el.contains(hit) || hit.contains(el) || hit.closest("label")?.control === el);
    if (own) return done(at);
    return blocked(`${describe(el)} is covered by ${hit ? describe(hit) : "nothing, it is out of view"}`);
  }, ms);

  // Focuses a field and selects its value, so that typing replaces it.
  const field = (target, ms) => poll(() => {
    const found = locate(target);
    const el = found?.closest("label")?.control ?? found;
    const obstacle = usable(el) || (el.readOnly ? `${describe(el)} is read-only` : "");
    if (obstacle) return blocked(obstacle);
    el.focus();
    if (document.activeElement !== el) return blocked(`${describe(el)} takes no focus`);
    el.select?.();
    return done();
  }, ms);

  const text = (target, want, ms) => poll(() => {
    const el = locate(target);
    if (!el) return blocked(absent);
    const got = collapse(el.innerText);
    return got === collapse(want) ? done() : blocked(`it reads "${got}"`);
  }, ms);

  const shown = (target, ms) => poll(() => {
    const el = locate(target);
    return el && visible(el) ? done() : blocked(el ? `${describe(el)} is hidden` : absent);
  }, ms);

  const gone = (target, ms) => poll(() => {
    const el = locate(target);
    return el && visible(el) ? blocked(`${describe(el)} is there`) : done();
  }, ms);

  const focused = (target, ms) => poll(() => {
    const now = document.activeElement;
    return now && now === locate(target) ? done() : blocked(`the focus is on ${now ? describe(now) : "nothing"}`);
  }, ms);

  // Watches for an element that may be visible for only a moment; glimpsed returns whether it
  // was.
  const glimpse = (target) => {
    const seen = (globalThis.browsertestSeen ??= {});
    const look = () => {
      const el = locate(target);
      if (!el || !visible(el)) return;
      seen[target] = true;
      watch.disconnect();
    };
    const watch = new MutationObserver(look);
    seen[target] = false;
    watch.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    look();
    return true;
  };

  const glimpsed = (target, ms) =>
    poll(() => (globalThis.browsertestSeen?.[target] ? done() : blocked("it was not there")), ms);

  const holds = (condition, ms) => poll(async () => ((await condition()) ? done() : blocked("it does not hold")), ms);

  // Returns the text, the value or an attribute of the first match.
  const read = (target, what, attribute, ms) => poll(() => {
    const el = locate(target);
    if (!el) return blocked(absent);
    if (what === "text") return done(collapse(el.innerText ?? el.textContent));
    const value = what === "value" ? el.value : el.getAttribute(attribute);
    return value == null ? blocked(`${describe(el)} has no ${attribute || "value"}`) : done(String(value));
  }, ms);

  const focus = () => {
    const el = document.activeElement;
    if (!el || el === document.body) return "";
    return el.id ? "#" + el.id : names(el)[0] ?? describe(el);
  };

  // An element that scrolls or clips its content does not widen the page.
  const contained = (el) => {
    for (let up = el.parentElement; up && up !== document.body; up = up.parentElement) {
      if (getComputedStyle(up).overflowX !== "visible") return true;
    }
    return false;
  };

  // Returns a description of the element that makes the page wider than width (CSS pixels),
  // or "".
  const overflow = (width) => {
    const root = document.documentElement;
    const got = Math.max(root.scrollWidth, document.body.scrollWidth, innerWidth);
    if (got <= width) return "";
    if (root.clientWidth > width) {
      return `the page is laid out ${root.clientWidth} px wide in ${width} px: it lacks a viewport meta tag`;
    }
    const right = (el) => el.getBoundingClientRect().right + scrollX;
    const widest = [...document.body.querySelectorAll("*")]
      .filter((el) => visible(el) && right(el) > width && !contained(el))
      .sort((a, b) => right(b) - right(a))[0];
    return `the page is ${got} px wide in ${width} px` +
      (widest ? `; ${describe(widest)} reaches to ${Math.round(right(widest))} px` : "");
  };

  // Returns a description of an amount of money that is broken in two lines or cut off, or "".
  const money = () => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    while (texts.nextNode()) {
      const node = texts.currentNode, el = node.parentElement;
      if (!node.data.includes("R$") || !visible(el) || el.closest("select, .sr-only, .visually-hidden")) continue;
      for (const found of node.data.matchAll(/R\$\s?\d[\d.,]*\d/g)) {
        range.setStart(node, found.index);
        range.setEnd(node, found.index + found[0].length);
        const boxes = [...range.getClientRects()].filter((box) => box.width > 0);
        if (boxes.some((box) => box.bottom <= boxes[0].top || box.top >= boxes[0].bottom)) {
          return `${found[0]} is broken in two lines in ${describe(el)}`;
        }
        for (let up = el; up && boxes.length > 0; up = up.parentElement) {
          const edge = up.getBoundingClientRect(), cuts = /hidden|clip/.test(getComputedStyle(up).overflowX);
          if (/auto|scroll/.test(getComputedStyle(up).overflowX)) break;
          if (cuts && edge.width > 1 && (boxes[0].right > edge.right + 1 || boxes[0].left < edge.left - 1)) {
            return `${found[0]} is cut off by ${describe(up)}`;
          }
        }
      }
    }
    return "";
  };

  return { press, field, text, shown, gone, focused, glimpse, glimpsed, holds, read, focus, overflow, money };
})
