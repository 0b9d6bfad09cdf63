// A frame that shows a page of graphoid and nothing else: it has an origin of its own, so that nothing in the page can
// reach what is around it. They talk by a port. `hear` gets {selected}, {threshold}, {evidence} or {open}; what is
// returned says such things to the page, and {marginals} and {note}.
export function showPage(html, title, hear) {
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts allow-downloads";
  frame.title = title;
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }) => hear(data);
  frame.addEventListener("load", () => frame.contentWindow.postMessage("graphoid", "*", [port2]), { once: true });
  frame.srcdoc = html;
  return { frame, say: (words) => port1.postMessage(words), close: () => port1.close() };
}
