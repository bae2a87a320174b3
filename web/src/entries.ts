/** The tables of a switch, and a form that adds or changes an entry. */

import { make } from "./dom";
import type { Entry, Send, Table } from "./messages";

export class Entries {
  /** The form, which stays while the tables are drawn again. */
  readonly editor = make("div", { class: "editor" });

  constructor(
    private readonly name: string,
    private readonly send: Send,
  ) {}

  table(table: Table): HTMLElement {
    const size = table.size === null ? "" : ` of ${table.size}`;
    const rows = table.entries.map((entry, place) =>
      make("li", {}, entry.text, ...this.buttons(table, entry, place)),
    );
    const add = make("button", { type: "button", id: `add ${table.name}` }, "Add entry");
    add.addEventListener("click", () => this.open(table));
    const keys = table.keys.map(([key, kind]) => `${key} (${kind})`).join(", ");
    return make(
      "details",
      { id: `table ${table.name}` },
      make(
        "summary",
        { id: `show ${table.name}` },
        `${table.name} (${table.count}${size} entries)`,
      ),
      make(
        "p",
        { class: "soft" },
        `${keys || "No keys"}. ${table.hits} hits, ${table.misses} misses.`,
      ),
      make("ul", {}, ...rows, make("li", {}, table.default)),
      ...(table.fixed || !table.keys.length ? [] : [add]),
    );
  }

  private buttons(table: Table, entry: Entry, place: number): HTMLElement[] {
    if (table.fixed || entry.fixed) return [];
    const { match, priority } = entry;
    const change = make(
      "button",
      { type: "button", id: `change ${place} ${table.name}`, "aria-label": `Change ${entry.text}` },
      "Change",
    );
    change.addEventListener("click", () => this.open(table, entry));
    const remove = make(
      "button",
      { type: "button", id: `delete ${place} ${table.name}`, "aria-label": `Delete ${entry.text}` },
      "Delete",
    );
    remove.addEventListener("click", () =>
      this.send({
        type: "entry",
        switch: this.name,
        table: table.name,
        change: "delete",
        match,
        action: "",
        params: {},
        priority,
      }),
    );
    return [make("span", { class: "buttons" }, change, remove)];
  }

  private open(table: Table, entry?: Entry): void {
    const field = (label: string, value: string, fixed = false) => {
      const input = make("input", { autocomplete: "off", spellcheck: "false" });
      input.value = value;
      input.readOnly = fixed;
      return { input, row: make("label", { class: "field" }, make("span", {}, label), input) };
    };
    const keys = table.keys.map(([key, kind]) => ({
      key,
      ...field(`${key} (${kind})`, entry?.match[key] ?? "", entry !== undefined),
    }));
    const priority = table.priorities
      ? field("priority", String(entry?.priority ?? 1), entry !== undefined)
      : undefined;
    const action = make("select");
    for (const [name] of table.actions) action.append(new Option(name, name));
    if (entry) action.value = entry.action;
    const values = make("div");
    let params: { name: string; input: HTMLInputElement }[] = [];
    const showParams = () => {
      const names = table.actions.find(([name]) => name === action.value)?.[1] ?? [];
      const given = entry?.action === action.value ? entry.params : {};
      const fields = names.map((name) => ({ name, ...field(name, given[name] ?? "") }));
      params = fields;
      values.replaceChildren(...fields.map((one) => one.row));
    };
    action.addEventListener("change", showParams);
    showParams();
    const close = make("button", { type: "button" }, "Close");
    close.addEventListener("click", () => this.editor.replaceChildren());
    const form = make(
      "form",
      {},
      make("h3", {}, `${entry ? "Change an entry of" : "Add an entry to"} ${table.name}`),
      ...keys.map((one) => one.row),
      ...(priority ? [priority.row] : []),
      make("label", { class: "field" }, make("span", {}, "action"), action),
      values,
      make("p", { class: "buttons" }, make("button", {}, entry ? "Change" : "Add"), close),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const number = Number(priority?.input.value);
      this.send({
        type: "entry",
        switch: this.name,
        table: table.name,
        change: entry ? "modify" : "insert",
        match: Object.fromEntries(keys.map(({ key, input }) => [key, input.value])),
        action: action.value,
        params: Object.fromEntries(params.map(({ name, input }) => [name, input.value])),
        priority: priority && Number.isInteger(number) ? number : null,
      });
    });
    this.editor.replaceChildren(form);
    form.querySelector<HTMLElement>("input:not([readonly]), select")?.focus();
  }
}
