/** Elements, whose texts are always texts: nothing here reads HTML. */

export function find<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found as T;
}

type Child = Node | string;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export function formatTime(ns: number): string {
  const units: [number, string][] = [
    [1e9, "s"],
    [1e6, "ms"],
    [1e3, "µs"],
  ];
  for (const [size, unit] of units)
    if (ns >= size) return `${(ns / size).toFixed(unit === "s" ? 6 : 3)} ${unit}`;
  return `${Math.round(ns)} ns`;
}

export function formatRate(bps: number): string {
  for (const [size, unit] of [
    [1e9, "Gbit/s"],
    [1e6, "Mbit/s"],
    [1e3, "kbit/s"],
  ] as [number, string][])
    if (bps >= size) return `${(bps / size).toFixed(1)} ${unit}`;
  return `${Math.round(bps)} bit/s`;
}

export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
