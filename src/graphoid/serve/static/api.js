// Questions to the server. The token comes with the address that was opened first, is kept for this tab, and leaves the
// address, so that it is in no history.

const NAME = "graphoid-token";
const address = new URL(location.href);
if (address.searchParams.has("token")) {
  sessionStorage.setItem(NAME, address.searchParams.get("token"));
  history.replaceState(null, "", "/");
}

async function send(path, options) {
  const headers = { "X-Graphoid-Token": sessionStorage.getItem(NAME) ?? "" };
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch {
    throw new Error("graphoid serve does not answer; it was ended, or the connection was cut.");
  }
  if (response.ok) return response;
  const said = await response.json().catch(() => ({}));
  throw new Error(said.error ?? `the server answers ${response.status}.`);
}

export const ask = async (path) => (await send(path)).json();
export const text = async (path) => (await send(path)).text();
export const say = async (path, words = {}) => (await send(path, { method: "POST", body: JSON.stringify(words) })).json();
export const upload = async (file) => (await send(`/api/upload?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file })).json();

export async function download(name) {
  const link = Object.assign(document.createElement("a"), { download: name });
  link.href = URL.createObjectURL(await (await send(`/api/files/${name}`)).blob());
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
