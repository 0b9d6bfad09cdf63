"use strict";
// The page within a notebook or graphoid serve, its host: what is chosen goes there, by a port that the host hands in,
// and the host may choose as well. Variables and states are said by position. Evidence is given here by sliders; the
// host has the model, and answers with the distributions of all variables.
(() => {
  const { nodes, whole } = JSON.parse(document.getElementById("data").textContent);
  const svg = document.getElementById("drawing");
  const said = {}; // what the host knows already
  let port = null;

  function say(what, value) {
    const text = JSON.stringify(value);
    if (!port || said[what] === text) return;
    said[what] = text;
    port.postMessage({ [what]: value });
  }

  // Choosing variables may take several steps; the host hears of the last

  let chosen = [], waiting = false;
  svg.addEventListener("selected", ({ detail }) => {
    chosen = detail;
    if (waiting) return;
    waiting = true;
    queueMicrotask(() => { waiting = false; say("selected", chosen); });
  });
  svg.addEventListener("threshold", ({ detail }) => say("threshold", Math.min(detail, Number.MAX_VALUE)));

  // Evidence

  const given = new Map(); // from variables to states, or numbers
  const STEPS = 100; // of the slider of a number
  const section = document.createElement("details");
  section.id = "evidence";
  section.innerHTML = `<summary>What follows if some variables are known?</summary>
    <p class="note"><span>Move a slider to say what is known: the distributions of the others follow, by a model with this network.</span>
    <button type="button" id="forget">Forget all</button> <output id="evidence-note" role="status"></output></p><div class="cards"></div>`;
  const note = section.querySelector("#evidence-note");

  function card(node, v) {
    const steps = node.states ? node.states.length : node.range ? STEPS + 1 : 0;
    if (!steps) return null;
    const made = document.createElement("div");
    made.className = "card";
    made.innerHTML = "<label><bdi></bdi> <output></output><input type='range' min='0' step='1' value='0'></label><div class='bars'></div>";
    const [name, output, slider, bars] = ["bdi", "output", "input", ".bars"].map((what) => made.querySelector(what));
    name.textContent = node.name;
    slider.max = steps;
    const value = (step) => node.states ? step - 1 : node.range[0] + (step - 1) / STEPS * (node.range[1] - node.range[0]);
    const words = (known) => known === undefined ? "not given" : node.states ? node.states[known] : String(Number(known.toPrecision(4)));
    slider.addEventListener("input", () => {
      const step = Number(slider.value);
      if (step) given.set(v, value(step)); else given.delete(v);
      show();
      say("evidence", [...given]);
    });
    const meters = (node.states ?? []).map((state) => {
      const label = document.createElement("span"), meter = document.createElement("meter"), share = document.createElement("b");
      label.append(Object.assign(document.createElement("bdi"), { textContent: state }));
      label.title = state;
      bars.append(label, meter, share);
      return (p) => {
        meter.value = p;
        meter.setAttribute("aria-label", `${state}: ${(100 * p).toFixed(1)} %`);
        share.textContent = `${(100 * p).toFixed(1)} %`;
      };
    });
    const show = () => {
      const known = given.get(v), step = known === undefined ? 0
        : node.states ? known + 1 : 1 + Math.round(STEPS * (known - node.range[0]) / (node.range[1] - node.range[0] || 1));
      slider.value = step;
      output.textContent = words(known);
      slider.setAttribute("aria-valuetext", words(known));
      made.classList.toggle("given", known !== undefined);
    };
    const fill = (answer) => {
      if (Array.isArray(answer)) meters.forEach((meter, k) => meter(answer[k]));
      else bars.textContent = `mean ${words(answer.mean)}, 90 % from ${words(answer.low)} to ${words(answer.high)}`;
    };
    show();
    return { made, show, fill };
  }

  const cards = nodes.map(card);
  section.querySelector(".cards").append(...cards.filter(Boolean).map(({ made }) => made));
  const showAll = () => cards.forEach((one) => one?.show());
  section.addEventListener("toggle", () => { if (section.open) say("open", true); });
  section.querySelector("#forget").addEventListener("click", () => {
    given.clear();
    showAll();
    say("evidence", []);
  });
  if (whole && cards.some(Boolean)) document.getElementById("network").append(section);

  const hear = {
    selected: (list) => svg.dispatchEvent(new CustomEvent("select", { detail: list })),
    threshold: (least) => svg.dispatchEvent(new CustomEvent("hide", { detail: least })),
    evidence(list) {
      given.clear();
      for (const [v, value] of list) given.set(v, value);
      showAll();
      if (list.length) section.open = true;
    },
    marginals: (answers) => answers.forEach((answer, v) => cards[v]?.fill(answer)),
    note: (words) => { note.textContent = words; },
  };

  addEventListener("message", function connect(event) {
    if (event.source !== window.parent || event.data !== "graphoid" || !event.ports.length) return;
    removeEventListener("message", connect);
    [port] = event.ports;
    port.onmessage = ({ data }) => {
      for (const [what, value] of Object.entries(data)) {
        said[what] = JSON.stringify(value);
        hear[what]?.(value);
      }
    };
  });
})();
