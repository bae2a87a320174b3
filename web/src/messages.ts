/** The messages between the page and the server, which python/weir/ui reads and writes. */

export interface NodeOf {
  name: string;
  kind: "host" | "switch";
  note: string;
  x: number;
  y: number;
}

export interface LinkOf {
  a: string;
  b: string;
  nodes: [string, string];
}

export interface Network {
  type: "network";
  nodes: NodeOf[];
  links: LinkOf[];
  seed: number;
}

export interface LinkState {
  rate: string;
  rate_bps: number | null;
  delay: string;
  loss: string;
  model: boolean;
  up: boolean;
  queues: [string, string];
}

export interface Drop {
  packets: number;
  text: string;
  link?: number;
  node?: string;
}

export interface State {
  type: "state";
  generation: number;
  jumps: number;
  now_ns: number;
  reach_ns: number;
  playing: boolean;
  rerun: boolean;
  idle: boolean;
  speed: number;
  skips: boolean;
  error: string;
  digest: string;
  links: LinkState[];
  /** The packets that wait at each end, and the most that may wait. */
  queues: [number, number | null][];
  /** The bytes that each end has sent. */
  bytes: number[];
  /** Frames: number, end, start, arrival, bytes, description. An end is twice the link's number, plus 1 for b. */
  sent: [number, number, number, number, number, string][];
  arrived: [number, number][];
  /** Texts at prompts: host, kind, text, time. */
  lines: [string, "command" | "output" | "error", string, number][];
  drops: Drop[];
  why: string;
}

export interface Entry {
  text: string;
  match: Record<string, string>;
  action: string;
  params: Record<string, string>;
  priority: number | null;
  fixed: boolean;
}

export interface Table {
  name: string;
  /** Each key's name and match kind. */
  keys: [string, string][];
  /** Each action's name and the names of its parameters. */
  actions: [string, string[]][];
  priorities: boolean;
  /** Whether the page cannot change the entries. */
  fixed: boolean;
  size: number | null;
  count: number;
  entries: Entry[];
  default: string;
  hits: number;
  misses: number;
}

export interface Cells {
  kind: string;
  name: string;
  size: number;
  cells: [number, string][];
  note: string;
}

export type NodeDetails =
  | {
      kind: "host";
      name: string;
      addresses: string[];
      mac: string;
      routes: string[];
      neighbours: string[];
    }
  | { kind: "switch"; name: string; program: string; tables: Table[]; objects: Cells[] };

export interface Layer {
  name: string;
  /** The place of its first bit in the packet, and its length in bits. */
  at: number;
  bits: number;
  fields: { name: string; at: number; bits: number; value: string }[];
}

export interface Visit {
  switch: string;
  fate: string;
  arrival_ns: number;
  inside_ns: number;
  queue_ns: number;
  tree: string;
}

export interface Packet {
  number: number;
  from: string;
  to: string;
  start_ns: number;
  arrival_ns: number | null;
  length: number;
  what: string;
  hex: string;
  layers: Layer[];
  path: Visit[];
  fate: string;
}

export type Received =
  | Network
  | State
  | { type: "node"; node: NodeDetails }
  | { type: "packet"; packet: Packet }
  | { type: "refused"; message: string };

export type Sent =
  | { type: "play"; speed: number }
  | { type: "pause" }
  | { type: "skips"; value: boolean }
  | { type: "step"; by: "packet" | "event" }
  | { type: "go"; time_ns: number }
  | { type: "link"; link: number; setting: "rate" | "delay" | "loss"; value: string }
  | { type: "link"; link: number; setting: "up"; value: boolean }
  | {
      type: "entry";
      switch: string;
      table: string;
      change: "insert" | "modify" | "delete" | "default";
      match: Record<string, string>;
      action: string;
      params: Record<string, string>;
      priority: number | null;
    }
  | { type: "command"; host: string; line: string }
  | { type: "node"; name: string }
  | { type: "packet"; number: number };

export type Send = (message: Sent) => void;
