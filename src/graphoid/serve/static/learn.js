// How far a run has come.
import { ask } from "./api.js";

const $ = (id) => document.getElementById(id);
const PAUSE = 300; // milliseconds between two looks

let following = false;

export async function follow(ended) {
  if (following) return;
  following = true;
  $("start").disabled = true;
  $("cancel").hidden = $("cancel").disabled = false;
  $("progress").hidden = false;
  let job = { state: "failed", error: "graphoid serve does not answer; it was ended." };
  try {
    for (;;) {
      ({ job } = await ask("/api/state"));
      if (job.state !== "running") break;
      if (job.total) $("bar").value = job.done / job.total; else $("bar").removeAttribute("value");
      const of = job.total ? ` of ${job.total.toLocaleString("en")}` : "";
      $("phase").textContent = `${job.phase}${job.done || job.total ? ` ${job.done.toLocaleString("en")}${of}` : ""}, ${job.seconds.toFixed(0)} s`;
      await new Promise((resolve) => { setTimeout(resolve, PAUSE); });
    }
  } catch (error) {
    job = { state: "failed", error: error.message };
  }
  following = false;
  $("start").disabled = false;
  $("cancel").hidden = true;
  $("progress").hidden = job.state !== "cancelled";
  $("bar").value = 0;
  $("phase").textContent = job.state === "cancelled" ? "cancelled; nothing had been found yet." : "";
  ended(job);
}
