/** Rates and queues of a link over virtual time, from the states that the page has received. */

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { colour, formatRate, make } from "./dom";
import type { State } from "./messages";

const MAX_SAMPLES = 1200;
/** A rate is that of this many samples together, because one sample may have a part of a packet. */
const SPAN = 60;
const HEIGHT = 130;

interface Sample {
  ns: number;
  bytes: number[];
  waiting: number[];
}

export class History {
  samples: Sample[] = [];
  private generation = -1;

  add(state: State): void {
    if (state.generation !== this.generation) this.samples = [];
    this.generation = state.generation;
    const last = this.samples.at(-1);
    if (last && last.ns === state.now_ns) this.samples.pop();
    const waiting = state.queues.map(([packets]) => packets);
    this.samples.push({ ns: state.now_ns, bytes: state.bytes, waiting });
    if (this.samples.length > MAX_SAMPLES) this.samples.shift();
  }

  times(): number[] {
    return this.samples.map((sample) => sample.ns / 1e6);
  }

  /** The rate in Mbit/s that an end sent before each sample. */
  rates(end: number): number[] {
    return this.samples.map((sample, place) => {
      const before = this.samples[Math.max(0, place - SPAN)] ?? sample;
      const span = sample.ns - before.ns;
      return span ? (((sample.bytes[end] ?? 0) - (before.bytes[end] ?? 0)) * 8e3) / span : 0;
    });
  }

  waiting(end: number): number[] {
    return this.samples.map((sample) => sample.waiting[end] ?? 0);
  }
}

/** The two plots of a link. */
export class LinkPlots {
  readonly element: HTMLElement;
  private readonly plots: uPlot[];
  private readonly text = make("p", { class: "soft" });
  private drawn = 0;

  constructor(
    private readonly history: History,
    private readonly link: number,
    private readonly names: [string, string],
  ) {
    const boxes = [
      ["Rate in Mbit/s", "rate"],
      ["Packets in the queue", "queue"],
    ].map(([title, id]) => ({
      title: title ?? "",
      box: make("div", { class: "plot", id: `plot-${id}`, role: "img", "aria-label": title ?? "" }),
    }));
    this.plots = boxes.map(({ box }) => this.plot(box));
    this.element = make(
      "div",
      {},
      ...boxes.flatMap(({ title, box }) => [make("h3", {}, title), box]),
      this.text,
    );
  }

  private plot(box: HTMLElement): uPlot {
    const axis = { stroke: () => colour("soft"), grid: { stroke: () => colour("line") }, size: 42 };
    const [a, b] = this.names;
    return new uPlot(
      {
        width: 300,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false }, y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
        axes: [
          { ...axis, size: 30, values: (_, marks) => marks.map((mark) => `${mark} ms`) },
          axis,
        ],
        series: [
          {},
          { label: `from ${a}`, stroke: () => colour("blue"), width: 2 },
          { label: `from ${b}`, stroke: () => colour("orange"), width: 2 },
        ],
      },
      [[], [], []],
      box,
    );
  }

  update(): void {
    const time = performance.now();
    if (time - this.drawn < 200) return;
    this.drawn = time;
    const width = this.element.clientWidth;
    const ends = [2 * this.link, 2 * this.link + 1] as const;
    const rates = ends.map((end) => this.history.rates(end));
    const queues = ends.map((end) => this.history.waiting(end));
    [rates, queues].forEach((columns, place) => {
      const plot = this.plots[place];
      if (width && plot && plot.width !== width) plot.setSize({ width, height: HEIGHT });
      plot?.setData([this.history.times(), columns[0] ?? [], columns[1] ?? []]);
    });
    this.text.textContent = ends
      .map((_, side) => {
        const rate = formatRate((rates[side]?.at(-1) ?? 0) * 1e6);
        return `From ${this.names[side]}${side ? " (orange)" : " (blue)"}: ${rate}, ${queues[side]?.at(-1) ?? 0} waiting.`;
      })
      .join(" ");
  }
}
