// The page of the network, live: evidence goes to the server, and the distributions come back.
import { download, say, text } from "./api.js";
import { showPage as showFrame } from "./frame.js";

const $ = (id) => document.getElementById(id);
const STOPPED = {
  interrupted: "The run was cancelled: this is the best network it had found by then.",
  budget: "The time was over: this is the best network found by then.",
};

let shown = null;

export async function showPage(result) {
  shown?.close();
  let known = [];
  const page = showFrame(await text("/api/page"), "The network", (words) => {
    known = words.evidence ?? known;
    if ("evidence" in words || "open" in words) answer(known);
  });
  shown = page;
  $("page").replaceChildren(page.frame);
  $("stopped").textContent = STOPPED[result.stopped] ?? "";
  $("stopped").hidden = !STOPPED[result.stopped];
  $("explore").hidden = false;
  $("explore").scrollIntoView({ behavior: "smooth" });

  // One question at a time; of those that come meanwhile, the last is asked next
  let waiting = null, busy = false;
  async function answer(evidence) {
    waiting = evidence;
    if (busy) return;
    busy = true;
    while (waiting) {
      const next = waiting;
      waiting = null;
      page.say({ note: "working it out …" });
      try {
        const { marginals } = await say("/api/marginals", { evidence: next });
        page.say({ marginals, note: "" });
      } catch (error) {
        page.say({ note: error.message });
      }
    }
    busy = false;
  }
}

for (const button of document.querySelectorAll("[data-file]")) {
  button.addEventListener("click", () => download(button.dataset.file));
}
