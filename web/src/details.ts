/** The details of a node or link: the prompt of a host, the objects of a switch, a link's settings. */

import { make } from "./dom";
import { Entries } from "./entries";
import type { Chosen } from "./graph";
import type { Network, NodeDetails, Send, State } from "./messages";
import { History, LinkPlots } from "./plots";

const MAX_LINES = 5000;

export class Details {
  private chosen: Chosen | undefined;
  private readonly lines = new Map<string, HTMLElement[]>();
  private generation = -1;
  private node: NodeDetails | undefined;
  private facts: HTMLElement | undefined;
  private entries: Entries | undefined;
  private log: HTMLElement | undefined;
  private settings: ((state: State) => void) | undefined;
  private state: State | undefined;
  private readonly history = new History();

  constructor(
    private readonly network: Network,
    private readonly box: HTMLElement,
    private readonly send: Send,
  ) {}

  choose(chosen: Chosen): void {
    this.chosen = chosen;
    this.node = this.facts = this.log = undefined;
    this.settings = this.entries = undefined;
    if ("link" in chosen) this.showLink(chosen.link);
    else this.showNode(chosen.node);
  }

  /** Something else is shown now. */
  leave(): void {
    this.chosen = this.node = this.facts = this.log = undefined;
    this.settings = this.entries = undefined;
  }

  private showNode(name: string): void {
    const kind = this.network.nodes.find((node) => node.name === name)?.kind;
    this.facts = make("div", { class: "facts" });
    const parts: HTMLElement[] = [make("h2", {}, `${kind === "host" ? "Host" : "Switch"} ${name}`)];
    if (kind === "host") parts.push(this.prompt(name));
    else {
      this.entries = new Entries(name, this.send);
      parts.push(this.entries.editor);
    }
    this.box.replaceChildren(...parts, this.facts);
    this.send({ type: "node", name });
  }

  private prompt(host: string): HTMLElement {
    const other = this.network.nodes.find((node) => node.kind === "host" && node.name !== host);
    this.log = make(
      "div",
      { class: "log", role: "log", tabindex: "0", "aria-label": `Output of ${host}` },
      ...(this.lines.get(host) ?? []),
    );
    const input = make("input", {
      id: "line",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      placeholder: `ping ${other?.name ?? "10.0.0.1"}`,
      "aria-label": `Command of ${host}`,
    });
    const form = make(
      "form",
      { class: "prompt" },
      make("label", { for: "line" }, `${host}>`),
      input,
      make("button", {}, "Run"),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const line = input.value.trim() || input.placeholder;
      this.send({ type: "command", host, line });
      input.value = "";
    });
    const hint = make("p", { class: "soft" }, "Commands: ping, iperf, ip, tc, arp, route, stop.");
    return make("div", {}, this.log, form, hint);
  }

  showDetails(node: NodeDetails): void {
    if (!this.facts || !this.chosen || !("node" in this.chosen) || this.chosen.node !== node.name)
      return;
    if (JSON.stringify(node) === JSON.stringify(this.node)) return;
    this.node = node;
    const open = new Set(
      [...this.facts.querySelectorAll("details")].filter((one) => one.open).map((one) => one.id),
    );
    const active = this.facts.contains(document.activeElement) ? document.activeElement?.id : "";
    this.facts.replaceChildren(
      ...(node.kind === "host" ? hostFacts(node) : switchFacts(node, this.entries)),
    );
    for (const one of this.facts.querySelectorAll("details")) one.open ||= open.has(one.id);
    if (active) document.getElementById(active)?.focus({ preventScroll: true });
  }

  private showLink(number: number): void {
    const link = this.network.links[number];
    if (!link) return;
    const fields = (["rate", "delay", "loss"] as const).map((setting) => {
      const input = make("input", { id: `set-${setting}`, autocomplete: "off" });
      const form = make(
        "form",
        { class: "setting" },
        make("label", { for: input.id }, setting),
        input,
        make("button", {}, "Set"),
      );
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        this.send({ type: "link", link: number, setting, value: input.value.trim() });
        input.blur();
      });
      return { setting, input, form };
    });
    const up = make("input", { type: "checkbox", id: "set-up" });
    up.addEventListener("change", () =>
      this.send({ type: "link", link: number, setting: "up", value: up.checked }),
    );
    const queues = make("p", { class: "soft" });
    const plots = new LinkPlots(this.history, number, [link.a, link.b]);
    this.settings = (state) => {
      plots.update();
      const now = state.links[number];
      if (!now) return;
      for (const { setting, input } of fields)
        if (document.activeElement !== input) input.value = now[setting];
      up.checked = now.up;
      const waiting = [0, 1].map((side) => state.queues[2 * number + side]?.[0] ?? 0);
      queues.textContent =
        `Queue at ${link.a}: ${waiting[0]} waiting (${now.queues[0]}). ` +
        `Queue at ${link.b}: ${waiting[1]} waiting (${now.queues[1]}).`;
    };
    this.box.replaceChildren(
      make("h2", {}, `Link ${link.a} – ${link.b}`),
      ...fields.map((field) => field.form),
      make("label", { class: "check" }, up, make("span", {}, "up")),
      plots.element,
      queues,
    );
    if (this.state) this.settings(this.state);
  }

  update(state: State): void {
    this.state = state;
    this.history.add(state);
    if (state.generation !== this.generation) {
      this.generation = state.generation;
      this.lines.clear();
      this.log?.replaceChildren();
    }
    for (const [host, kind, text] of state.lines) {
      const line = make("pre", { class: kind }, kind === "command" ? `${host}> ${text}` : text);
      const known = this.lines.get(host) ?? [];
      known.push(line);
      if (known.length > MAX_LINES) known.shift()?.remove();
      this.lines.set(host, known);
      if (this.log && this.chosen && "node" in this.chosen && this.chosen.node === host) {
        this.log.append(line);
        this.log.scrollTop = this.log.scrollHeight;
      }
    }
    this.settings?.(state);
  }

  /** Asks for the details again, which change while time passes. */
  refresh(): void {
    if (this.chosen && "node" in this.chosen) this.send({ type: "node", name: this.chosen.node });
  }
}

function list(title: string, items: string[]): HTMLElement[] {
  if (!items.length) return [];
  return [make("h3", {}, title), make("ul", {}, ...items.map((item) => make("li", {}, item)))];
}

function hostFacts(host: NodeDetails & { kind: "host" }): HTMLElement[] {
  return [
    ...list("Addresses", [...host.addresses, host.mac]),
    ...list("Routes", host.routes),
    ...list("Neighbours", host.neighbours),
  ];
}

function switchFacts(
  node: NodeDetails & { kind: "switch" },
  entries: Entries | undefined,
): HTMLElement[] {
  const tables = entries ? node.tables.map((table) => entries.table(table)) : [];
  const objects = node.objects.map((one) =>
    make(
      "details",
      { id: `${one.kind} ${one.name}` },
      make(
        "summary",
        { id: `show ${one.kind} ${one.name}` },
        `${one.kind} ${one.name} (${one.size} cells)`,
      ),
      ...list(
        "Cells in use",
        one.cells.map(([index, text]) => `${index}: ${text}`),
      ),
      make("p", { class: "soft" }, one.note || (one.cells.length ? "" : "All cells are 0.")),
    ),
  );
  const title = node.program || "waits for a program";
  return [make("p", { class: "soft" }, title), ...tables, ...objects];
}
