// The page as the cell of a notebook: what is chosen there becomes traits of the view in Python, and the other way around.
const TRAITS = { selected: "_selected", threshold: "threshold", evidence: "_evidence" };
const ANSWERS = { marginals: "_marginals", note: "_note" };

function render({ model, el }) {
  const heard = {}; // what came from the page is not said to it again
  const page = showPage(model.get("_page"), "Markov network", (words) => {
    for (const [what, value] of Object.entries(words)) {
      if (what === "open") model.set("_request", model.get("_request") + 1);
      else { heard[what] = JSON.stringify(value); model.set(TRAITS[what], value); }
    }
    model.save_changes();
  });
  Object.assign(page.frame.style, { width: "100%", height: `${model.get("_height")}px`, border: "0", display: "block" });
  const watched = Object.entries({ ...TRAITS, ...ANSWERS }).map(([what, trait]) => {
    const tell = () => {
      const value = model.get(trait);
      if (heard[what] !== JSON.stringify(value)) page.say({ [what]: value });
      delete heard[what];
    };
    model.on(`change:${trait}`, tell);
    return [trait, tell];
  });
  page.say(Object.fromEntries(Object.entries(TRAITS).map(([what, trait]) => [what, model.get(trait)])));
  el.append(page.frame);
  // the static picture above has done its service
  for (const still of document.querySelectorAll(`[data-graphoid="${model.get("_key")}"]`)) still.hidden = true;
  return () => {
    for (const [trait, tell] of watched) model.off(`change:${trait}`, tell);
    page.close();
  };
}

export default { render };
