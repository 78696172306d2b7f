import { findMeantName, suggestName } from '../nearest-name';
import { listUnknownSettings } from '../unknown-settings';
import { listProblems } from '../validate';
import { locate, type FlowAlert, type OperatorsByName } from './alert';
import { findBranchProblems } from './branches';
import { buildEffectiveConfig } from './config';
import type { FlowDefinition, FlowOperator } from './flow';
import { GlobalConfig } from './flow';
import { findAvailableColumns, type CheckedOperator, findMissingNamedColumns } from './flow-columns';
import { findComponents, findDownstream, type FlowGraph, listProducers, readGraph, sortTopologically } from './graph';
import type { OperatorDefinition, OperatorProblem } from './operator';
import {
  findDroppedColumns,
  findFewInputs,
  findMissingPartners,
  findRepeated,
  findUnknownGlobals,
  findUnmetExpectations,
} from './place-rules';
import { maskText } from './secrets';

export type { FlowAlert } from './alert';

/** All findings about a flow. A flow without errors may run. Pure: no access to servers, files or the clock. */
export function validateFlow(
  flow: FlowDefinition,
  definitions: readonly OperatorDefinition[],
): { errors: FlowAlert[]; warnings: FlowAlert[] } {
  const tooMany = findManyConnections(flow);
  if (tooMany.length > 0) return { errors: tooMany, warnings: [] };
  const graph = readGraph(flow);
  const definitionsByName = new Map(definitions.map((definition) => [definition.name, definition]));
  const errors = [
    ...reportEmptyFlow(flow),
    ...findRepeatedNames(flow),
    ...findDanglingEdges(flow, graph),
    ...findCycles(flow, graph),
    ...findDisjoint(flow, graph),
    ...findMisplacedIngest(flow, graph, definitionsByName),
    ...findUnavailable(flow, definitionsByName),
    ...findGlobalProblems(flow),
    ...findDroppedColumns(flow, definitionsByName),
    ...findFewInputs(flow, graph, definitionsByName),
    ...findMissingPartners(flow, definitionsByName),
    ...findBranchProblems(flow, graph, definitionsByName),
  ];
  const warnings: FlowAlert[] = [
    ...findMissingOutput(flow, graph, definitionsByName),
    ...findSeveralInputs(flow, graph, definitionsByName),
    ...findRepeated(flow, graph, definitionsByName),
    ...findUnknownGlobals(flow, definitionsByName),
  ];
  const columns = findAvailableColumns(flow, graph, definitionsByName);
  warnings.push(...findUnmetExpectations(flow, graph, definitionsByName, columns));
  const downstream = new Map<string, Set<string>>();
  const after = (type: string) => {
    const downstreamNames = downstream.get(type) ?? findDownstream(graph, type);
    downstream.set(type, downstreamNames);
    return downstreamNames;
  };
  const unknownTypes = new Set(flow.flow.map(({ type }) => type).filter((type) => !definitionsByName.has(type)));
  const afterUnknown = new Set([...unknownTypes].flatMap((type) => [...findDownstream(graph, type)]));
  for (const [index, operator] of flow.flow.entries()) {
    const definition = definitionsByName.get(operator.type);
    if (!definition) continue;
    const checked = { operator, index, definition };
    // What an unknown operator would provide is not known either.
    if (!afterUnknown.has(operator.name)) {
      errors.push(...findMissingColumns(checked, graph, definitionsByName, { columns, after }));
      errors.push(...findMissingNamedColumns(flow, checked, columns.get(operator.name) ?? new Set()));
    }
    const configuration = checkConfiguration(flow, checked, columns.get(operator.name) ?? new Set());
    errors.push(...configuration.errors);
    warnings.push(...configuration.warnings);
  }
  return { errors: errors.map(maskAlert), warnings: warnings.map(maskAlert) };
}

/** Messages quote settings, such as addresses with passwords. */
function maskAlert<T extends FlowAlert>(alert: T): T {
  return { ...alert, message: maskText(alert.message) };
}

/** The limit of connections in a flow, `depends_on` and `edges` together: checking more would delay other requests. */
const maxConnections = 10_000;

function findManyConnections({ flow, edges = [] }: FlowDefinition): FlowAlert[] {
  const count = flow.reduce((sum, { depends_on = [] }) => sum + depends_on.length, edges.length);
  if (count <= maxConnections) return [];
  const message = `The flow has ${count} connections in depends_on and edges; at most ${maxConnections} are allowed.`;
  return [{ message_code: 'TOO_MANY_CONNECTIONS', message, pointer: '/flow' }];
}

/** The graphical editor may store a flow without operators, but such a flow cannot run. */
function reportEmptyFlow(flow: FlowDefinition): FlowAlert[] {
  if (flow.flow.length > 0) return [];
  const message = `The flow '${flow.flow_name}' has no operators.`;
  return [{ message_code: 'DAG_PIPELINE_MISSING', message, pointer: '/flow' }];
}

function findRepeatedNames(flow: FlowDefinition): FlowAlert[] {
  const seen = new Map<string, number>();
  const alerts: FlowAlert[] = [];
  for (const [index, operator] of flow.flow.entries()) {
    const first = seen.get(operator.name);
    if (first === undefined) seen.set(operator.name, index);
    else {
      alerts.push({
        message_code: 'OPERATOR_NAME_REPEATED',
        message: `The name '${operator.name}' is used by the operators ${first + 1} and ${index + 1}; names are unique within a flow.`,
        ...locate(operator, index, '/name'),
        operators: [operator.name],
      });
    }
  }
  return alerts;
}

function findDanglingEdges(flow: FlowDefinition, graph: FlowGraph): FlowAlert[] {
  return graph.dangling.map(({ from, name, pointer }) => ({
    message_code: 'DEPENDENCY_NOT_FOUND',
    message: `'${from}' is connected to '${name}', which is not an operator of this flow.`,
    ...(graph.operators.has(from) ? locateByName(flow, from) : {}),
    pointer,
  }));
}

/** The location of the first operator of that name. */
function locateByName(flow: FlowDefinition, name: string): ReturnType<typeof locate> {
  const index = flow.flow.findIndex((operator) => operator.name === name);
  const operator = flow.flow[index];
  return operator ? locate(operator, index) : { pointer: '/flow' };
}

function findCycles(flow: FlowDefinition, graph: FlowGraph): FlowAlert[] {
  const { cycle } = sortTopologically(graph);
  if (cycle.length === 0) return [];
  return [
    {
      message_code: 'CYCLIC_DEPENDENCY_DETECTED',
      message: `These operators wait for each other: ${cycle.join(', ')}.`,
      ...locateByName(flow, cycle[0] ?? ''),
      operators: cycle,
    },
  ];
}

function findDisjoint(flow: FlowDefinition, graph: FlowGraph): FlowAlert[] {
  const [main, ...others] = findComponents(graph);
  if (!main || others.length === 0) return [];
  return [
    {
      message_code: 'DISJOINT_OPERATORS_DETECTED',
      message: `All operators must be connected by edges or depends_on; not connected to ${main.join(', ')}: ${others.map((names) => names.join(', ')).join('; ')}.`,
      ...locateByName(flow, others[0]?.[0] ?? ''),
      operators: others.flat(),
    },
  ];
}

function findMisplacedIngest(flow: FlowDefinition, graph: FlowGraph, operators: OperatorsByName): FlowAlert[] {
  const single = new Set(
    findComponents(graph)
      .filter((names) => names.length === 1)
      .flat(),
  );
  const alerts: FlowAlert[] = [];
  for (const [index, operator] of flow.flow.entries()) {
    const definition = operators.get(operator.type);
    if (!definition) continue;
    const isRoot = listProducers(graph, operator.name).length === 0;
    const isIngest = definition.category === 'Ingest';
    const isAlone = single.has(operator.name) && graph.operators.size > 1 && index > 0;
    if (isRoot && !isIngest && !isAlone) {
      alerts.push({
        message_code: 'INGEST_OPERATOR_MISPLACED',
        message: `The first operator in the flow must be an ingest operator, not '${operator.type}'.`,
        ...locate(operator, index),
      });
    }
    if (!isRoot && isIngest) {
      alerts.push({
        message_code: 'INGEST_OPERATOR_MISPLACED',
        message: `The ingest operator '${operator.name}' takes rows from ${listProducers(graph, operator.name).join(', ')}; it must come first.`,
        ...locate(operator, index),
      });
    }
  }
  return alerts;
}

function findUnavailable(flow: FlowDefinition, operators: OperatorsByName): FlowAlert[] {
  return flow.flow.flatMap((operator, index) => {
    if (operators.has(operator.type)) return [];
    const names = [...operators.keys()];
    const hint = findMeantName(operator.type, names) === undefined ? ` ${customOperatorHint}` : '';
    return [
      {
        message_code: 'OPERATOR_NOT_AVAILABLE',
        message: `There is no operator '${operator.type}'${suggestName(operator.type, names)}${hint}`,
        ...locate(operator, index, '/type'),
      },
    ];
  });
}

const customOperatorHint =
  'A custom operator needs its folder in DOCLOOM_CUSTOM_OPERATORS of the api, the worker and the command line.';

function findGlobalProblems({ global_config = {} }: FlowDefinition): FlowAlert[] {
  const problems = listProblems(GlobalConfig, structuredClone(global_config));
  // As a standing setting it would empty the index whenever the source is not mounted.
  if (typeof global_config.confirm_empty_source === 'boolean')
    problems.push({ pointer: '/confirm_empty_source', message: 'is a parameter of a single run, not of a flow' });
  return problems.map(({ pointer, message }) => ({
    message_code: 'INVALID_GLOBAL_CONFIG',
    message: `global_config${pointer} ${message}.`,
    pointer: `/global_config${pointer}`,
  }));
}

function findMissingOutput(flow: FlowDefinition, graph: FlowGraph, operators: OperatorsByName): FlowAlert[] {
  const consumed = new Set([...graph.operators.keys()].flatMap((name) => listProducers(graph, name)));
  return [...graph.operators.values()]
    .filter(
      ({ name, type }) =>
        !consumed.has(name) &&
        operators.has(type) &&
        !['VectorDB', 'Storage'].includes(operators.get(type)?.category ?? ''),
    )
    .map(({ name }) => ({
      message_code: 'GENERATE_OUTPUT_MISSING',
      message: `'${name}' is the last operator but stores nothing; its rows are kept only in a table of the run.`,
      ...locateByName(flow, name),
    }));
}

function findSeveralInputs(flow: FlowDefinition, graph: FlowGraph, operators: OperatorsByName): FlowAlert[] {
  return flow.flow.flatMap((operator, index) =>
    listProducers(graph, operator.name).length > 1 &&
    operators.has(operator.type) &&
    !operators.get(operator.type)?.place?.minInputs
      ? [
          {
            message_code: 'SEVERAL_INPUTS',
            message: `'${operator.name}' takes rows from several operators; of rows with the same id the first is kept.`,
            ...locate(operator, index, '/depends_on'),
          },
        ]
      : [],
  );
}

function findMissingColumns(
  { operator, index, definition }: CheckedOperator,
  graph: FlowGraph,
  operators: OperatorsByName,
  { columns, after }: { columns: ReadonlyMap<string, Set<string>>; after: (type: string) => Set<string> },
): FlowAlert[] {
  const available = columns.get(operator.name);
  if (!available || definition.scope === 'source') return [];
  const rule = definition.place?.after;
  if (rule && !after(rule.type).has(operator.name)) {
    return [
      {
        message_code: rule.messageCode,
        message: rule.message(operator.name, []),
        ...locate(operator, index),
        missing_operators: [rule.type],
        missing_features: definition.reads.filter((column) => !available.has(column)),
      },
    ];
  }
  // A root has no input columns. A root that is not an ingest operator is reported separately.
  if (listProducers(graph, operator.name).length === 0) return [];
  const missing = definition.reads.filter((column) => !available.has(column));
  if (missing.length === 0) return [];
  const makers = [...operators.values()].filter((candidate) =>
    candidate.writes.some((column) => missing.includes(column)),
  );
  return [
    {
      message_code: 'MISSING_FEATURES',
      message: `'${operator.name}' needs the columns ${missing.join(', ')}, which no earlier operator provides.`,
      ...locate(operator, index),
      missing_features: missing,
      missing_operators: makers.map(({ name }) => name),
    },
  ];
}

function checkConfiguration(
  flow: FlowDefinition,
  { operator, index, definition }: CheckedOperator,
  columns: ReadonlySet<string>,
): { errors: FlowAlert[]; warnings: FlowAlert[] } {
  const config = buildEffectiveConfig(flow, operator);
  const errors: FlowAlert[] = [];
  const warnings: FlowAlert[] = [];
  const ownProblems = findOwnProblems(operator, definition, config, columns);
  for (const { severity, messageCode, message, pointer } of ownProblems) {
    (severity === 'error' ? errors : warnings).push({
      message_code: messageCode,
      message,
      ...locate(operator, index, `/config${pointer ?? ''}`),
    });
  }
  const coveredPointers = ownProblems
    .filter(({ severity }) => severity === 'error')
    .map(({ pointer }) => pointer ?? '');
  for (const { pointer, name, known } of listUnknownSettings(definition.config, config)) {
    // The operator's own check already reported this, with more detail.
    if (ownProblems.some((problem) => problem.pointer === pointer)) continue;
    const parent = pointer.slice(1, pointer.lastIndexOf('/'));
    warnings.push({
      message_code: 'UNKNOWN_CONFIGURATION_KEY',
      message: `'${name}' is not a setting of ${parent || operator.type} and is ignored; its settings are: ${known.join(', ')}.`,
      ...locate(operator, index, `/config${pointer}`),
    });
  }
  for (const { pointer, message } of listProblems(
    definition.config,
    structuredClone(getOwnMembers(config, definition)),
  )) {
    if (coveredPointers.some((prefix) => prefix !== '' && pointer.startsWith(prefix))) continue;
    errors.push({
      message_code: 'OPERATOR_VALIDATION_FAILED',
      message: `The configuration of '${operator.name}' is invalid: ${pointer || '/'} ${message}.`,
      ...locate(operator, index, `/config${pointer}`),
    });
  }
  return { errors, warnings };
}

/** If the check of an operator throws, reports that as its problem, so that the other findings are still returned. */
function findOwnProblems(
  operator: FlowOperator,
  definition: OperatorDefinition,
  config: Record<string, unknown>,
  columns: ReadonlySet<string>,
): OperatorProblem[] {
  try {
    return definition.validate?.(config, columns) ?? [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `The configuration of '${operator.name}' cannot be checked: ${reason}.`;
    return [{ severity: 'error', messageCode: 'OPERATOR_VALIDATION_FAILED', message }];
  }
}

/** The top-level members that the operator knows. */
function getOwnMembers(config: Record<string, unknown>, { config: { properties } }: OperatorDefinition) {
  return Object.fromEntries(Object.entries(config).filter(([key]) => key in properties));
}
