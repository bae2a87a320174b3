/** The drawing of the network: nodes that can be dragged, links, queues and moving packets. */

import cytoscape from "cytoscape";
import { colour, formatRate } from "./dom";
import type { Drop, Network, State } from "./messages";

const COLUMN = 160;
const ROW = 120;
/** The real time over which the use of a link is averaged. */
const WINDOW_MS = 2000;

interface Flight {
  end: number;
  start: number;
  arrival: number;
}

export type Chosen = { node: string } | { link: number };

export class Graph {
  private readonly cy: cytoscape.Core;
  private readonly context: CanvasRenderingContext2D;
  private flights = new Map<number, Flight>();
  /** The states of the last two seconds: real time, virtual time, bytes that each end has sent. */
  private window: [number, number, number[]][] = [];
  private previous: State | undefined;
  private state: State | undefined;
  private since = 0;
  private tick = 50;
  private generation = -1;

  constructor(
    private readonly network: Network,
    private readonly box: HTMLElement,
    private readonly canvas: HTMLCanvasElement,
    choose: (chosen: Chosen) => void,
  ) {
    const context = canvas.getContext("2d");
    if (!context) throw new Error("the browser has no canvas");
    this.context = context;
    this.cy = cytoscape({
      container: box,
      elements: [
        ...network.nodes.map((node) => ({
          data: { id: `n ${node.name}`, label: node.name, name: node.name },
          classes: node.kind,
          position: { x: node.x * COLUMN, y: node.y * ROW },
        })),
        ...network.links.map((link, number) => ({
          data: {
            id: `l ${number}`,
            source: `n ${link.nodes[0]}`,
            target: `n ${link.nodes[1]}`,
            label: "",
            number,
          },
        })),
      ],
      layout: { name: "preset" },
      minZoom: 0.2,
      maxZoom: 3,
    });
    this.cy.on("tap", "node", (event) => choose({ node: event.target.data("name") }));
    this.cy.on("tap", "edge", (event) => choose({ link: event.target.data("number") }));
    this.colours();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.colours());
    new ResizeObserver(() => this.resize()).observe(box);
    this.resize();
    requestAnimationFrame(() => this.draw());
  }

  private colours(): void {
    const ink = colour("ink");
    this.cy.style([
      {
        selector: "node",
        style: {
          label: "data(label)",
          "text-valign": "center",
          color: ink,
          "font-size": 13,
          "font-weight": 600,
          "background-color": colour("card"),
          "border-width": 2,
          width: 64,
          height: 34,
        },
      },
      { selector: ".host", style: { shape: "round-rectangle", "border-color": colour("blue") } },
      { selector: ".switch", style: { shape: "rectangle", "border-color": colour("orange") } },
      {
        selector: "edge",
        style: {
          width: 2,
          "line-color": colour("soft"),
          "curve-style": "bezier",
          label: "data(label)",
          color: colour("soft"),
          "font-size": 11,
          "text-background-color": colour("card"),
          "text-background-opacity": 0.9,
          "text-background-padding": "2px",
          "text-wrap": "wrap",
        },
      },
      { selector: ".down", style: { "line-style": "dashed", "line-color": colour("red") } },
      { selector: ":selected", style: { "border-width": 4, "line-color": colour("blue") } },
    ]);
  }

  private resize(): void {
    const ratio = devicePixelRatio || 1;
    this.canvas.width = this.box.clientWidth * ratio;
    this.canvas.height = this.box.clientHeight * ratio;
    this.cy.resize();
    this.cy.fit(undefined, 44);
    if (this.cy.zoom() > 1.4) {
      this.cy.zoom(1.4);
      this.cy.center();
    }
  }

  select(chosen: Chosen): void {
    this.cy.elements().unselect();
    this.cy.getElementById("node" in chosen ? `n ${chosen.node}` : `l ${chosen.link}`).select();
  }

  update(state: State): void {
    const time = performance.now();
    if (state.generation !== this.generation) {
      this.generation = state.generation;
      this.flights.clear();
      this.previous = undefined;
    }
    // Between two states, packets move from one time to the next, unless time jumped.
    const old = this.state?.generation === state.generation ? this.state : undefined;
    this.previous = old && old.jumps === state.jumps && state.playing ? old : state;
    this.tick = Math.min(200, Math.max(20, time - this.since));
    this.since = time;
    this.state = state;
    for (const [number, end, start, arrival] of state.sent)
      this.flights.set(number, { end, start, arrival });
    for (const [number, arrival] of state.arrived) {
      const flight = this.flights.get(number);
      if (flight) flight.arrival = arrival;
    }
    if (!old) this.window = [];
    this.window.push([time, state.now_ns, state.bytes]);
    while (this.window.length > 2 && (this.window[1]?.[0] ?? time) < time - WINDOW_MS)
      this.window.shift();
    const [, from, before] = this.window[0] ?? [time, state.now_ns, state.bytes];
    const span = state.now_ns - from;
    state.links.forEach((link, number) => {
      const edge = this.cy.getElementById(`l ${number}`);
      const rates = [0, 1].map((side) => {
        const end = 2 * number + side;
        const sent = (state.bytes[end] ?? 0) - (before[end] ?? 0);
        // A frame counts when it begins, so in a short time more than the link's rate may count.
        return Math.min(span > 0 ? (sent * 8e9) / span : 0, link.rate_bps ?? Infinity);
      });
      const most = Math.max(...rates);
      const label = link.up ? `${link.rate}, ${link.delay}` : "down";
      const used = most > 1000 ? `${label}\n${formatRate(most)}` : label;
      if (edge.data("label") !== used) edge.data("label", used);
      edge.style("width", 2 + 4 * (link.rate_bps ? Math.min(1, most / link.rate_bps) : 0));
      edge.toggleClass("down", !link.up);
    });
  }

  /** The virtual time that is shown now. */
  shownTime(): number {
    if (!this.state || !this.previous) return this.state?.now_ns ?? 0;
    const share = Math.min(1, (performance.now() - this.since) / this.tick);
    return this.previous.now_ns + (this.state.now_ns - this.previous.now_ns) * share;
  }

  private ends(end: number): [cytoscape.Position, cytoscape.Position] {
    const edge = this.cy.getElementById(`l ${end >> 1}`);
    const pan = this.cy.pan();
    const zoom = this.cy.zoom();
    const on = (place: cytoscape.Position) => ({
      x: place.x * zoom + pan.x,
      y: place.y * zoom + pan.y,
    });
    const places: [cytoscape.Position, cytoscape.Position] = [
      on(edge.sourceEndpoint()),
      on(edge.targetEndpoint()),
    ];
    return end % 2 ? [places[1], places[0]] : places;
  }

  private draw(): void {
    requestAnimationFrame(() => this.draw());
    const ratio = devicePixelRatio || 1;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, this.box.clientWidth, this.box.clientHeight);
    const state = this.state;
    if (!state) return;
    this.drawQueues(state);
    const now = this.shownTime();
    this.context.fillStyle = colour("blue");
    for (const [number, flight] of this.flights) {
      if (flight.arrival < now) {
        this.flights.delete(number);
        continue;
      }
      if (flight.start > now) continue;
      const [from, to] = this.ends(flight.end);
      const share = (now - flight.start) / Math.max(1, flight.arrival - flight.start);
      this.context.beginPath();
      this.context.arc(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share, 5, 0, 7);
      this.context.fill();
    }
    this.drawDrops(state.drops);
  }

  private drawQueues(state: State): void {
    state.queues.forEach(([waiting, limit], end) => {
      if (!waiting) return;
      const [from, to] = this.ends(end);
      const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
      const x = from.x + ((to.x - from.x) / length) * 14;
      const y = from.y + ((to.y - from.y) / length) * 14;
      const share = Math.min(1, Math.max(0.06, waiting / (limit ?? 100)));
      this.context.strokeStyle = colour("soft");
      this.context.strokeRect(x + 8, y - 15, 8, 30);
      this.context.fillStyle = colour("orange");
      this.context.fillRect(x + 9, y + 14 - 28 * share, 6, 28 * share);
      this.context.fillStyle = colour("ink");
      this.context.font = "11px system-ui, sans-serif";
      this.context.fillText(String(waiting), x + 20, y + 4);
    });
  }

  private drawDrops(drops: Drop[]): void {
    this.context.fillStyle = colour("red");
    this.context.font = "bold 15px system-ui, sans-serif";
    const counts = new Map<number | string, number>();
    for (const drop of drops) {
      const place = drop.link ?? drop.node ?? "";
      counts.set(place, (counts.get(place) ?? 0) + drop.packets);
    }
    for (const [place, packets] of counts) {
      if (typeof place === "number") {
        const [a, b] = this.ends(2 * place);
        this.context.fillText(`× ${packets}`, (a.x + b.x) / 2 + 6, (a.y + b.y) / 2 - 16);
      } else {
        const node = this.cy.getElementById(`n ${place}`);
        if (node.empty()) continue;
        const { x, y } = node.renderedPosition();
        this.context.fillText(`× ${packets}`, x + 24 * this.cy.zoom(), y - 24 * this.cy.zoom());
      }
    }
  }

  /** For screen readers and tests: where packets are. */
  describe(): string {
    const now = this.shownTime();
    const moving = [...this.flights.values()].filter(
      (one) => one.start <= now && one.arrival >= now,
    );
    return moving
      .map((one) => {
        const link = this.network.links[one.end >> 1];
        return link ? (one.end % 2 ? `${link.b} to ${link.a}` : `${link.a} to ${link.b}`) : "";
      })
      .join(", ");
  }
}
