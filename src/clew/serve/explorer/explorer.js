"use strict";

// Everything shown is set as text, never as markup: what a memory holds was written by others.

const API = "/clew/api/v1";
const VIEWS = ["recall", "search", "sessions", "turns", "receipt", "ledger"];
const EMPTY = "Nothing is stored here yet. `clew import` stores conversations, and so does the proxy as they pass through it.";
const byId = (id) => document.getElementById(id);

function node(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== ""));
  return made;
}

function say(text, wrong = false) {
  byId("status").textContent = text;
  byId("status").className = wrong ? "wrong" : "";
}

async function ask(method, path, body) {
  const token = sessionStorage.getItem("clew-token");
  const headers = {};
  if (token) headers["X-Clew-Token"] = token;
  if (body) headers["Content-Type"] = "application/json";
  const answer = await fetch(API + path, { method, headers, body: body && JSON.stringify(body), credentials: "omit" });
  const value = await answer.json();
  if (!answer.ok) throw new Error(`${value.error.message} (${value.error.next})`);
  return value;
}

// Runs what a person asked for, and tells how it went.
async function carryOut(what, work) {
  say(`${what} …`);
  try {
    say(await work());
  } catch (error) {
    say(error.message, true);
  }
}

const day = (at) => (at ? at.slice(0, 16).replace("T", " ") : "no date");
const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
const nothing = (text) => node("p", {}, text);
const turnId = (turn) => `${encodeURIComponent(turn.session)}:turn:${turn.seq}`;

function table(caption, heads, rows) {
  const numbers = heads.map((head) => head.endsWith("#"));
  const cell = (kind, value, place) =>
    node(kind, numbers[place] ? { className: "number" } : {}, value instanceof Node ? value : String(value ?? ""));
  const head = node("tr", {}, ...heads.map((text, place) => {
    const made = cell("th", text.replace("#", ""), place);
    made.scope = "col";
    return made;
  }));
  const body = rows.map((row) => node("tr", {}, ...row.map((value, place) => cell("td", value, place))));
  return node("div", { className: "scroll" },
    node("table", {}, node("caption", {}, caption), node("thead", {}, head), node("tbody", {}, ...body)));
}

function reasons(signals) {
  const shares = Object.entries(signals ?? {}).sort((one, other) => Math.abs(other[1]) - Math.abs(one[1]));
  if (!shares.length) return null;
  const most = Math.max(...shares.map(([, value]) => Math.abs(value))) || 1;
  const rows = shares.map(([name, value]) => [
    name,
    value.toFixed(3),
    node("meter", {
      className: value < 0 ? "less" : "", min: 0, max: most, value: Math.abs(value), "aria-label": `${name} ${value.toFixed(3)}`,
    }),
  ]);
  return node("details", {}, node("summary", {}, "Why"), table("What each signal added", ["Signal", "Share#", ""], rows));
}

function card(title, about, text, ...more) {
  return node("li", {}, node("article", {},
    node("header", {}, node("h3", { dir: "auto" }, title), ...about.filter(Boolean).map((each) => node("span", {}, each))),
    text ? node("pre", { tabIndex: 0, dir: "auto" }, text) : null, ...more));
}

function sessionLink(name) {
  return node("a", { href: `#turns/${encodeURIComponent(name)}` }, name);
}

// A turn; among those of its own session without the session's name.
function showTurn(turn, more = null, isAmongItsOwn = false) {
  const place = isAmongItsOwn ? [] : [sessionLink(turn.session)];
  const from = turn.origin === "injected" ? "nobody's words" : turn.origin === "web" ? "from the web" : "";
  const about = [...place, day(turn.at), turnId(turn), from, turn.branch ? `branch ${turn.branch}` : ""];
  return card(turn.speaker ?? turn.role, about, turn.text ?? "", more);
}

// What a receipt names, with a link to the session of each turn.
function turnLinks(ids) {
  const parts = (ids ?? []).flatMap((id) => {
    const session = id.split(":turn:")[0];
    return [node("a", { href: `#turns/${session}` }, id), " "];
  });
  return node("span", {}, ...parts);
}

async function recall(event) {
  event.preventDefault();
  const body = { query: byId("recall-query").value, budget: Number(byId("recall-budget").value) };
  await carryOut("Recalling", async () => {
    const found = await ask("POST", "/recall", body);
    const shown = found.items.map((item) => ({ rank: item.rank || Infinity, card: card(
      item.rank ? `Rank ${item.rank}` : "In short",
      [item.rendering, sessionLink(item.session), day(item.at), count(item.tokens, "token"), item.required ? `required: ${item.required}` : ""],
      item.text, reasons(item.signals)) }));
    const items = node("ol");
    const order = node("select", { id: "recall-order" },
      node("option", { value: "best" }, "best first"), node("option", { value: "block" }, "as in the block"));
    const arrange = () => {
      const best = order.value === "best" ? shown.toSorted((one, other) => one.rank - other.rank) : shown;
      items.replaceChildren(...best.map((each) => each.card));
    };
    order.addEventListener("change", arrange);
    arrange();
    byId("recall-found").replaceChildren(
      node("p", { className: "about" },
        node("span", {}, `${count(found.tokens, "token")} of ${found.budget.toLocaleString("en")}`),
        node("span", {}, `confidence ${(found.confidence ?? 0).toFixed(2)}`),
        node("a", { href: `#receipt/${encodeURIComponent(found.receipt_id)}` }, `receipt ${found.receipt_id}`),
        shown.length > 1 ? node("label", {}, "Order ", order) : null),
      items);
    if (!shown.length) byId("recall-found").append(nothing("Nothing that is remembered answers this question."));
    return count(shown.length, "item");
  });
}

async function search(event) {
  event.preventDefault();
  await carryOut("Searching", async () => {
    const found = await ask("POST", "/search", { query: byId("search-query").value, limit: 20 });
    const hits = found.items.map((hit) => showTurn(hit.turn, reasons(hit.signals)));
    byId("search-found").replaceChildren(hits.length ? node("ol", {}, ...hits) : nothing("No turn is like this."));
    return count(hits.length, "turn");
  });
}

// Shows a list page by page below a button that asks for more.
async function list(path, place, show, noun) {
  const items = node("ol");
  const whole = node("div", {}, items); // of a list that another one has replaced, nothing is shown any more
  byId(place).replaceChildren(whole);
  let cursor = "";
  const more = node("button", { type: "button" }, "Show more");
  const next = () => carryOut("Loading", async () => {
    const sign = path.includes("?") ? "&" : "?";
    const found = await ask("GET", path + (cursor ? `${sign}cursor=${encodeURIComponent(cursor)}` : ""));
    items.append(...found.items.map(show));
    cursor = found.next ?? "";
    if (cursor) whole.append(more);
    else more.remove();
    if (!items.children.length) whole.append(nothing(EMPTY));
    return `${count(items.children.length, noun)}${cursor ? " and more" : ""}`;
  });
  more.addEventListener("click", next);
  await next();
}

function showSession(session) {
  return card(session.title ?? "no title",
    [sessionLink(session.name), day(session.end), count(session.turns, "turn"), session.project, session.branch, session.client],
    (session.topics ?? []).join(", "));
}

async function receipt(name) {
  byId("receipt-name").value = name;
  await carryOut("Reading the receipt", async () => {
    const found = await ask("GET", `/receipts/${encodeURIComponent(name)}`);
    const row = (each) => [turnLinks(each.turn_ids), each.rendering ?? each.reason, each.tokens, each.rank, each.score?.toFixed(3)];
    byId("receipt-found").replaceChildren(
      node("p", {}, `${found.kind}: “${found.query}”, ${day(found.created_at)}, ${count(found.considered, "turn")} considered, ${count(found.tokens, "token")}`),
      table("Chosen", ["Turns", "As", "Tokens#", "Rank#", "Score#"], found.chosen.map(row)),
      table("Left out", ["Turns", "Why", "Tokens#", "Rank#", "Score#"], found.omitted.map(row)),
      table("Settings", ["Setting", "Value"], Object.entries(found.settings).map(([key, value]) => [key, JSON.stringify(value)])));
    return `Receipt ${found.id ?? name}`;
  });
}

// One table of the ledger: all requests, or those of each day, model or conversation, the first hundred.
function spent(caption, head, rows, show = (name) => name) {
  const heads = [head, "Requests#", "Input#", "Cached#", "Written#", "Output#", "Added#", "Cost ($)#", "Saved ($)#"];
  const cells = (each) => [
    show(each.name || "none"), ...[each.requests, each.input, each.cached, each.written, each.output, each.block_tokens].map((number) =>
      number.toLocaleString("en")), each.cost.toFixed(4), each.saved.toFixed(4)];
  return table(caption, heads, rows.slice(0, 100).map(cells));
}

async function ledger() {
  await carryOut("Adding up", async () => {
    const found = await ask("GET", "/ledger");
    const total = found.total;
    const notes = [
      total.unpriced ? `${count(total.unpriced, "request")} without a known price.` : "",
      total.failed ? `${count(total.failed, "request")} failed, or forwarded unchanged.` : "",
    ].filter(Boolean);
    byId("ledger-found").replaceChildren(
      spent("In all", "Requests of", [{ ...total, name: "all" }]),
      ...(total.requests ? [
        spent("By day", "Day (UTC)", found.days),
        spent("By model", "Model", found.models),
        spent("By conversation", "Session", found.sessions, (name) => (name === "none" ? name : sessionLink(name))),
      ] : []),
      ...notes.map((text) => node("p", {}, text)));
    return total.requests ? count(total.requests, "request") : "No request has passed through the proxy yet.";
  });
}

async function stats() {
  try {
    const found = await ask("GET", "/stats");
    byId("stats").textContent = `${count(found.turns, "turn")} in ${count(found.sessions, "session")}`;
  } catch (error) {
    say(error.message, true);
  }
}

// What stands behind the view in the address; as it is where somebody wrote it by hand with a lone `%`.
function decoded(argument) {
  try {
    return decodeURIComponent(argument);
  } catch {
    return argument;
  }
}

async function route() {
  const [name, argument] = location.hash.slice(1).split("/", 2);
  const view = VIEWS.includes(name) ? name : "recall";
  for (const each of VIEWS) byId(each).hidden = each !== view;
  for (const link of document.querySelectorAll("nav a")) {
    const current = link.hash === `#${view}` || (view === "turns" && link.hash === "#sessions");
    if (current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const given = argument ? decoded(argument) : "";
  document.title = `Clew: ${byId(`${view}-title`).textContent}`;
  if (location.hash) byId("main").focus();
  if (view === "sessions") await list("/sessions", "sessions-found", showSession, "session");
  if (view === "turns") {
    byId("turns-title").textContent = given ? `Turns of ${given}` : "Turns";
    await list(`/turns?limit=100${given ? `&session=${encodeURIComponent(given)}` : ""}`, "turns-found", (turn) => showTurn(turn, null, given !== ""), "turn");
  }
  if (view === "receipt" && given) await receipt(given);
  if (view === "ledger") await ledger();
}

byId("recall-form").addEventListener("submit", recall);
byId("search-form").addEventListener("submit", search);
byId("receipt-form").addEventListener("submit", (event) => {
  event.preventDefault();
  receipt(byId("receipt-name").value);
});
byId("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("clew-token", byId("token").value);
  byId("token").value = "";
  say("The token is used until this tab is closed.");
  stats();
  route();
});
window.addEventListener("hashchange", () => {
  say("");
  route();
});
stats();
route();
