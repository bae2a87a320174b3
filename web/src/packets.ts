/** The list of packets with a filter, and the layers, bytes and path of a chosen packet. */

import { find, formatTime, make } from "./dom";
import type { Layer, Network, Packet, Send, State, Visit } from "./messages";

const MAX_ROWS = 1000;

interface Row {
  number: number;
  words: string;
  element: HTMLTableRowElement;
}

export class Packets {
  private rows: Row[] = [];
  private generation = -1;
  private chosen = -1;
  private filter: string[] = [];
  private readonly body = find("rows");
  private readonly scroll = find("list");

  constructor(
    private readonly network: Network,
    private readonly box: HTMLElement,
    private readonly send: Send,
    private readonly opened: () => void,
  ) {
    const input = find<HTMLInputElement>("filter");
    input.addEventListener("input", () => {
      this.filter = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of this.rows) row.element.hidden = !this.matches(row);
      this.count();
    });
    this.count();
  }

  private matches(row: Row): boolean {
    return this.filter.every((word) => row.words.includes(word));
  }

  private count(): void {
    const shown = this.rows.filter((row) => !row.element.hidden).length;
    find("count").textContent =
      shown === this.rows.length ? `${shown} packets` : `${shown} of ${this.rows.length} packets`;
  }

  update(state: State): void {
    if (state.generation !== this.generation) {
      this.generation = state.generation;
      this.rows = [];
      this.body.replaceChildren();
    } else if (!state.sent.length) return;
    const { scrollTop, scrollHeight, clientHeight } = this.scroll;
    const atEnd = scrollTop + clientHeight > scrollHeight - 40;
    for (const [number, end, start, , bytes, what] of state.sent) {
      const link = this.network.links[end >> 1];
      if (!link) continue;
      const [from, to] = end % 2 ? [link.b, link.a] : [link.a, link.b];
      const open = make("button", { type: "button" }, formatTime(start));
      open.addEventListener("click", () => this.choose(number));
      const element = make(
        "tr",
        {},
        make("td", {}, open),
        ...[from, to, String(bytes), what].map((text) => make("td", {}, text)),
      );
      element.addEventListener("click", (event) => {
        if (event.target !== open) this.choose(number);
      });
      element.classList.toggle("chosen", number === this.chosen);
      const row = { number, words: `${from} ${to} ${bytes} ${what}`.toLowerCase(), element };
      element.hidden = !this.matches(row);
      this.rows.push(row);
      this.body.append(element);
    }
    for (const row of this.rows.splice(0, Math.max(0, this.rows.length - MAX_ROWS)))
      row.element.remove();
    if (atEnd) this.scroll.scrollTop = this.scroll.scrollHeight;
    this.count();
  }

  private choose(number: number): void {
    this.chosen = number;
    for (const row of this.rows) row.element.classList.toggle("chosen", row.number === number);
    this.send({ type: "packet", number });
  }

  show(packet: Packet): void {
    this.opened();
    const arrival =
      packet.arrival_ns === null ? "not arrived" : `arrived at ${formatTime(packet.arrival_ns)}`;
    const trace = packet.path.length
      ? []
      : [
          make(
            "p",
            { class: "soft" },
            "No switch has a trace of this packet: time was faster than 10 ms a second, or the packet " +
              "is in its first switch. Go back to shortly before it, and play slowly or step.",
          ),
        ];
    this.box.replaceChildren(
      make("h2", {}, `Packet from ${packet.from} to ${packet.to}`),
      make("p", {}, packet.fate),
      make(
        "p",
        { class: "soft" },
        `${packet.what}, ${packet.length} bytes, sent at ${formatTime(packet.start_ns)}, ${arrival}`,
      ),
      ...packet.path.map(visit),
      ...trace,
      ...bytes(packet.hex, packet.layers),
    );
    this.box.focus({ preventScroll: true });
    this.box.scrollIntoView({ block: "nearest" });
  }
}

function visit(one: Visit): HTMLElement {
  const queue = one.queue_ns ? `, of these ${formatTime(one.queue_ns)} in the queue` : "";
  return make(
    "details",
    {},
    make("summary", {}, `${one.switch}: ${one.fate}`),
    make(
      "p",
      { class: "soft" },
      `${formatTime(one.inside_ns)} in the switch${queue}, from ${formatTime(one.arrival_ns)}`,
    ),
    make(
      "pre",
      { class: "tree", tabindex: "0", role: "region", "aria-label": `Trace in ${one.switch}` },
      one.tree,
    ),
  );
}

/** The bytes in hexadecimal, and the fields, which light up their bytes. */
function bytes(hex: string, layers: Layer[]): HTMLElement[] {
  const cells = (hex.match(/../g) ?? []).map((byte) => make("span", {}, byte));
  const light = (at: number, bits: number, on: boolean) => {
    const end = Math.ceil((at + bits) / 8);
    for (const cell of cells.slice(at >> 3, end)) cell.classList.toggle("lit", on);
  };
  const parts = layers.map((layer) =>
    make(
      "details",
      {},
      make("summary", {}, `${layer.name} (${layer.bits} bits)`),
      make(
        "ul",
        { class: "fields" },
        ...layer.fields.map((field) => {
          const button = make("button", { type: "button" }, `${field.name} = ${field.value}`);
          for (const [event, on] of [
            ["mouseenter", true],
            ["mouseleave", false],
            ["focus", true],
            ["blur", false],
          ] as [string, boolean][])
            button.addEventListener(event, () => light(field.at, field.bits, on));
          return make("li", {}, button);
        }),
      ),
    ),
  );
  return [
    ...(parts.length ? [make("h3", {}, "Headers of the program"), ...parts] : []),
    make("h3", {}, "Bytes"),
    make("p", { class: "hex" }, ...cells.flatMap((cell) => [cell, " "])),
  ];
}
