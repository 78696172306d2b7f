import { suggestName } from '../nearest-name';
import { locate, type FlowAlert, type OperatorsByName } from './alert';
import { type ColumnFacts, commonColumns } from './columns';
import { buildEffectiveConfig } from './config';
import type { FlowDefinition, FlowOperator } from './flow';
import { findAncestors, type FlowGraph, listProducers, readGraph, sortTopologically } from './graph';
import type { OperatorDefinition } from './operator';

/** Added to the available columns of an operator when an earlier operator may add arbitrary columns. */
export const anyColumn = '*';

/** An operator of a flow that is being validated, with its place in the flow. */
export interface CheckedOperator {
  operator: FlowOperator;
  index: number;
  definition: OperatorDefinition;
}

/** The columns in the input of each operator: those of its inputs and those they write, including columns named in the flow. */
export function findAvailableColumns(
  flow: FlowDefinition,
  graph: FlowGraph,
  operators: OperatorsByName,
): Map<string, Set<string>> {
  const before = new Map<string, Set<string>>();
  const after = new Map<string, Set<string>>();
  for (const name of sortTopologically(graph).order) {
    const input = new Set(listProducers(graph, name).flatMap((producer) => [...(after.get(producer) ?? [])]));
    before.set(name, input);
    const operator = graph.operators.get(name);
    const definition = operators.get(operator?.type ?? '');
    const added = operator && definition ? listAddedColumns(definition, buildEffectiveConfig(flow, operator)) : [];
    after.set(name, new Set([...input, ...added]));
  }
  return before;
}

function listAddedColumns(definition: OperatorDefinition, config: Record<string, unknown>): string[] {
  const named = (definition.named?.writes ?? []).flatMap((member) => findValue(config, member) ?? []);
  const leftOut = definition.leavesOut?.(config) ?? [];
  const written = definition.writes.filter((column) => !leftOut.includes(column));
  const arbitrary = definition.addsAny?.(config) === true ? [anyColumn] : [];
  // Columns that it reads count as present, so that a missing column is reported once and not by every later operator.
  return [...definition.reads, ...written, ...named, ...arbitrary];
}

/** Columns that the configuration reads by name but that no earlier operator writes. */
export function findMissingNamedColumns(
  flow: FlowDefinition,
  { operator, index, definition }: CheckedOperator,
  available: ReadonlySet<string>,
): FlowAlert[] {
  if (available.size === 0 || available.has(anyColumn)) return [];
  const config = buildEffectiveConfig(flow, operator);
  return (definition.named?.reads ?? []).flatMap((member) => {
    const column = findValue(config, member);
    if (column === undefined || available.has(column)) return [];
    const message = `${member.replaceAll('/', '.')} of '${operator.name}' names the column '${column}', which no earlier operator provides${suggestName(column, [...available])}`;
    const place = locate(operator, index, `/config/${member}`);
    return [{ message_code: 'MISSING_FEATURES', message, ...place, missing_features: [column] }];
  });
}

/** The text at the end of a path such as `text_extraction/doc_column`. */
function findValue(config: unknown, path: string): string | undefined {
  const value = path
    .split('/')
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | null | undefined)?.[name], config);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * The columns declared by the operators before `name`, under the names used in the flow. Columns that quote the text count as not
 * indexed when another operator masks text.
 */
export function findDeclaredColumns(
  flow: FlowDefinition,
  name: string,
  findDefinition: (type: string) => OperatorDefinition | undefined,
): Map<string, ColumnFacts> {
  return collectDeclaredColumns(flow, findAncestors(readGraph(flow), name), findDefinition);
}

/** The columns declared by the operators up to and including `name`: those that each part of its table has. */
export function collectColumnsAfter(
  flow: FlowDefinition,
  name: string,
  findDefinition: (type: string) => OperatorDefinition | undefined,
): Map<string, ColumnFacts> {
  return collectDeclaredColumns(flow, new Set([...findAncestors(readGraph(flow), name), name]), findDefinition);
}

function collectDeclaredColumns(
  flow: FlowDefinition,
  names: ReadonlySet<string>,
  findDefinition: (type: string) => OperatorDefinition | undefined,
): Map<string, ColumnFacts> {
  const operators = flow.flow.filter((operator) => names.has(operator.name));
  const isMasked = operators.some(({ type }) => findDefinition(type)?.masksText);
  const columnFacts = new Map<string, ColumnFacts>();
  for (const operator of operators) {
    const definition = findDefinition(operator.type);
    if (!definition) continue;
    const givenNames = readGivenNames(definition, buildEffectiveConfig(flow, operator));
    for (const column of definition.writes) {
      const facts = definition.columns?.[column] ?? commonColumns[column];
      if (!facts) continue;
      columnFacts.set(
        givenNames.get(column) ?? column,
        isMasked && facts.quotesText ? { ...facts, indexed: false } : facts,
      );
    }
  }
  return columnFacts;
}

interface Schema {
  properties?: Record<string, Schema>;
  default?: unknown;
}

/** Maps the default name of a column to the name set in the flow. */
function readGivenNames(definition: OperatorDefinition, config: Record<string, unknown>): Map<string, string> {
  const names = new Map<string, string>();
  for (const path of definition.named?.writes ?? []) {
    let schema: Schema | undefined = definition.config;
    let value: unknown = config;
    for (const part of path.split('/')) {
      schema = schema?.properties?.[part];
      value = (value as Record<string, unknown> | null | undefined)?.[part];
    }
    if (typeof schema?.default === 'string' && typeof value === 'string' && value !== '')
      names.set(schema.default, value);
  }
  return names;
}
