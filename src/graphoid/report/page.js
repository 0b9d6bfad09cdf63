"use strict";
// The drawing and the tables are in the page already; this makes them answer. Everything that comes from the data is
// put into the page as text, never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { nodes, edges, hulls, views } = data;
  const $ = (id) => document.getElementById(id);
  const svg = $("drawing"), panel = $("panel");
  const nodeParts = [...svg.querySelectorAll("[data-node]")];
  const edgeParts = [...svg.querySelectorAll("[data-edge]")];
  const hullParts = [...svg.querySelectorAll("[data-hull]")];
  const why = new Map(data.pairs.map(([x, y, words]) => [x * nodes.length + y, words]));

  // What is drawn: an edge must be in the view that was chosen, and strong enough.

  let view = null; // number of a context, or null for all
  let hidden = 0; // so many of the weakest edges are not drawn
  let chosen = []; // at most two variables
  let shownEdge = null;

  // An edge as it is in the context that was chosen: nothing of all rows together is shown as if it were of these
  const OF_ROWS = ["weight", "weight_interval", "size", "interval", "bits", "log_odds", "log_odds_error", "r", "words", "meeting"];
  const there = (e) => {
    const own = view === null ? undefined : e.by_view?.[view];
    return own ? { ...Object.fromEntries(Object.entries(e).filter(([key]) => !OF_ROWS.includes(key))), ...own } : e;
  };
  const strength = (e) => {
    if (view !== null && e.by_view?.[view]) return e.by_view[view].size ?? 0;
    return e.size ?? e.bits ?? e.evidence ?? e.probability ?? e.share ?? 0;
  };
  const unit = "";
  let byStrength, rank;
  function order() {
    const among = edges.map((_, i) => i).filter((i) => inView(edges[i]));
    byStrength = among.sort((i, j) => number(strength(edges[i])) - number(strength(edges[j])) || i - j);
    rank = new Map(byStrength.map((edge, place) => [edge, place]));
  }

  const SIGNS = ["positive", "negative", "unsigned"];
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  function number(value) { return value === "∞" ? Infinity : value === "-∞" ? -Infinity : value; }
  const inView = (e) => view === null || (e.views ?? []).includes(view);
  const graph = () => {
    const near = nodes.map(() => []);
    edges.forEach((e, i) => { if (inView(e)) { near[e.x].push([e.y, i]); near[e.y].push([e.x, i]); } });
    return near;
  };
  let near = graph();
  order();
  const drawnNow = edges.map(() => true);

  function filter() {
    const among = byStrength.length;
    let drawn = 0;
    edges.forEach((_, i) => {
      const on = rank.get(i) >= hidden; // not where it has no rank: it is not in the view
      drawn += on;
      if (on !== drawnNow[i]) edgeParts[i].classList.toggle("off", !on);
      drawnNow[i] = on;
    });
    const least = hidden < among && hidden > 0 ? `, from ${say(strength(edges[byStrength[hidden]]))}${unit}` : "";
    $("shown").textContent = edges.length ? `${drawn} of ${among} edges${least}` : "no edges";
    announce("threshold", hidden ? number(strength(edges[byStrength[hidden]] ?? {})) : 0);
  }

  // What shows the page may listen, and choose: see live.js
  function announce(what, detail) { svg.dispatchEvent(new CustomEvent(what, { detail })); }

  function say(value) {
    if (typeof value !== "number") return String(value);
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1000) return Math.round(value).toLocaleString("en");
    return size < 0.001 ? value.toExponential(1) : String(Number(value.toPrecision(3)));
  }

  // Paths and separation

  function path(x, y, given = new Set()) {
    const from = new Map([[x, null]]);
    const todo = [x];
    for (const v of todo) {
      if (v === y) {
        const found = [];
        for (let w = y; w !== null; w = from.get(w)) found.unshift(w);
        return found;
      }
      for (const [w] of near[v]) if (!from.has(w) && !given.has(w)) { from.set(w, v); todo.push(w); }
    }
    return null;
  }

  // A smallest set of others that separates two variables which are not joined, by Menger's theorem: every variable is
  // split into an entry and an exit with room for one path; the cut of a maximum flow is between an entry that the last
  // search reached and an exit that it did not.
  function separator(x, y) {
    const n = nodes.length, entry = (v) => v, exit = (v) => n + v;
    const room = Array.from({ length: 2 * n }, () => new Map());
    const arc = (a, b, size) => { room[a].set(b, size); if (!room[b].has(a)) room[b].set(a, 0); };
    for (let v = 0; v < n; v++) {
      arc(entry(v), exit(v), v === x || v === y ? Infinity : 1);
      for (const [w] of near[v]) arc(exit(v), entry(w), Infinity);
    }
    for (;;) {
      const from = new Map([[exit(x), null]]);
      const todo = [exit(x)];
      for (const a of todo) for (const [b, size] of room[a]) if (size > 0 && !from.has(b)) { from.set(b, a); todo.push(b); }
      if (!from.has(entry(y))) {
        return nodes.map((_, v) => v).filter((v) => from.has(entry(v)) && !from.has(exit(v)));
      }
      for (let b = entry(y); from.get(b) !== null; b = from.get(b)) {
        const a = from.get(b);
        room[a].set(b, room[a].get(b) - 1);
        room[b].set(a, room[b].get(a) + 1);
      }
    }
  }

  const edgeBetween = (x, y) => near[x].find(([w]) => w === y)?.[1];

  // Words

  function element(tag, text, attributes = {}) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }
  const name = (v) => element("bdi", nodes[v].name);
  function sentence(tag, ...parts) {
    const made = element(tag);
    made.append(...parts);
    return made;
  }
  function named(list) {
    if (!list.length) return ["nothing"];
    const parts = [];
    list.forEach((v, i) => {
      if (i) parts.push(i === list.length - 1 ? " and " : ", ");
      parts.push(name(v));
    });
    return parts;
  }
  function choice(label, act) {
    const button = element("button", undefined, { type: "button" });
    button.append(...label);
    button.addEventListener("click", act);
    return button;
  }
  function tell(...parts) {
    panel.replaceChildren(...parts.filter(Boolean));
    panel.classList.add("told");
    panel.scrollTop = 0;
  }
  const hint = [...panel.childNodes];

  // What is chosen

  function mark() {
    const neighbors = new Set(chosen.length === 1 ? near[chosen[0]].map(([w]) => w) : []);
    const ends = shownEdge === null ? chosen : [edges[shownEdge].x, edges[shownEdge].y];
    nodeParts.forEach((part, v) => {
      part.classList.toggle("chosen", ends.includes(v));
      part.classList.toggle("near", neighbors.has(v));
      part.classList.remove("cut");
      part.setAttribute("aria-pressed", String(chosen.includes(v)));
    });
    edgeParts.forEach((part, i) => {
      part.classList.toggle("chosen", i === shownEdge);
      part.classList.toggle("touching", chosen.length === 1 && (edges[i].x === chosen[0] || edges[i].y === chosen[0]));
      part.classList.remove("path");
    });
    hullParts.forEach((part) => part.classList.remove("chosen"));
    svg.classList.toggle("faded", chosen.length > 0 || shownEdge !== null);
    for (const row of document.querySelectorAll("tr[data-edge][aria-current]")) row.removeAttribute("aria-current");
    announce("selected", ends);
    declutter();
  }

  function trace(along) {
    for (let i = 1; i < along.length; i++) {
      const edge = edgeBetween(along[i - 1], along[i]);
      if (edge !== undefined) edgeParts[edge].classList.add("path");
    }
    along.forEach((v) => nodeParts[v].classList.add("near"));
    svg.classList.add("faded");
    declutter();
  }

  function clear() {
    chosen = []; shownEdge = null;
    mark();
    panel.replaceChildren(...hint);
    panel.classList.remove("told");
    $("answer").textContent = "";
  }

  function choose(v, also) {
    shownEdge = null;
    if (chosen.includes(v)) chosen = chosen.filter((w) => w !== v);
    else if (also || chosen.length === 1) chosen = [...chosen.slice(-1), v];
    else chosen = [v];
    if (!chosen.length) return clear();
    mark();
    if (chosen.length === 1) showNode(chosen[0]); else showPair(...chosen);
  }

  function showNode(v) {
    const node = nodes[v];
    if (data.kind === "classifier") return showTogether([v]);
    const around = [...near[v]].sort((a, b) => number(strength(edges[b[1]])) - number(strength(edges[a[1]])));
    const many = around.length === 1 ? "one variable" : `${around.length} variables`;
    const list = element("ul");
    for (const [w, i] of around) {
      const value = strength(edges[i]);
      list.append(sentence("li", choice([name(w)], () => showEdge(i)), value ? ` ${say(value)}${unit}` : ""));
    }
    tell(
      sentence("h2", name(v)),
      node.label ? element("p", node.label) : null,
      around.length
        ? sentence("p", `Its blanket has ${many}: once known, no other variable tells anything more about `, name(v), ".")
        : element("p", "Isolated: independent of every other variable here."),
      around.length ? list : null,
      node.states ? distribution(node) : null,
      element("p", "Choose a second variable to see what separates the two.", { class: "asked" }),
    );
  }

  function distribution(node) {
    const made = element("div", undefined, { class: "bars", role: "list", "aria-label": "states" });
    node.states.forEach((state, k) => {
      const share = node.shares[k];
      const label = element("span", undefined, { role: "listitem", title: state });
      label.append(element("bdi", state));
      const meter = element("meter", undefined, { min: 0, max: 1, value: share, "aria-label": `${state}: ${percent(share)}` });
      made.append(label, meter, element("b", percent(share)));
    });
    if (node.more) made.append(element("span", `and ${node.more} more`));
    return made;
  }

  // Attributes of a classifier, and the hyperedges that all of them are in; the class is in each
  function showTogether(members) {
    const mine = hulls.filter((h) => members.every((v) => h.members.includes(v)));
    const list = element("ul");
    for (const h of mine) {
      const said = `: ${percent(h.information)} of the entropy of the class, taken at step ${h.step}`;
      list.append(sentence("li", ...named(h.members), said));
    }
    tell(
      sentence("h2", ...named(members)),
      element("p", mine.length
        ? "Hyperedges: what their members say about the class together, beyond what their parts say."
        : "In no hyperedge: says nothing about the class that the others do not say."),
      list,
    );
  }

  function showPair(x, y) {
    if (data.kind === "classifier") return showTogether([x, y]);
    const edge = edgeBetween(x, y);
    if (edge !== undefined) return showEdge(edge);
    const cut = separator(x, y), along = path(x, y);
    const title = sentence("h2", name(x), " and ", name(y));
    const words = why.get(Math.min(x, y) * nodes.length + Math.max(x, y));
    const reason = words ? [element("h3", "What decided"), element("p", words)] : [];
    if (!along) {
      tell(title, element("p", "Nothing connects them in this network: neither tells anything about the other."), ...reason);
      return;
    }
    cut.forEach((v) => nodeParts[v].classList.add("cut"));
    trace(along);
    tell(
      title,
      sentence("p", "Not joined. ", sentence("b", ...named(cut)), cut.length === 1
        ? " separates them: once it is known, neither tells anything more about the other."
        : " separate them, and no smaller set does: once they are known, neither tells anything more about the other."),
      sentence("p", "A shortest path that connects them: ", ...steps(along), "."),
      ...reason,
    );
  }

  function steps(along) {
    return along.flatMap((v, i) => (i ? [" – ", name(v)] : [name(v)]));
  }

  function showEdge(i) {
    const e = there(edges[i]);
    chosen = []; shownEdge = i;
    mark();
    if (data.kind === "classifier") return showTogether([e.x, e.y]);
    for (const row of document.querySelectorAll(`tr[data-edge="${i}"]`)) row.setAttribute("aria-current", "true");
    const facts = element("dl");
    const fact = (term, value, more = "") => {
      if (value !== undefined) facts.append(element("dt", term), element("dd", `${say(value)}${more}`));
    };
    const from = (value, ends) => (value === undefined ? undefined : `${say(value)} (${say(ends[0])} to ${say(ends[1])})`);
    fact("Edge weight", from(e.weight, e.weight_interval));
    if (e.weight === undefined) fact("Effect size", from(e.size, e.interval));
    fact("Information", e.bits, " bits");
    if (e.log_odds !== undefined) {
      const reach = 1.96 * (e.log_odds_error ?? 0); // two standard errors, all but
      fact("Log odds ratio", `${say(e.log_odds)} (${say(e.log_odds - reach)} to ${say(e.log_odds + reach)})`);
    }
    fact("Partial correlation", e.r);
    fact("Inclusion probability", e.probability);
    fact("Bayes factor", e.bayes_factor);
    fact("Bootstrap frequency", e.frequency === undefined ? undefined : `${(100 * e.frequency).toFixed(0)} % of resamples`);
    fact("Joined in", e.share === undefined ? undefined : `${percent(e.share)} of the rows`);
    fact("Evidence", e.said);
    fact("Verdict", e.verdict);
    const asked = element("ol", undefined, { class: "asked" });
    for (const line of e.asked ?? []) asked.append(element("li", line.replace(/^[\d,]+\. /, "")));
    const mine = (e.views ?? []).map((k) => {
      const own = e.by_view?.[k] ?? {};
      const known = own.weight === undefined ? from(own.size, own.interval) : from(own.weight, own.weight_interval);
      return `${views[k].label}${known === undefined ? "" : `: ${known}`}`;
    });
    tell(
      sentence("h2", ...[e.x, e.y].flatMap((v, k) => [k ? " – " : "", choice([name(v)], () => { clear(); choose(v); })])),
      data.kind === "contexts" ? element("p", view === null ? "In all rows together:" : `In context ${views[view].label}:`) : null,
      e.words ? element("p", e.words) : null,
      facts,
      e.meeting ? counts(e) : e.scatter ? scatter(e) : e.boxes ? boxes(e) : null,
      e.why ? element("h3", "What decided") : null,
      e.why ? element("p", e.why) : null,
      asked.childNodes.length ? element("h3", "Every question about the two, in order") : null,
      asked.childNodes.length ? asked : null,
      mine.length ? element("h3", "Contexts in which they are joined") : null,
      mine.length ? sentence("ul", ...mine.map((label) => element("li", label))) : null,
    );
  }

  function counts(e) {
    const m = e.meeting;
    const made = element("table", undefined, { class: "counts" });
    const said = element("p", "Rows, and in brackets how many were expected if the two were independent given their blankets. "
      + "Bold: more than two standard deviations above or below.", { class: "asked" });
    const head = element("tr");
    const corner = element("th");
    corner.append(name(e.x), " ╲ ", name(e.y));
    head.append(corner, ...m.y_states.map((state) => element("th", String(state), { scope: "col" })));
    made.append(sentence("thead", head));
    const body = element("tbody");
    m.x_states.forEach((state, i) => {
      const row = sentence("tr", element("th", String(state), { scope: "row" }));
      m.y_states.forEach((_, j) => {
        const far = m.residual[i][j];
        const cell = element("td", `${Math.round(m.observed[i][j]).toLocaleString("en")} `, {
          class: `number ${far >= 2 ? "over" : far <= -2 ? "under" : ""}`,
          title: `${far >= 0 ? "+" : ""}${far.toFixed(1)} standard deviations`,
        });
        cell.append(element("small", `(${Math.round(m.expected[i][j]).toLocaleString("en")})`));
        row.append(cell);
      });
      body.append(row);
    });
    made.append(body);
    const across = element("div", undefined, { class: "scroll", tabindex: 0, role: "region", "aria-label": "Counts" });
    across.append(made);
    return sentence("div", said, across);
  }

  // Pictures of an edge with a number

  const WIDE = 380, HIGH = 260, LEFT = 58, RIGHT = 12, TOP = 10, LOW = 44; // the place of the axes within a picture

  function shape(tag, attributes, text) {
    const made = document.createElementNS(svg.namespaceURI, tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function ticks(from, to) { // some four round numbers
    const rough = (to - from) / 6 || 1, power = 10 ** Math.floor(Math.log10(rough));
    const step = power * ([1, 2, 5].find((k) => k * power >= rough) ?? 10);
    const found = [];
    for (let k = Math.ceil(from / step - 1e-9); k * step <= to + 1e-9 * step; k += 1) found.push(k * step);
    return found;
  }

  function ruler(values, from, to) { // from numbers to places, with a little room at both ends
    let [low, high] = [Math.min(...values), Math.max(...values)];
    if (low === high) [low, high] = [low - 1, high + 1];
    const room = (high - low) * 0.04;
    const place = (value) => from + (to - from) * (value - low + room) / (high - low + 2 * room);
    return Object.assign(place, { low: low - room, high: high + room });
  }

  const short = (text, most) => ([...text].length > most ? `${[...text].slice(0, most - 1).join("")}…` : text);

  function axes(drawn, y, vertical, horizontal) {
    for (const at of ticks(y.low, y.high)) {
      drawn.append(
        shape("line", { x1: LEFT, x2: WIDE - RIGHT, y1: y(at), y2: y(at), class: "grid" }),
        shape("text", { x: LEFT - 6, y: y(at) + 3.5, class: "tick", "text-anchor": "end" }, say(at)),
      );
    }
    drawn.append(
      shape("text", { x: (LEFT + WIDE - RIGHT) / 2, y: HIGH - 6, class: "axis", "text-anchor": "middle" }, short(horizontal, 46)),
      shape("text", { x: 12, y: (TOP + HIGH - LOW) / 2, class: "axis", "text-anchor": "middle",
        transform: `rotate(-90 12 ${(TOP + HIGH - LOW) / 2})` }, short(vertical, 30)),
    );
  }

  function picture(label, words, draw) {
    const drawn = shape("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "picture", role: "img", "aria-label": label });
    draw(drawn);
    return sentence("div", drawn, element("p", words, { class: "asked" }));
  }

  function scatter(e) {
    const s = e.scatter, names = [nodes[e.x].name, nodes[e.y].name], ends = s.line ?? [];
    const few = s.x.length < s.rows ? `${s.x.length} of ${s.rows.toLocaleString("en")} rows, evenly spaced by their values` : "All rows";
    const words = `${few}${s.line ? "; the line is that of least squares through all rows, whatever else is known" : ""}.`;
    return picture(`${names[1]} against ${names[0]}`, words, (drawn) => {
      const x = ruler(s.x, LEFT, WIDE - RIGHT), y = ruler([...s.y, ...ends.map((end) => end[1])], HIGH - LOW, TOP);
      axes(drawn, y, names[1], names[0]);
      for (const at of ticks(x.low, x.high)) {
        drawn.append(shape("text", { x: x(at), y: HIGH - LOW + 16, class: "tick", "text-anchor": "middle" }, say(at)));
      }
      s.x.forEach((value, i) => drawn.append(shape("circle", { cx: x(value), cy: y(s.y[i]), r: 2.4, class: "point" })));
      if (s.line) drawn.append(shape("line", { x1: x(ends[0][0]), y1: y(ends[0][1]), x2: x(ends[1][0]), y2: y(ends[1][1]), class: "line" }));
    });
  }

  function boxes(e) {
    const b = e.boxes, other = b.number === e.x ? e.y : e.x, known = b.boxes.filter((box) => box);
    const names = [nodes[other].name, nodes[b.number].name];
    const words = "Box: the middle half of the rows of a state, with their median; whiskers: from 5 to 95 %, whatever else is known."
      + (known.length < b.boxes.length ? " States of fewer than five rows have no box." : "")
      + (b.more ? ` ${b.more.toLocaleString("en")} more states are not shown.` : "");
    return picture(`${names[1]} by ${names[0]}`, words, (drawn) => {
      const y = ruler(known.flat().length ? known.flat() : [0, 1], HIGH - LOW, TOP);
      axes(drawn, y, names[1], names[0]);
      const step = (WIDE - RIGHT - LEFT) / b.boxes.length, half = Math.min(18, 0.32 * step);
      b.boxes.forEach((box, i) => {
        const at = LEFT + (i + 0.5) * step, most = Math.max(2, Math.floor(step / 6));
        const label = shape("text", { x: at, y: HIGH - LOW + 16, class: "tick", "text-anchor": "middle" }, short(b.states[i], most));
        label.append(shape("title", {}, `${b.states[i]}: ${b.rows[i].toLocaleString("en")} rows`));
        drawn.append(label);
        if (!box) return;
        const [low, first, middle, third, high] = box.map(y);
        const part = shape("g", { class: "box" });
        part.append(
          shape("title", {}, `${b.states[i]}: median ${say(box[2])}, ${b.rows[i].toLocaleString("en")} rows`),
          shape("line", { x1: at, x2: at, y1: low, y2: high }),
          ...[low, high].map((end) => shape("line", { x1: at - half / 2, x2: at + half / 2, y1: end, y2: end })),
          shape("rect", { x: at - half, y: third, width: 2 * half, height: Math.max(0.5, first - third), rx: 1.5 }),
          shape("line", { x1: at - half, x2: at + half, y1: middle, y2: middle, class: "median" }),
        );
        drawn.append(part);
      });
    });
  }

  // Asking

  const index = new Map(nodes.map((node, v) => [node.name, v]));
  const plain = (text) => text.replace(/[\u2068\u2069]/g, "").trim().toLowerCase();
  const loosely = new Map(nodes.map((node, v) => [plain(node.name), v]));
  const find = (text) => index.get(text) ?? loosely.get(plain(text));
  const given = new Set();

  function chips() {
    $("given").replaceChildren(...[...given].map((v) => {
      const chip = element("button", undefined, { type: "button", class: "chip", "aria-label": `leave out ${nodes[v].name}` });
      chip.append(name(v), " ×");
      chip.addEventListener("click", () => { given.delete(v); chips(); });
      return chip;
    }));
  }

  function take() {
    const field = $("ask-z");
    const v = find(field.value);
    if (v === undefined) return !field.value.trim();
    given.add(v);
    field.value = "";
    chips();
    return true;
  }

  function ask(event) {
    event.preventDefault();
    const answer = $("answer");
    const x = find($("ask-x").value), y = find($("ask-y").value);
    const unknown = [$("ask-x"), $("ask-y")].find((field) => find(field.value) === undefined);
    if (unknown) { answer.textContent = `No variable is named “${unknown.value}”.`; return; }
    if (!take()) { answer.textContent = `No variable is named “${$("ask-z").value}”.`; return; }
    if (x === y) { answer.textContent = "Name two different variables."; return; }
    if (given.has(x) || given.has(y)) { answer.textContent = "A variable cannot be asked about and given at once."; return; }
    chosen = []; shownEdge = null;
    mark();
    const known = [...given];
    const along = path(x, y, given);
    nodeParts[x].classList.add("chosen"); nodeParts[y].classList.add("chosen");
    const alike = known.length ? [" given ", ...named(known)] : [];
    if (!along) {
      known.forEach((v) => nodeParts[v].classList.add("cut"));
      svg.classList.add("faded");
      declutter();
      answer.replaceChildren(
        sentence("b", "Yes: "), name(x), " is independent of ", name(y), ...alike,
        known.length ? "; every path between them goes through what is given." : "; no path connects them.",
      );
    } else {
      known.forEach((v) => nodeParts[v].classList.add("cut"));
      trace(along);
      answer.replaceChildren(
        sentence("b", "No: "), name(x), " and ", name(y), " may depend on each other", ...alike, "; ", ...steps(along),
        known.length ? " is a path around it." : " connects them.",
      );
    }
  }

  // Looking: pan, zoom, labels that do not lie on each other

  const whole = svg.getAttribute("viewBox").split(" ").map(Number);
  let box = [...whole];
  function scale() { return Math.min(svg.clientWidth / box[2], svg.clientHeight / box[3]) || 1; }
  let waiting = 0;
  function look() {
    svg.setAttribute("viewBox", box.map((n) => n.toFixed(2)).join(" "));
    const k = scale();
    svg.style.setProperty("--k", k.toFixed(4));
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(declutter);
  }
  function zoom(factor, at = [box[0] + box[2] / 2, box[1] + box[3] / 2]) {
    const width = Math.min(Math.max(box[2] * factor, 60), 3 * whole[2]);
    const by = width / box[2];
    box = [at[0] - (at[0] - box[0]) * by, at[1] - (at[1] - box[1]) * by, width, box[3] * by];
    look();
  }
  function point(event) {
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [place.x, place.y];
  }
  const labels = nodeParts.map((part) => part.querySelector(".name"));
  const widths = nodes.map((node) => 4 + 7.4 * Math.min([...node.name].length, 28));
  const important = nodes.map((_, v) => v).sort((a, b) => near[b].length - near[a].length || a - b);
  function declutter() {
    if (svg.classList.contains("held")) return; // nodes hold their names
    const k = scale();
    const marked = (v) => ["chosen", "near", "cut", "found"].some((c) => nodeParts[v].classList.contains(c)) ? 1 : 0;
    const order = [...important].sort((a, b) => marked(b) - marked(a));
    const grid = new Map(), size = 40;
    const cells = ([l, t, r, b]) => {
      const found = [];
      for (let i = Math.floor(l / size); i <= Math.floor(r / size); i++) {
        for (let j = Math.floor(t / size); j <= Math.floor(b / size); j++) found.push(`${i},${j}`);
      }
      return found;
    };
    const apart = (a, b) => a[2] < b[0] || a[0] > b[2] || a[3] < b[1] || a[1] > b[3];
    const free = (area) => cells(area).every((cell) => (grid.get(cell) ?? []).every((taken) => apart(area, taken)));
    const put = (area) => cells(area).forEach((cell) => grid.set(cell, [...(grid.get(cell) ?? []), area]));
    nodes.forEach(({ at: [x, y] }) => put([k * (x - 8), k * (y - 8), k * (x + 8), k * (y + 8)]));
    // what can be seen is wider or higher than the box where their shapes differ
    const wide = svg.clientWidth / 2, high = svg.clientHeight / 2;
    const middle = [k * (box[0] + box[2] / 2), k * (box[1] + box[3] / 2)];
    const window = [middle[0] - wide, middle[1] - high, middle[0] + wide, middle[1] + high];
    const seen = ([l, t, r, b]) => l >= window[0] && t >= window[1] && r <= window[2] && b <= window[3];
    for (const v of order) {
      const [x, y] = nodes[v].at.map((n) => n * k), w = widths[v], half = w / 2;
      const away = nodeParts[v].classList.contains("ringed") ? 17 : 13, out = away * k; // from the middle of a node
      const areas = [
        ["", [x - half, y + out, x + half, y + out + 14], 0, away],
        ["above", [x - half, y - out - 14, x + half, y - out], 0, -away],
        ["right", [x + out, y - 7, x + out + w, y + 7], away, 0],
        ["left", [x - out - w, y - 7, x - out, y + 7], -away, 0],
      ];
      const open = areas.filter(([, area]) => free(area));
      const best = open.find(([, area]) => seen(area)) ?? open[0];
      if (best || marked(v)) put((best ?? areas[0])[1]);
      const [side, , dx, dy] = best ?? areas[0];
      const label = labels[v];
      label.setAttribute("class", `name ${side}`);
      label.setAttribute("x", dx);
      label.setAttribute("y", dy);
      nodeParts[v].classList.toggle("quiet", !best && nodes.length > 1);
    }
  }

  // An edge is thin: the nearest within a few pixels is the one that is meant
  const REACH = 7;
  const alongEdge = edges.map((e) => { // its ends, and some points between them where it bends
    const a = nodes[e.x].at, b = nodes[e.y].at;
    if (!e.bend) return [a, b];
    const at = (t) => [0, 1].map((k) => (1 - t) ** 2 * a[k] + 2 * t * (1 - t) * e.bend[k] + t * t * b[k]);
    return Array.from({ length: 17 }, (_, i) => at(i / 16));
  });
  function edgeAt(event) {
    const [px, py] = point(event);
    let best = null, least = REACH / scale();
    edges.forEach((e, i) => {
      if (!drawnNow[i]) return;
      const points = alongEdge[i];
      for (let p = 1; p < points.length; p++) {
        const [ax, ay] = points[p - 1], [bx, by] = points[p];
        const dx = bx - ax, dy = by - ay;
        const share = Math.max(0, Math.min(1, ((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy || 1)));
        const away = Math.hypot(px - ax - share * dx, py - ay - share * dy);
        if (away < least) { least = away; best = i; }
      }
    });
    return best;
  }
  let over = null;
  function touch(i) {
    if (i === over) return;
    if (over !== null) {
      edgeParts[over].classList.remove("over");
      edgeParts[over].replaceChildren();
    }
    if (i !== null) { // a title for the one that is pointed at: thousands of them would slow the drawing down
      const title = document.createElementNS(svg.namespaceURI, "title"), value = strength(edges[i]);
      title.textContent = `${nodes[edges[i].x].name} – ${nodes[edges[i].y].name}${value ? `: ${say(value)}${unit}` : ""}`;
      edgeParts[i].append(title);
      edgeParts[i].classList.add("over");
    }
    svg.classList.toggle("over", i !== null);
    over = i;
  }

  let drag = null;
  svg.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    drag = { x: event.clientX, y: event.clientY, box: [...box], moved: false };
  });
  svg.addEventListener("pointermove", (event) => {
    if (!drag) return touch(event.target.closest("[data-node]") ? null : edgeAt(event));
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (!drag.moved && Math.hypot(dx, dy) < 4) return;
    if (!drag.moved) { drag.moved = true; svg.setPointerCapture(event.pointerId); svg.classList.add("dragging"); }
    drag.by = [dx, dy];
    svg.style.transform = `translate(${dx}px, ${dy}px)`; // what is painted is moved; thousands of edges paint slowly
  });
  const drop = () => {
    if (drag?.moved) {
      const k = scale();
      box = [drag.box[0] - drag.by[0] / k, drag.box[1] - drag.by[1] / k, box[2], box[3]];
      svg.style.transform = "";
      look();
    }
    svg.classList.remove("dragging");
    setTimeout(() => { drag = null; });
  };
  svg.addEventListener("pointerup", drop);
  svg.addEventListener("pointercancel", drop);
  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== svg && !svg.matches(":hover")) return;
    event.preventDefault();
    zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.004), point(event));
  }, { passive: false });
  svg.addEventListener("click", (event) => {
    if (drag?.moved) return;
    const node = event.target.closest("[data-node]"), hull = event.target.closest("[data-hull]");
    const edge = node ? null : edgeAt(event);
    if (node) { focusOn(Number(node.dataset.node)); choose(Number(node.dataset.node), event.shiftKey); }
    else if (edge !== null) showEdge(edge);
    else if (hull) showHull(Number(hull.dataset.hull));
    else clear();
  });

  function showHull(i) {
    clear();
    hullParts[i].classList.add("chosen");
    showTogether(hulls.filter((h) => h.order > 3)[i].members);
  }

  // Keys: one stop for the drawing, arrows to the nearest variable that way

  let focused = 0;
  function focusOn(v) {
    nodeParts[focused]?.setAttribute("tabindex", "-1");
    focused = v;
    nodeParts[v].setAttribute("tabindex", "0");
    nodeParts[v].focus({ preventScroll: true });
  }
  svg.addEventListener("keydown", (event) => {
    const node = event.target.closest("[data-node]");
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (way && node) {
      event.preventDefault();
      const [x, y] = nodes[focused].at;
      let best = null, least = Infinity;
      nodes.forEach(({ at }, v) => {
        const along = (at[0] - x) * way[0] + (at[1] - y) * way[1];
        const aside = Math.abs((at[0] - x) * way[1]) + Math.abs((at[1] - y) * way[0]);
        if (v !== focused && along > 0.5 && along + 2 * aside < least) { least = along + 2 * aside; best = v; }
      });
      if (best !== null) focusOn(best);
    } else if ((event.key === "Enter" || event.key === " ") && node) {
      event.preventDefault();
      choose(Number(node.dataset.node), event.shiftKey);
    } else if (event.key === "+" || event.key === "=") zoom(0.8);
    else if (event.key === "-") zoom(1.25);
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") clear(); });

  // The tools

  const threshold = $("threshold");
  function reach() {
    threshold.max = Math.max(0, byStrength.length - 1);
    threshold.disabled = byStrength.length < 2;
  }
  reach();
  threshold.addEventListener("input", () => {
    hidden = Number(threshold.value);
    filter();
    threshold.setAttribute("aria-valuetext", $("shown").textContent);
  });
  $("search").addEventListener("input", (event) => {
    const wanted = plain(event.target.value);
    const found = nodes.map((node, v) => v).filter((v) => wanted && plain(nodes[v].name).includes(wanted));
    nodeParts.forEach((part, v) => part.classList.toggle("found", found.includes(v)));
    svg.classList.toggle("faded", found.length > 0 || chosen.length > 0);
    declutter();
  });
  $("search").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const found = nodeParts.findIndex((part) => part.classList.contains("found"));
    if (found >= 0) { chosen = []; choose(found); }
  });
  $("view").addEventListener("change", (event) => {
    view = event.target.value === "" ? null : Number(event.target.value);
    near = graph();
    hidden = 0;
    threshold.value = 0;
    order();
    reach();
    clear();
    filter();
    stroke();
    tabulate();
    const whose = edges.some((e) => e.by_view?.[view]) ? " Strengths and widths are those of its rows, given its graph." : "";
    const said = view === null ? union : `Holds where ${views[view].where}.${whose}`;
    $("where").textContent = said;
    if ($("which")) $("which").textContent = view === null ? union : `Context ${views[view].label}. ${said}`;
  });
  const union = $("where").textContent;

  // Widths and signs as they are in the view
  const strokes = edgeParts.map((part) => [part.getAttribute("stroke-width"), SIGNS.find((sign) => part.classList.contains(sign))]);
  function stroke() {
    edgeParts.forEach((part, i) => {
      const own = view === null ? undefined : edges[i].by_view?.[view];
      part.setAttribute("stroke-width", own?.width ?? strokes[i][0]);
      SIGNS.forEach((sign) => part.classList.toggle(sign, sign === (own?.sign ?? strokes[i][1])));
    });
  }
  $("fit").addEventListener("click", () => { box = [...whole]; look(); });
  $("zoom-in").addEventListener("click", () => zoom(0.7));
  $("zoom-out").addEventListener("click", () => zoom(1 / 0.7));
  $("ask").addEventListener("submit", ask);
  $("ask-z").addEventListener("change", take);
  $("names").append(...nodes.map((node) => element("option", undefined, { value: node.name })));

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
  const theme = $("theme");
  function paint() {
    theme.textContent = isDark() ? "Light" : "Dark";
    theme.setAttribute("aria-pressed", String(isDark()));
  }
  theme.addEventListener("click", () => { document.documentElement.dataset.theme = isDark() ? "light" : "dark"; paint(); });
  dark.addEventListener("change", paint);

  // Downloads are made here, of what is in the page

  function download(text, ending, kind) {
    const link = element("a", undefined, { download: `${data.file}.${ending}`, href: URL.createObjectURL(new Blob([text], { type: kind })) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
  $("csv")?.addEventListener("click", () => download(data.files.csv, "csv", "text/csv;charset=utf-8"));
  $("latex")?.addEventListener("click", () => download(data.files.latex, "tex", "text/plain;charset=utf-8"));
  $("graphml")?.addEventListener("click", () => download(data.files.graphml, "graphml", "application/xml"));
  const kept = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "stroke-linejoin",
    "font-size", "font-family", "font-weight", "text-anchor", "dominant-baseline", "paint-order", "opacity", "vector-effect"];
  $("save").addEventListener("click", () => {
    const copy = svg.cloneNode(true);
    const originals = svg.querySelectorAll("*"), copies = copy.querySelectorAll("*");
    originals.forEach((part, i) => {
      const style = getComputedStyle(part);
      if (part.localName !== "title" && style.display === "none") { copies[i].setAttribute("display", "none"); return; }
      if (["circle", "rect", "line", "path", "text", "tspan", "polygon", "g"].includes(part.localName)) for (const key of kept) copies[i].setAttribute(key, style.getPropertyValue(key));
    });
    for (const part of copy.querySelectorAll("[display=none]")) part.remove();
    download(new XMLSerializer().serializeToString(copy), "svg", "image/svg+xml");
  });

  // The table of edges

  const table = $("edge-table");
  const heads = table ? [...table.tHead.rows[0].cells] : [], body = table?.tBodies[0];
  const cells = [...body?.rows ?? []].flatMap((row) => [...row.cells].slice(1).map((cell, k) => ({
    cell, edge: edges[row.dataset.edge], key: heads[k + 1].dataset.key, text: cell.textContent, value: cell.dataset.value,
  })));
  const inColumn = {
    weight: (s) => s.weight, weight_low: (s) => s.weight_interval?.[0], weight_high: (s) => s.weight_interval?.[1],
    size: (s) => s.size, size_low: (s) => s.interval?.[0], size_high: (s) => s.interval?.[1], bits: (s) => s.bits,
    log_odds: (s) => s.log_odds, log_odds_error: (s) => s.log_odds_error, r: (s) => s.r,
  };
  function tabulate() { // the edges of the view, as strong as they are there
    if (table) $("listed").textContent = byStrength.length === 1 ? "1 edge" : `${byStrength.length.toLocaleString("en")} edges`;
    for (const row of body?.rows ?? []) row.hidden = !inView(edges[row.dataset.edge]);
    for (const { cell, edge, key, text, value } of cells) {
      const own = view === null ? undefined : edge.by_view?.[view];
      const shown = own && inColumn[key] ? inColumn[key](own) : undefined;
      cell.textContent = !own || !inColumn[key] ? text : shown === undefined ? "" : say(shown);
      const sorted = !own || !inColumn[key] ? value : shown;
      if (sorted === undefined) delete cell.dataset.value; else cell.dataset.value = sorted;
    }
  }
  if (table) {
    table.addEventListener("click", (event) => {
      const sort = event.target.closest(".sort"), row = event.target.closest(".show")?.closest("tr");
      if (sort) {
        const column = Number(sort.dataset.column), head = heads[column];
        const down = head.getAttribute("aria-sort") !== "descending";
        heads.forEach((other) => other.setAttribute("aria-sort", "none"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const key = (cell) => cell.dataset.value !== undefined ? Number(cell.dataset.value) : cell.textContent === "∞" ? Infinity : null;
        const rows = [...body.rows].map((one) => [one, key(one.cells[column]), one.cells[column].textContent]);
        rows.sort((a, b) => {
          if (a[1] === null && b[1] === null) return (down ? 1 : -1) * a[2].localeCompare(b[2]);
          if (a[1] === null || b[1] === null) return a[1] === null ? 1 : -1;
          return (down ? b[1] - a[1] : a[1] - b[1]);
        });
        body.append(...rows.map(([one]) => one));
      } else if (row) {
        showEdge(Number(row.dataset.edge));
        panel.focus({ preventScroll: true });
        $("network").scrollIntoView({ block: "start" });
      }
    });
  }

  for (const button of panel.querySelectorAll(".show-edge")) {
    button.addEventListener("click", () => showEdge(Number(button.dataset.edgeNumber)));
  }
  svg.addEventListener("select", ({ detail }) => {
    clear();
    detail.slice(0, 2).forEach((v) => choose(v));
  });
  svg.addEventListener("hide", ({ detail }) => {
    hidden = byStrength.filter((i) => number(strength(edges[i])) < detail).length;
    threshold.value = hidden;
    filter();
  });
  new ResizeObserver(look).observe(svg);
  paint();
  filter();
  look();
  svg.dataset.ready = "true";
})();
