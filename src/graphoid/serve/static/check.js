// What reading the table would do, column by column, and what is to be done otherwise.
const $ = (id) => document.getElementById(id);
const KINDS = ["nominal", "ordered", "continuous", "count"];

let kinds = {}, dropped = new Set(), columns = [];

export function choices() {
  const seconds = Number($("seconds").value);
  return {
    kinds, drop: [...dropped], missing: $("missing").value, decimal: $("decimal").value,
    na_values: $("na").value.split(",").map((value) => value.trim()).filter(Boolean),
    seconds: seconds > 0 ? seconds : null,
  };
}

export function setChoices(known) {
  kinds = { ...known.kinds };
  dropped = new Set(known.drop);
  columns = [];
  $("missing").value = known.missing;
  $("decimal").value = known.decimal;
  $("na").value = known.na_values.join(", ");
  $("seconds").value = known.seconds ?? "";
}

const cell = (...parts) => { const made = document.createElement("td"); made.append(...parts); return made; };
const list = (into, sentences) => into.replaceChildren(...sentences.map((words) => {
  const item = document.createElement("li");
  item.textContent = words;
  return item;
}));

export function showCheck(report, again) {
  const count = (n, what) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;
  $("size").textContent = report.columns.length
    ? `${count(report.n_rows, "row")}, ${report.n_rows_complete.toLocaleString("en")} without a missing cell; ${report.n_rows_used.toLocaleString("en")} would be used.`
    : "";
  list($("problems"), report.problems);
  const remarks = report.observations;
  $("remarks").hidden = !remarks.length;
  $("remarks").querySelector("summary").textContent = count(remarks.length, "remark");
  list($("remarks").querySelector("ul"), remarks);
  // columns that are left out stay in the list, as they were
  const now = new Map(report.columns.map((column) => [column.name, column]));
  if (!columns.length) columns = report.columns;
  columns = columns.map((column) => now.get(column.name) ?? column);
  $("columns").tBodies[0].replaceChildren(...columns.map((column) => row(column, again)));
}

function row(column, again) {
  const made = document.createElement("tr"), out = dropped.has(column.name);
  made.classList.toggle("left-out", out);
  const use = Object.assign(document.createElement("input"), { type: "checkbox", checked: !out });
  use.setAttribute("aria-label", `use ${column.name}`);
  use.addEventListener("change", () => {
    if (use.checked) dropped.delete(column.name); else dropped.add(column.name);
    again();
  });
  const kind = document.createElement("select");
  kind.setAttribute("aria-label", `kind of ${column.name}`);
  const found = kinds[column.name] ? "as found out" : `${column.kind}${column.why ? ` (${column.why})` : ""}`;
  kind.append(new Option(found, ""), ...KINDS.map((name) => new Option(name, name)));
  kind.value = kinds[column.name] ?? "";
  kind.disabled = out;
  kind.addEventListener("change", () => {
    if (kind.value) kinds[column.name] = kind.value; else delete kinds[column.name];
    again();
  });
  const name = document.createElement("bdi");
  name.textContent = column.name;
  made.append(cell(use), cell(name), cell(kind), cell(column.n_states.toLocaleString("en")), cell(column.n_missing.toLocaleString("en")),
    cell(out ? "left out" : column.problem ?? column.action));
  return made;
}
