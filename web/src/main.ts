/** The page of weir ui: connects to the server, and shows what it says. */

import { Details } from "./details";
import { find, formatTime, make } from "./dom";
import { type Chosen, Graph } from "./graph";
import type { Network, Received, Send, State } from "./messages";
import { Packets } from "./packets";

const SPEEDS: [number, string][] = [
  [1e-6, "1 µs a second"],
  [1e-5, "10 µs a second"],
  [1e-4, "100 µs a second"],
  [1e-3, "1 ms a second"],
  [1e-2, "10 ms a second"],
  [0.1, "0.1 s a second"],
  [1, "real time"],
  [10, "10 s a second"],
];

const status = find("status");
const play = find<HTMLButtonElement>("play");
const speed = find<HTMLSelectElement>("speed");
const go = find<HTMLInputElement>("go");
const skips = find<HTMLInputElement>("skips");
let graph: Graph | undefined;
let details: Details | undefined;
let packets: Packets | undefined;
let state: State | undefined;
let refused = "";

for (const [value, label] of SPEEDS) speed.append(new Option(label, String(value)));

const address = new URL(`socket${location.search}`, location.href);
address.protocol = "ws:";
const socket = new WebSocket(address);
const send: Send = (message) => {
  refused = "";
  socket.send(JSON.stringify(message));
};
socket.addEventListener("message", (event) => receive(JSON.parse(event.data)));
socket.addEventListener("close", () => {
  say("The connection has ended: weir ui is not running any more, or the address is not complete.");
});

function receive(message: Received): void {
  if (message.type === "network") begin(message);
  else if (message.type === "state") update(message);
  else if (message.type === "node") details?.showDetails(message.node);
  else if (message.type === "packet") packets?.show(message.packet);
  else {
    refused = message.message;
    showStatus();
  }
}

function begin(network: Network): void {
  const press = (name: string) => {
    for (const button of find("nodes").querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(button.dataset.of === name));
  };
  const choose = (chosen: Chosen) => {
    graph?.select(chosen);
    details?.choose(chosen);
    press("node" in chosen ? `n ${chosen.node}` : `l ${chosen.link}`);
  };
  graph = new Graph(network, find("graph"), find<HTMLCanvasElement>("packets"), choose);
  details = new Details(network, find("details"), send);
  packets = new Packets(network, find("details"), send, () => {
    details?.leave();
    press("");
  });
  const button = (label: string, of: string, chosen: Chosen) => {
    const made = make("button", { "data-of": of, "aria-pressed": "false" }, label);
    made.addEventListener("click", () => choose(chosen));
    return made;
  };
  find("nodes").replaceChildren(
    ...network.nodes.map((node) => button(node.name, `n ${node.name}`, { node: node.name })),
    ...network.links.map((link, number) =>
      button(`${link.a} – ${link.b}`, `l ${number}`, { link: number }),
    ),
  );
  const first = network.nodes.find((node) => node.kind === "host") ?? network.nodes[0];
  if (first) choose({ node: first.name });
  setInterval(() => details?.refresh(), 1000);
}

function update(next: State): void {
  state = next;
  graph?.update(next);
  details?.update(next);
  packets?.update(next);
  play.textContent = next.playing || next.rerun ? "Pause" : "Play";
  document.body.dataset.digest = next.digest;
  document.body.dataset.now = String(next.now_ns);
  if (document.activeElement !== speed) {
    const known = SPEEDS.find(([value]) => Math.abs(value / next.speed - 1) < 1e-6);
    speed.value = known ? String(known[0]) : "";
  }
  skips.checked = next.skips;
  go.disabled = next.reach_ns === 0;
  if (document.activeElement !== go || next.playing)
    go.value = String(next.reach_ns ? Math.round((1000 * next.now_ns) / next.reach_ns) : 0);
  go.setAttribute("aria-valuetext", formatTime(next.now_ns));
  const drops = next.drops.map((drop) => make("li", {}, `${drop.text}.`));
  find("drops").replaceChildren(
    ...(next.why ? [make("h2", {}, "Why packets did not arrive"), make("p", {}, next.why)] : []),
    ...(drops.length > 1 ? [make("ul", {}, ...drops)] : []),
  );
  showStatus();
}

function showStatus(): void {
  if (refused) say(refused, true);
  else if (state?.error) say(state.error, true);
  else if (state?.rerun) say("Running the network again to the chosen time …");
  else if (state?.idle) say("Nothing is left to happen: choose a host and give it a command.");
  else if (state && !state.playing) say("Paused.");
  else say("");
}

function say(text: string, wrong = false): void {
  if (status.textContent !== text) status.textContent = text;
  status.classList.toggle("error", wrong);
}

function toggle(): void {
  if (state?.playing || state?.rerun) send({ type: "pause" });
  else send({ type: "play", speed: Number(speed.value) || 1e-3 });
}

play.addEventListener("click", toggle);
find("packet").addEventListener("click", () => send({ type: "step", by: "packet" }));
find("event").addEventListener("click", () => send({ type: "step", by: "event" }));
speed.addEventListener("change", () => send({ type: "play", speed: Number(speed.value) }));
skips.addEventListener("change", () => send({ type: "skips", value: skips.checked }));
go.addEventListener("change", () => {
  if (!state) return;
  send({ type: "go", time_ns: Math.round((state.reach_ns * Number(go.value)) / 1000) });
});
document.addEventListener("keydown", (event) => {
  if (event.target instanceof Element && event.target.closest("input, select, button, summary"))
    return;
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === " ") toggle();
  else if (event.key === ".") send({ type: "step", by: "packet" });
  else if (event.key === ",") send({ type: "step", by: "event" });
  else return;
  event.preventDefault();
});

const now = find("now");
function showTime(): void {
  requestAnimationFrame(showTime);
  const text = formatTime(graph?.shownTime() ?? 0);
  if (now.textContent !== text) now.textContent = text;
  document.body.dataset.moving = graph?.describe() ?? "";
}
showTime();
