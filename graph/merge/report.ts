import type { KnowledgeGraph, NodeKey } from '../core/knowledge-graph';
import type { Attributes, GraphValue } from '../core/value';
import type { EdgeConflict, FieldConflict } from './fold';

/** A graph to merge, with its origin. */
export interface MergeInput {
  graph: KnowledgeGraph;
  source: string;
  /** From its `provenance.json`; identifies the document. */
  ledger?: Attributes;
  /** Equal for inputs that are the same; defaults to the source. */
  path?: string;
}

export type IdentitySource = 'template' | 'v2_export' | 'ledger' | 'node_ids';

/** An input in the report. */
export interface MergeSource {
  index: number;
  source: string;
  document_id: string;
  template_name: string;
  template_schema_hash: string;
  node_count: number;
  edge_count: number;
  has_ledger: boolean;
}

/** Two nodes that may mean the same entity; with `confirm` set to true, an entry of a decisions file. */
export interface AliasStub {
  class: string;
  keep_id: NodeKey;
  keep_display: string;
  merge_ids: NodeKey[];
  merge_displays: string[];
  /** Similarity of the names, from 0 to 1; for triage only. */
  similarity: number | null;
  field_conflicts: string[];
  confirm: boolean;
}

/** Everything that a merge did. Contains no times, so that the same merge produces the same report. */
export interface MergeReport {
  sources: MergeSource[];
  duplicates_absorbed: string[];
  identity_source: IdentitySource;
  rekeyed: boolean;
  rekeyed_changed: number;
  nodes_folded: number;
  field_conflicts: FieldConflict[];
  conflict_variants: number;
  edge_label_conflicts: EdgeConflict[];
  root_skolemized: { [key: string]: GraphValue }[];
  cross_document_splits: { [key: string]: GraphValue }[];
  alias_candidates: AliasStub[];
  alias_stats: Record<string, number>;
  ignored_alias_decisions: { class: string; keep_id: NodeKey; merge_ids: NodeKey[]; reason: string }[];
  warnings: string[];
  node_count: number;
  edge_count: number;
  node_types: Record<string, number>;
  edge_types: Record<string, number>;
  dry_run: boolean;
}

/** An empty report. */
export function createEmptyReport(dry_run: boolean): MergeReport {
  return {
    sources: [],
    duplicates_absorbed: [],
    identity_source: 'node_ids',
    rekeyed: false,
    rekeyed_changed: 0,
    nodes_folded: 0,
    field_conflicts: [],
    conflict_variants: 0,
    edge_label_conflicts: [],
    root_skolemized: [],
    cross_document_splits: [],
    alias_candidates: [],
    alias_stats: {},
    ignored_alias_decisions: [],
    warnings: [],
    node_count: 0,
    edge_count: 0,
    node_types: {},
    edge_types: {},
    dry_run,
  };
}
