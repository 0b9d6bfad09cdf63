// The page: a table, its check, a run, and the network. Each part is a file; this one joins them.
import { ask, say, upload } from "./api.js";
import { choices, setChoices, showCheck } from "./check.js";
import { showPage } from "./explore.js";
import { follow } from "./learn.js";

const $ = (id) => document.getElementById(id);
const MOST_BYTES = 256 * 2 ** 20; // as the server has it

export function complain(error) {
  $("error").textContent = error ? error.message ?? String(error) : "";
  $("error").hidden = !error;
}

// Do something, and say what went wrong if it does
const attempt = (work) => async (...given) => {
  complain(null);
  try { await work(...given); } catch (error) { complain(error); }
};

function show(state) {
  $("name").textContent = state.file ?? "from a table to its Markov network";
  $("shelf").hidden = !state.files.length;
  $("files").replaceChildren(new Option("choose one", ""), ...state.files.map((name) => new Option(name, name, false, name === state.file)));
  $("file").accept = state.endings.join(",");
  for (const part of ["check", "learn"]) $(part).hidden = !state.file;
  $("explore").hidden = !state.learned;
}

let latest = 0; // only the last of several checks is shown
const check = attempt(async () => {
  const mine = latest += 1;
  $("size").textContent = "reading the table …";
  $("start").disabled = true;
  try {
    const report = await say("/api/check", choices());
    if (mine !== latest) return;
    showCheck(report, check);
    $("start").disabled = !report.ok;
  } catch (error) {
    if (mine === latest) { $("size").textContent = ""; throw error; }
  }
});

const take = attempt(async (bring) => {
  const state = await bring();
  setChoices(state.choices);
  show(state);
  await check();
});

function bring(file) {
  if (!file) return;
  if (file.size > MOST_BYTES) {
    complain(`${file.name} has more than the 256 MB that can be sent; name it on the command line: graphoid serve FILE.`);
    return;
  }
  take(() => upload(file));
}

const ended = attempt(async (job) => {
  const state = await ask("/api/state");
  show(state);
  if (job.state === "failed") complain(job.error);
  if (job.state === "done" && job.do === "learn") await showPage(job.result);
});

$("file").addEventListener("change", () => bring($("file").files[0]));
$("files").addEventListener("change", () => { if ($("files").value) take(() => say("/api/open", { name: $("files").value })); });
$("drop").addEventListener("dragover", (event) => { event.preventDefault(); $("drop").classList.add("over"); });
$("drop").addEventListener("dragleave", () => $("drop").classList.remove("over"));
$("drop").addEventListener("drop", (event) => {
  event.preventDefault();
  $("drop").classList.remove("over");
  bring(event.dataTransfer.files[0]);
});
for (const id of ["missing", "na", "decimal"]) $(id).addEventListener("change", check);
$("start").addEventListener("click", attempt(async () => {
  $("explore").hidden = true;
  await say("/api/learn", choices());
  follow(ended);
}));
$("cancel").addEventListener("click", attempt(async () => {
  $("cancel").disabled = true;
  await say("/api/cancel");
}));

// What was there before the page was loaded again
attempt(async () => {
  const state = await ask("/api/state");
  setChoices(state.choices);
  show(state);
  if (!state.file) return;
  if (state.job?.do === "learn" && state.job.state === "running") return follow(ended);
  if (state.learned) await showPage(state.job?.do === "learn" ? state.job.result : {});
  await check();
})();
