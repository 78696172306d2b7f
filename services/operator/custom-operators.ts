import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type TObject, Type } from '@sinclair/typebox';
import { accessColumns, isAccessField } from '../../model/access-list';
import { AppError } from '../../model/errors';
import type { OperatorDefinition } from '../../model/flow/operator';
import type { Row, RowFailure, RowSkip } from '../../model/flow/row';
import { literals } from '../../model/literals';
import { groupByAccessList, withCombinedAccess } from '../../model/run/combined-access';
import { parse, listProblems } from '../../model/validate';
import type { ChildTask } from './custom-operator-child';
import { type CallLimits, runInChildProcess, type CustomOperatorRights } from './custom-operator-process';

/** Limits of each call of a custom operator: the heap of its process, and the time for one part. */
export type CustomOperatorLimits = CallLimits;

/** The settings for custom operators: folders and limits. */
export interface CustomOperatorSettings {
  DOCLOOM_CUSTOM_OPERATORS: readonly string[];
  DOCLOOM_CUSTOM_OPERATOR_SECONDS: number;
  DOCLOOM_CUSTOM_OPERATOR_MEMORY_MB: number;
}

/** The result of an operator, in the same form as that of built-in operators. */
interface CustomResult {
  rows: Row[];
  failed?: RowFailure[];
  skipped?: RowSkip[];
  warnings?: string[];
  metrics?: Record<string, number>;
}
interface CallContext {
  signal: AbortSignal;
  progress: (done: number, total?: number) => void;
  operator: string;
  run: object;
}

/** A custom operator, in the same form as the built-in operators. */
export type CustomOperator = OperatorDefinition & {
  load: () => Promise<{
    run: (rows: readonly Row[], config: Record<string, unknown>, context: CallContext) => Promise<CustomResult>;
  }>;
};

const definitionTimeoutMs = 20_000;

const Definition = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }),
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    summary: Type.String({ minLength: 1, maxLength: 1_000 }),
    category: Type.Optional(literals(['Extract', 'Functional', 'Quality', 'Storage'])),
    scope: Type.Optional(Type.Union([Type.Literal('row'), Type.Literal('table')])),
    reads: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    writes: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    config: Type.Optional(Type.Object({ type: Type.Literal('object') }, { additionalProperties: true })),
    permissions: Type.Optional(
      Type.Object(
        {
          network: Type.Optional(Type.Boolean()),
          read: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
          write: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
          processes: Type.Optional(Type.Boolean()),
          addons: Type.Optional(Type.Boolean()),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);

const text = Type.String();
const Outcome = Type.Object({ id: text, name: text }, { additionalProperties: true });
const Result = Type.Object(
  {
    rows: Type.Array(Type.Object({ id: Type.String({ minLength: 1 }) }, { additionalProperties: true })),
    failed: Type.Optional(
      Type.Array(Type.Composite([Outcome, Type.Object({ message: text })], { additionalProperties: true })),
    ),
    skipped: Type.Optional(
      Type.Array(Type.Composite([Outcome, Type.Object({ reason: text })], { additionalProperties: true })),
    ),
    warnings: Type.Optional(Type.Array(text)),
    metrics: Type.Optional(Type.Record(text, Type.Number())),
  },
  { additionalProperties: true },
);

/**
 * Loads the operators in these folders, one per file (`.ts`, `.js`, `.mjs`, `.cjs`; tests are skipped). Their code never runs in
 * this process, not even to read its name. Throws INVALID_CONFIGURATION with the name of an unusable file.
 */
export async function loadCustomOperators(
  folders: readonly string[],
  reservedNames: readonly string[],
  limits: CustomOperatorLimits,
): Promise<CustomOperator[]> {
  const customOperators: CustomOperator[] = [];
  const names = new Map<string, string>(reservedNames.map((name) => [name, 'the product']));
  for (const folder of folders) {
    for (const file of await readFiles(folder)) {
      const code = await compileOperator(file);
      const { definition, rights } = await readDefinition(file, code);
      const owner = names.get(definition.name);
      if (owner) throw createUnusableError(file, `its name '${definition.name}' is taken by ${owner}`);
      names.set(definition.name, file);
      customOperators.push({
        ...definition,
        load: async () => ({
          run: (rows, config, context) => {
            const callWith = (input: readonly Row[]) => call({ file, code, rights, limits }, input, config, context);
            return definition.scope === 'table' ? callWithAll(rows, callWith) : callByList(rows, callWith);
          },
        }),
      });
    }
  }
  return customOperators;
}

/** `loadCustomOperators` with the settings of a process. */
export function loadConfiguredOperators(
  settings: CustomOperatorSettings,
  reservedNames: readonly string[],
): Promise<CustomOperator[]> {
  return loadCustomOperators(settings.DOCLOOM_CUSTOM_OPERATORS, reservedNames, {
    memoryMb: settings.DOCLOOM_CUSTOM_OPERATOR_MEMORY_MB,
    timeoutMs: settings.DOCLOOM_CUSTOM_OPERATOR_SECONDS * 1_000,
  });
}

async function readFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new AppError(
      'INVALID_CONFIGURATION',
      `The folder of operators '${folder}' cannot be read: ${(error as Error).message}.`,
      {},
      error,
    );
  });
  return names
    .filter((name) => /\.[cm]?[jt]s$/.test(name) && !/\.(?:test|d)\.[cm]?[jt]s$/.test(name))
    .toSorted()
    .map((name) => path.resolve(folder, name));
}

async function compileOperator(file: string): Promise<string> {
  try {
    // Imported lazily, because only installations with custom operators need the compiler.
    const { transform } = await import('@swc/core');
    const { code } = await transform(await readFile(file, 'utf8'), {
      filename: file,
      swcrc: false,
      sourceMaps: 'inline',
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
      module: { type: 'commonjs' },
    });
    return code;
  } catch (error) {
    throw createUnusableError(file, `it cannot be compiled: ${(error as Error).message}`, error);
  }
}

interface ReadOperator {
  definition: OperatorDefinition;
  rights: CustomOperatorRights;
}

async function readDefinition(file: string, code: string): Promise<ReadOperator> {
  const limits = { memoryMb: 256, timeoutMs: definitionTimeoutMs };
  // Its permissions are not known yet. Loading it may need native addons, but nothing else.
  const message = await runInChildProcess({ file, code }, { addons: true }, limits).catch((error: unknown) => {
    throw createUnusableError(file, (error as Error).message, error);
  });
  if (message.type !== 'definition')
    throw createUnusableError(file, message.type === 'failed' ? message.message : 'it has no definition');
  if (!message.hasRun) throw createUnusableError(file, 'it exports no function run');
  const input = parse(Definition, message.definition, `The export 'operator' of ${file}`, 'INVALID_CONFIGURATION');
  const { config = { type: 'object', properties: {} } } = input;
  const schema = { properties: {}, ...config } as unknown as TObject;
  try {
    listProblems(schema, {});
  } catch (error) {
    throw createUnusableError(file, `its config is not JSON Schema: ${(error as Error).message}`, error);
  }
  const definition: OperatorDefinition = {
    name: input.name,
    label: input.label ?? input.name,
    category: input.category ?? 'Functional',
    scope: input.scope ?? 'row',
    queue: 'cpu',
    needs: [],
    reads: input.reads ?? ['id'],
    writes: input.writes ?? [],
    withholdsText: true,
    config: schema,
    summary: input.summary,
  };
  return { definition, rights: input.permissions ?? {} };
}

type Call = (rows: readonly Row[]) => Promise<CustomResult>;

/** Calls the operator once per access list, so that no content of a document gets into a row with other readers. */
async function callByList(rows: readonly Row[], callWith: Call): Promise<CustomResult> {
  const results: CustomResult[] = [];
  for (const group of groupByAccessList(rows)) results.push(await callWith(group));
  const [first] = results;
  if (first && results.length === 1) return first;
  const metrics: Record<string, number> = {};
  for (const result of results)
    for (const [name, value] of Object.entries(result.metrics ?? {})) metrics[name] = (metrics[name] ?? 0) + value;
  const positions = new Map(rows.map(({ id }, index) => [id, index]));
  const getPosition = (row: Row) => positions.get(row.id) ?? positions.get(row.document_id ?? '') ?? rows.length;
  return {
    rows: results.flatMap((result) => result.rows).toSorted((row, other) => getPosition(row) - getPosition(other)),
    failed: results.flatMap(({ failed = [] }) => failed),
    skipped: results.flatMap(({ skipped = [] }) => skipped),
    warnings: [...new Set(results.flatMap(({ warnings = [] }) => warnings))],
    metrics,
  };
}

/** Calls the operator with all rows at once. A changed or new row may then contain content of any of them. */
async function callWithAll(rows: readonly Row[], callWith: Call): Promise<CustomResult> {
  const result = await callWith(rows);
  const { rows: restricted, combined } = await withCombinedAccess(rows, result.rows);
  if (combined === 0) return result;
  const warning = `The operator saw documents with different access lists; ${combined} rows that it changed can be read only by users who may read all of them.`;
  return { ...result, rows: restricted, warnings: [...(result.warnings ?? []), warning] };
}

async function call(
  code: { file: string; code: string; rights: CustomOperatorRights; limits: CustomOperatorLimits },
  rows: readonly Row[],
  config: Record<string, unknown>,
  context: CallContext,
): Promise<CustomResult> {
  context.signal.throwIfAborted();
  const { operator, run } = context;
  const task: Omit<ChildTask, 'network'> = {
    file: code.file,
    code: code.code,
    call: { rows, config, operator, run: toPlainFacts(run) },
  };
  const message = await runInChildProcess(task, code.rights, code.limits, context).catch((error: unknown) => {
    context.signal.throwIfAborted();
    throw createFailureError(code.file, (error as Error).message, error);
  });
  context.signal.throwIfAborted();
  if (message.type !== 'result')
    throw createFailureError(code.file, message.type === 'failed' ? message.message : 'it returned no result');
  const [problem] = listProblems(Result, message.result);
  if (problem)
    throw createFailureError(
      code.file,
      `its result is not {rows, failed, skipped, warnings, metrics}: ${problem.pointer} ${problem.message}`,
    );
  const result = message.result as CustomResult;
  return {
    ...result,
    rows: restoreAccess(result.rows, rows, code.file),
    failed: result.failed?.map((failure) => ({ ...failure, code: 'OPERATOR_EXECUTION_FAILED' })),
  };
}

/** The facts of a run that are safe to pass on; the flow may contain secrets. */
function toPlainFacts(run: object): Record<string, unknown> {
  const { runId, jobId, owner, startedAt } = run as Record<string, unknown>;
  return { runId, jobId, owner, startedAt };
}

/** Restores the access lists of the input, because the code of an operator cannot decide who may read a document. */
function restoreAccess(rows: readonly Row[], inputRows: readonly Row[], file: string): Row[] {
  const documents = new Map(
    inputRows.flatMap((row) => [[row.id, row] as const, [row.document_id ?? row.id, row] as const]),
  );
  return rows.map((row) => {
    const origin = documents.get(row.id) ?? documents.get(row.document_id ?? '');
    if (!origin)
      throw createFailureError(
        file,
        `it returned the row '${row.id}', which belongs to none of its input documents; a new row needs a document_id from its input`,
      );
    return {
      ...omitAccessList(row),
      name: row.name ?? origin.name,
      // Restored too, because a changed reference could open another user's file or stored document.
      path: origin.path,
      document_ref: origin.document_ref,
      ...pickAccessList(origin),
    };
  });
}

function omitAccessList(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !isAccessField(name))) as Row;
}

function pickAccessList(row: Row): Partial<Row> {
  return Object.fromEntries(accessColumns.flatMap((column) => (column in row ? [[column, row[column]]] : [])));
}

function createUnusableError(file: string, reason: string, cause?: unknown): AppError {
  return new AppError('INVALID_CONFIGURATION', `The operator in ${file} cannot be used: ${reason}.`, {}, cause);
}

function createFailureError(file: string, reason: string, cause?: unknown): AppError {
  return new AppError(
    'OPERATOR_EXECUTION_FAILED',
    `The operator in ${path.basename(file)} failed: ${reason}.`,
    {},
    cause,
  );
}
