import { existsSync } from 'node:fs';
import path from 'node:path';
import type { FlowDefinition } from '../../model/flow/flow';
import type { Row } from '../../model/flow/row';
import { validateFlow } from '../../model/flow/validation';
import { listProblems } from '../../model/validate';
import { operators } from '../../operators/index';
import type { OperatorContext, OperatorResult, RegisteredOperator } from '../../operators/operator';
import {
  anyRowConfigs,
  getExample,
  type FakeServices,
  fakeServices,
  furtherColumns,
} from '../support/operators/operator-services';
import { contextFor, documentRow } from '../support/operators/operator-test-support';

interface Case {
  name: string;
  operator: RegisteredOperator;
}
const all: Case[] = operators.map((operator) => ({ name: operator.name, operator }));
const ofSources = all.filter(({ operator }) => operator.scope === 'source');
const ofRows = all.filter(({ operator }) => operator.scope !== 'source');

let fake: FakeServices;
beforeAll(() => {
  fake = fakeServices();
});
afterAll(() => fake.close());

const row = (name: string, id: string, content: string | undefined, change: Partial<Row> = {}) =>
  documentRow(id, content, { ...structuredClone(furtherColumns[name] ?? {}), ...change });

async function run(
  { operator }: Case,
  rows: readonly Row[],
  change: Partial<OperatorContext> = {},
): Promise<OperatorResult> {
  const code = await operator.load();
  const config = structuredClone(anyRowConfigs[operator.name] ?? getExample(operator.name));
  listProblems(operator.config, config);
  if (!code.run) throw new Error(`${operator.name} has no run`);
  const context = contextFor(fake.services, { configOf: () => ({ paths: ['x'] }), ...change });
  return code.run(rows, config as never, { ...context, run: { ...context.run, flow: flowWith(operator, config) } });
}

const getDocument = (row: Row) => row.document_id ?? row.id;
function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null)
    for (const member of Object.values(Object.freeze(value))) frozen(member);
  return value;
}
/** Documents that are neither handed on nor failed nor skipped: lost without a word. */
function lost(rows: readonly Row[], result: OperatorResult): string[] {
  const reports = [...(result.failed ?? []), ...(result.skipped ?? [])].map(({ id }) => id);
  const known = new Set([...result.rows.map(getDocument), ...reports]);
  return rows.filter((row) => !known.has(getDocument(row))).map(({ id }) => id);
}

describe.each(all)('$name', ({ name, operator }) => {
  test('has a schema that describes every member, and declares what it reads and writes', () => {
    expect(operator.config.type).toBe('object');
    const undescribed = Object.entries(operator.config.properties).filter(
      ([, member]) => !member.description && !member.anyOf && !member.properties,
    );
    expect(undescribed.map(([member]) => member)).toEqual([]);
    expect(operator.summary).toMatch(/\.$/);
  });

  test('has a README whose example is valid', () => {
    expect(existsSync(path.join(__dirname, '..', '..', 'operators', name, 'README.md'))).toBe(true);
    const example = getExample(name);
    expect(listProblems(operator.config, structuredClone(example))).toEqual([]);
    const problems = operator.validate?.(example, new Set()) ?? [];
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  const members = [...getMembers(operator.config as Member)];
  const choices = members.flatMap(({ way, schema }) => {
    const values = (schema.anyOf ?? [schema]).map((member) => member.const);
    return values.every((value) => typeof value === 'string') ? [{ way, values }] : [];
  });
  const limits = members.flatMap(({ way, schema: { type, minimum, maximum } }) =>
    type === 'integer' || type === 'number'
      ? [{ way, bad: ['text', ...(minimum === undefined ? [] : [minimum - 1]), ...(maximum === undefined ? [] : [maximum + 1])] }]
      : [],
  ); // prettier-ignore

  test('reports the position and the allowed values of an invalid setting, at every depth', () => {
    for (const { way, values } of choices) {
      const told = errorsAt(operator, way, 'certainly-wrong');
      expect({ way, told }).toEqual({ way, told: expect.stringMatching(/certainly-wrong|must be/) });
      // If the values depend on another setting, the matching ones are listed.
      const named = values.filter((value) => told.includes(value));
      expect({ way, named: way.length === 1 ? named : named.length > 0 }).toEqual({
        way,
        named: way.length === 1 ? values : true,
      });
    }
    for (const { way, bad } of limits)
      for (const value of bad) expect({ way, value, told: errorsAt(operator, way, value) !== '' }).toEqual({ way, value, told: true }); // prettier-ignore
  });

  test('reports a setting that names a column without a producer', () => {
    for (const member of operator.named?.reads ?? []) {
      const config = { ...getExample(name), [member]: 'no_such_column' };
      const flow = flowWith(operator, config);
      const text = { type: 'extract_operator', name: 'text', depends_on: ['ingest'] };
      flow.flow.splice(1, 0, text);
      Object.assign(flow.flow[2] ?? {}, { depends_on: ['text'] });
      expect(validateFlow(flow, operators).errors).toContainEqual(
        expect.objectContaining({
          message_code: 'MISSING_FEATURES',
          pointer: `/flow/2/config/${member}`,
          missing_features: ['no_such_column'],
        }),
      );
    }
  });

  test('warns of an unknown setting, at every depth', () => {
    const closed = members.filter(
      ({ schema }) => schema.properties && Object.keys(schema.properties).length > 0 && typeof schema.additionalProperties !== 'object',
    ); // prettier-ignore
    for (const way of [[], ...closed.map((item) => item.way)]) {
      const place = [...way, 'no_such_setting'];
      const { warnings } = getFindings(operator, changed(getExample(name), place, 1));
      expect(warnings.map(({ pointer }) => pointer)).toContain(`/flow/1/config/${place.join('/')}`);
    }
  });
});

interface Member {
  type?: string;
  const?: unknown;
  anyOf?: Member[];
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Member>;
  additionalProperties?: unknown;
}

/** Every setting with the way to it, those within settings too. */
function* getMembers({ properties = {} }: Member, way: string[] = []): Generator<{ way: string[]; schema: Member }> {
  for (const [name, schema] of Object.entries(properties)) {
    yield { way: [...way, name], schema };
    yield* getMembers(schema, [...way, name]);
  }
}

/** A copy in which the value is at the end of the way. */
function changed(config: Record<string, unknown>, way: readonly string[], value: unknown): Record<string, unknown> {
  const [first = '', ...rest] = way;
  const own = (config[first] ?? {}) as Record<string, unknown>;
  return { ...config, [first]: rest.length === 0 ? value : changed(own, rest, value) };
}

/** All messages about a setting with this value. */
function errorsAt(operator: RegisteredOperator, way: readonly string[], value: unknown): string {
  return getFindings(operator, changed(getExample(operator.name), way, value))
    .errors.filter(({ pointer }) => pointer.startsWith(`/flow/1/config/${way.join('/')}`))
    .map(({ message }) => message)
    .join(' ');
}

function getFindings(operator: RegisteredOperator, config: Record<string, unknown>) {
  return validateFlow(flowWith(operator, config), operators);
}

/** A flow whose second operator is the given one. */
function flowWith({ name: type, scope }: RegisteredOperator, config: Record<string, unknown>): FlowDefinition {
  const tested = { type, name: 'tested', config, ...(scope === 'source' ? {} : { depends_on: ['ingest'] }) };
  return { flow_name: 'f', flow: [{ type: 'ingest_source', name: 'ingest', config: { paths: ['x'] } }, tested] };
}

describe.each(ofRows)('$name', (value) => {
  const { name } = value;

  test('run twice gives the same as once, without changing its input', async () => {
    const rows = frozen([
      row(name, 'a', '# One\n\nThe first text of the two, with 42 words or fewer.', { size: 100 }),
      row(name, 'b', 'The second text. It is short.', { size: 10, allowed_users: ['bob', 'carol'] }),
    ]);
    const before = JSON.stringify(rows);
    const first = await run(value, rows);
    const second = await run(value, rows);
    expect(second).toEqual(first);
    expect(JSON.stringify(rows)).toBe(before);
    expect(lost(rows, first)).toEqual([]);
  });

  test('keeps access lists', async () => {
    const lists: Record<string, string[]> = { a: ['alice'], b: [], c: ['bob', 'carol', 'Ünïcode 😀'] };
    const rows = Object.entries(lists).map(([id, allowed_users]) =>
      row(name, id, `The text of ${id}, which is a text.`, { allowed_users }),
    );
    const { rows: kept, branches } = await run(value, rows);
    for (const result of [...kept, ...Object.values(branches ?? {}).flat()])
      expect({ id: result.id, users: result.allowed_users }).toEqual({
        id: result.id,
        users: lists[getDocument(result)],
      });
  });

  test('an empty table stays empty', async () => {
    const { rows, failed = [], skipped = [] } = await run(value, []);
    expect({ rows, failed, skipped }).toEqual({ rows: [], failed: [], skipped: [] });
  });

  test('a row without content is handed on, failed or skipped, and the rest continues', async () => {
    const rows = [
      row(name, 'none', undefined),
      { ...row(name, 'null', 'x'), content: null as unknown as string },
      row(name, 'some', 'The text of a document.'),
    ];
    const result = await run(value, rows);
    expect(lost(rows, result)).toEqual([]);
    expect(result.rows.map(getDocument)).toContain('some');
  });

  test('10 MB of text in one row are processed', async () => {
    const rows = [row(name, 'large', 'The text of a large document, again and again. '.repeat(223_000))];
    const result = await run(value, rows);
    expect(lost(rows, result)).toEqual([]);
  });

  // A regular expression that takes quadratic time blocks the worker.
  test.each([
    ' ',
    '\n',
    'a',
    '0',
    '.',
    '!',
    '-\n',
    '*',
    '_',
    '|\n',
    '[',
    '<',
    '(',
    ':',
    '@a',
    '`',
    '{"',
    '/',
    '1,',
    '$',
    '漢',
  ])('100 KB of %j take less than 5 seconds of processor time', async (unit) => {
    const run100 = unit.repeat(100_000 / unit.length);
    const rows = [row(name, 'run', run100), row(name, 'inside', `x${run100}x`)];
    const before = process.cpuUsage();
    const result = await run(value, rows);
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(5);
    expect(lost(rows, result)).toEqual([]);
  });

  test('any text survives: scripts, emoji, combining marks, control characters, lone surrogates', async () => {
    const texts = ['Žluťoučký kůň', 'e\u0301 und é', '漢字かな交じり文。', 'שלום עולם', '👩‍👩‍👧‍👦 family', 'a\u0000b\u0007c', '\ud800 alone', '\u202e reversed', '']; // prettier-ignore
    const rows = texts.map((text, index) =>
      row(name, `ünï-${index} ${text.slice(0, 2)}`, text, { name: `${text || 'empty'}.md` }),
    );
    const result = await run(value, rows);
    expect(lost(rows, result)).toEqual([]);
  });

  test('a cancelled operator ends within 2 seconds', async () => {
    const rows = Array.from({ length: 5_000 }, (_, index) =>
      row(name, `r${index}`, `Text number ${index} of many, none of which is worth the wait. `.repeat(20)),
    );
    const aborted = new AbortController();
    aborted.abort();
    await settled(run(value, rows.slice(0, 50), { signal: aborted.signal }));
    const controller = new AbortController();
    const running = settled(run(value, rows, { signal: controller.signal }));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const cancelled = performance.now();
    controller.abort();
    await running;
    expect(performance.now() - cancelled).toBeLessThan(2_000);
  });
});

describe.each(ofSources)('$name', ({ name, operator }) => {
  const list = async (paths: string[], signal = new AbortController().signal) => {
    const { runSource } = await operator.load();
    const config = frozen({ ...getExample(name), paths });
    const rows: Row[] = [];
    const run = { ...contextFor().run, flow: flowWith(operator, config) };
    const result = await runSource?.(async (value) => void rows.push(value), config as never, contextFor(fake.services, { signal, run })); // prettier-ignore
    return { rows, result };
  };

  test('listed twice gives the same documents under the same ids, with their access lists', async () => {
    const paths = ['a.md', 'ünï 😀.md', 'b.md'];
    const first = await list(paths);
    expect(await list(paths)).toEqual(first);
    expect(first.rows.map((row) => [row.name, row.allowed_users])).toEqual(paths.map((path) => [path, ['alice', 'bob']])); // prettier-ignore
    expect(new Set(first.rows.map(({ id }) => id)).size).toBe(3);
  });

  test('an empty source gives no document', async () => {
    expect((await list([])).rows).toEqual([]);
  });

  test('a cancelled listing ends within 2 seconds', async () => {
    const controller = new AbortController();
    const running = settled(list(Array.from({ length: 200_000 }, (_, index) => `${index}.md`), controller.signal)); // prettier-ignore
    await new Promise((resolve) => setTimeout(resolve, 20));
    const cancelled = performance.now();
    controller.abort();
    await running;
    expect(performance.now() - cancelled).toBeLessThan(2_000);
  });
});

/** Whether it ends with a result or with an error does not matter: it ends. */
async function settled(running: Promise<unknown>): Promise<void> {
  await running.catch(() => undefined);
}
