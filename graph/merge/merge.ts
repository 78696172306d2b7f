import { listProblems } from '../../model/validate';
import { cleanGraph } from '../core/clean';
import { ConfigurationError, ValueError } from '../core/errors';
import { type Profile, schemaHash } from '../core/identity';
import { copyGraph, edgesOf, type KnowledgeGraph, simpleGraph } from '../core/knowledge-graph';
import { graphStatistics } from '../core/statistics';
import { graphProblems } from '../core/validate';
import { type Attributes, type GraphValue, isRecord } from '../core/value';
import { writePythonRepr } from '../peer/python-text';
import { ledgerDocumentId } from '../provenance/ledger';
import type { GraphTemplate } from '../template/model';
import { reachableClasses } from '../template/template';
import { decideAliases } from './aliases';
import { type IdFields, recomputeIds } from './identity';
import type { Part, Merging } from './merging';
import { foldAll } from './nodes';
import { MergePolicy } from './policy';
import { createEmptyReport, type IdentitySource, type MergeInput, type MergeReport } from './report';
import { splitConflicts, splitRoots } from './split';

export interface MergeOptions extends Partial<MergePolicy> {
  /** Defines the identities. Default: the contract in the exports or their ledgers. */
  template?: GraphTemplate;
  /** `peer`: one edge per ordered pair, and ids like the Python library. Default `spec`. */
  profile?: Profile;
  /** Entries of `alias_candidates` from an earlier report. Those with `confirm: true` are merged. */
  aliasDecisions?: readonly GraphValue[];
}

/**
 * Merges several graphs; the first is the base. Nodes with equal ids become one, contradictions are kept separate or recorded,
 * and the report covers all changes. Deterministic; merging a graph with itself returns the same graph. Does not modify the
 * inputs. Throws a ConfigurationError for inputs that do not belong together.
 */
export function mergeGraphs(
  inputs: readonly MergeInput[],
  options: MergeOptions = {},
): { graph: KnowledgeGraph; report: MergeReport } {
  const { template, profile = 'spec', aliasDecisions, ...policyOptions } = options;
  const policy = validatePolicy(policyOptions);
  const report = createEmptyReport(policy.dry_run);
  const parts = loadParts(inputs, profile, report);
  checkTemplates(report, policy, template);
  const [idFields, source] = chooseIdentity(parts, template);
  report.identity_source = source;
  const merging: Merging = { parts, idFields, policy, profile, report };
  rekeyParts(merging);
  splitRoots(merging);
  splitConflicts(merging);
  const graph = foldAll(merging);
  cleanGraph(graph);
  decideAliases(graph, merging, aliasDecisions);
  const problems = graphProblems(graph);
  if (problems.length > 0) throw new ValueError(`The merged graph is invalid: ${problems.join('; ')}`);
  const { node_count, edge_count, node_types, edge_types } = graphStatistics(graph, { profile });
  Object.assign(report, { node_count, edge_count, node_types, edge_types });
  addContract(graph, merging, template);
  return { graph, report };
}

function validatePolicy(options: Partial<MergePolicy>): MergePolicy {
  const policy = { ...options };
  const problems = listProblems(MergePolicy, policy).map(({ pointer, message }) => `${pointer || '/'} ${message}`);
  if (problems.length > 0)
    throw new ConfigurationError(`The options of the merge are invalid: ${problems.join('; ')}`, { problems });
  return policy as MergePolicy;
}

// Inputs with the same document count as one.
function loadParts(inputs: readonly MergeInput[], profile: Profile, report: MergeReport): Part[] {
  if (inputs.length === 0) throw new ConfigurationError('A merge needs at least one graph');
  const parts: Part[] = [];
  const seen = new Map<string, string>();
  for (const { graph: input, source, ledger, path = source } of inputs) {
    const documentId = ledgerDocumentId(ledger);
    const key = documentId ? `document:${documentId}` : `graph:${path}`;
    const same = seen.get(key);
    if (same !== undefined) {
      report.duplicates_absorbed.push(source);
      const what = documentId ? 'document' : 'graph';
      report.warnings.push(`Duplicate input absorbed: ${source} carries the same ${what} as ${same}`);
      continue;
    }
    seen.set(key, source);
    const graph = copyGraph(profile === 'peer' ? simpleGraph(input) : input);
    const index = parts.length;
    parts.push({ index, graph, source, documentId, ledger });
    report.sources.push({
      index,
      source,
      document_id: documentId,
      template_name: findSourceName(ledger, graph, 'template_name'),
      template_schema_hash: findSourceName(ledger, graph, 'template_schema_hash'),
      node_count: graph.nodes.size,
      edge_count: edgesOf(graph).length,
      has_ledger: ledger !== undefined,
    });
  }
  return parts;
}

function findSourceName(ledger: Attributes | undefined, graph: KnowledgeGraph, key: string): string {
  const document = ledger?.['document'];
  const ownValue = isRecord(document) ? document[key] : undefined;
  const value = ownValue || graph.attributes[key];
  return typeof value === 'string' ? value : '';
}

function checkTemplates(report: MergeReport, policy: MergePolicy, template: GraphTemplate | undefined): void {
  const hashes = new Map<string, string[]>();
  const note = (hash: string, source: string) => hashes.set(hash, [...(hashes.get(hash) ?? []), source]);
  for (const { template_schema_hash: hash, source } of report.sources) if (hash) note(hash, source);
  if (template) note(schemaHash(template.schema), `--template ${template.root}`);
  if (hashes.size > 1) {
    const shortHashes = Object.fromEntries([...hashes].map(([hash, sources]) => [hash.slice(0, 12), sources]));
    if (policy.strict_template_check)
      throw new ConfigurationError(
        'The graphs were made with different templates and are not merged; without the strict check of templates they are, and ' +
          'classes of one name then merge by id',
        { schema_hashes: shortHashes },
      );
    report.warnings.push(
      'Template schemas differ across inputs; merging anyway — same-named classes from different templates merge by node ID: ' +
        writePythonRepr(shortHashes),
    );
  }
  const without = report.sources.filter((source) => source.template_schema_hash === '').map(({ source }) => source);
  if (without.length > 0 && report.sources.length > 1)
    report.warnings.push(
      `Template compatibility check skipped for inputs without a schema hash: ${without.join(', ')}`,
    );
}

function chooseIdentity(parts: readonly Part[], template: GraphTemplate | undefined): [IdFields, IdentitySource] {
  if (template)
    return [
      new Map(reachableClasses(template).map((templateClass) => [templateClass.name, templateClass.idFields])),
      'template',
    ];
  const exported = new Map<string, string[]>();
  for (const { graph } of parts) {
    const map = graph.attributes['id_fields_map'];
    for (const [name, fields] of Object.entries(isRecord(map) ? map : {}))
      if (!exported.has(name) && Array.isArray(fields))
        exported.set(
          name,
          fields.filter((field) => typeof field === 'string'),
        );
  }
  const isExported = parts.some(({ graph }) => {
    const map = graph.attributes['id_fields_map'];
    return isRecord(map) && Object.keys(map).length > 0;
  });
  if (isExported) return [exported, 'v2_export'];
  const ledgers = collectIdFieldsOfLedgers(parts);
  return ledgers.size > 0 ? [ledgers, 'ledger'] : [new Map(), 'node_ids'];
}

function collectIdFieldsOfLedgers(parts: readonly Part[]): Map<string, string[]> {
  const fieldsByClass = new Map<string, Set<string>>();
  for (const { ledger } of parts) {
    const nodes = ledger?.['nodes'];
    for (const entry of Object.values(isRecord(nodes) ? nodes : {})) {
      const { node_type: name, ids } = isRecord(entry) ? entry : {};
      if (typeof name !== 'string' || name === '' || !isRecord(ids) || Object.keys(ids).length === 0) continue;
      fieldsByClass.set(name, new Set([...(fieldsByClass.get(name) ?? []), ...Object.keys(ids)]));
    }
  }
  return new Map([...fieldsByClass].map(([name, fields]) => [name, [...fields].sort()]));
}

function rekeyParts({ parts, idFields, policy, profile, report }: Merging): void {
  const hasContract = report.identity_source !== 'node_ids';
  if (policy.rekey === true && !hasContract)
    throw new ConfigurationError(
      'Ids can only be recomputed if the identity contract is known: give a template, or exports of format v2',
    );
  if (!(policy.rekey ?? hasContract)) return;
  for (const part of parts) {
    const rekeyed = recomputeIds(part.graph, idFields, { policy, source: part.source }, profile);
    part.graph = rekeyed.graph;
    report.rekeyed_changed += rekeyed.changed;
    report.field_conflicts.push(...rekeyed.fieldConflicts);
    report.edge_label_conflicts.push(...rekeyed.edgeConflicts);
  }
  report.rekeyed = true;
}

// The merged graph carries its identity contract, so that it can be merged again.
function addContract(graph: KnowledgeGraph, { idFields, report }: Merging, template: GraphTemplate | undefined): void {
  const findOnly = (values: readonly string[]) => {
    const [first = '', ...others] = new Set(values.filter((value) => value !== ''));
    return others.length === 0 ? first : '';
  };
  const { sources } = report;
  graph.attributes = {
    ...graph.attributes,
    template_name: template?.root ?? findOnly(sources.map((source) => source.template_name)),
    template_schema_hash: template
      ? schemaHash(template.schema)
      : findOnly(sources.map((source) => source.template_schema_hash)),
    format: 'v2',
    id_fields_map: Object.fromEntries([...idFields].map(([name, fields]) => [name, [...fields]])),
    merge: {
      sources,
      identity_source: report.identity_source,
      nodes_folded: report.nodes_folded,
      field_conflicts: report.field_conflicts,
      conflict_variants: report.conflict_variants,
      edge_label_conflicts: report.edge_label_conflicts,
      cross_document_splits: report.cross_document_splits,
      alias_candidates: report.alias_candidates,
      alias_merged: report.alias_stats['merged'] ?? 0,
      rekeyed: report.rekeyed,
      rekeyed_changed: report.rekeyed_changed,
    } as unknown as Attributes,
  };
}
