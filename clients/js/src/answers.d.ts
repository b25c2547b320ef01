// The answers of hence, as the JSON that it gives.

/** A fact: a relation with its values in order, or by column; `{"retract": …}` where it goes. */
export type Fact = Record<string, unknown>;

/** What every answer of the service holds: of which transaction it is, and that one's hash. */
export interface Answer {
  tx: number;
  head: string;
}

/** A decision, with the rule that drew it and its sentence. */
export interface Decision {
  id: string | null;
  relation: string;
  values: unknown[];
  rule: string | null;
  because: string | null;
}

/** What became of facts. One that is `repeated` was recorded before, under the same key, and names no decisions. */
export interface Outcome extends Answer {
  committed: number | null;
  repeated?: boolean;
  asserted: number;
  present?: number;
  retracted: number;
  missing?: number;
  drawn?: Decision[];
  lapsed?: Decision[];
  undetermined?: string[];
  steps?: unknown[];
  reports?: unknown[];
}

/** The matches of a rule body. */
export interface Rows extends Answer {
  columns: string[];
  rows: Record<string, unknown>[];
  undetermined: Record<string, unknown>[];
  reports: unknown[];
}

/** Why a fact holds. */
export interface Proofs extends Answer {
  holds: number;
  undetermined: boolean;
  more: boolean;
  proofs: Record<string, unknown>[];
  instead: Fact[];
}

/** Why a decision was drawn. */
export interface Proof extends Answer, Decision {
  proof: Record<string, unknown> | null;
}

/** What is missing for a fact, rule by rule, and what would make it hold. */
export interface WhyNot extends Answer {
  asked: Fact;
  holds: Fact[];
  rules: Record<string, unknown>[];
  remedies: Record<string, unknown>;
  possible: Record<string, unknown>[];
}

/** The difference that a hypothesis makes. */
export interface WhatIf extends Answer {
  changes: { change: "drawn" | "lapsed"; decision: Fact; before: string | null; after: string | null }[];
  steps: unknown[];
}

/** Decisions in force; `total` counts those beyond the page, too. */
export interface Decisions extends Answer {
  decisions: Decision[];
  total: number;
}

/** The facts of a relation. */
export interface Facts extends Answer {
  relation: string;
  columns: string[];
  facts: Record<string, unknown>[];
}

/** Whether a subject may do something (AuthZEN 1.0); `context` says by which rule and why. */
export interface Evaluation {
  decision: boolean;
  context: Record<string, unknown>;
}

/** A subject, a resource or an action of AuthZEN. */
export type Entity = Record<string, unknown>;

/** A transaction with what it changed. */
export interface Transaction {
  transaction: number;
  time: string;
  author: string;
  source: string;
  note: string | null;
  clock: string;
  head: string;
  asserted: Fact[];
  retracted: Fact[];
  drawn: Record<string, unknown>[];
  lapsed: Record<string, unknown>[];
}

/** What a transaction of a stream changed, and the line that ends it. */
export interface Streamed {
  changes: Record<string, any>[];
  end: Record<string, any>;
}

/** Of which state something is asked: at least this transaction, or a moment of the past. */
export interface Moment {
  minTx?: number;
  asOf?: number | string;
}
