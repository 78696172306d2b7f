import { existsSync } from 'node:fs';
import path from 'node:path';
import { anyRowConfigs, exampleOf, type FakeServices, fakeServices, furtherColumns } from '../bench/operator-services';
import type { FlowDefinition } from '../model/flow';
import { validateFlow } from '../model/flow-validation';
import type { Row } from '../model/row';
import { problemsOf } from '../model/validate';
import { operators } from '../operators/index';
import { contextFor, documentRow } from '../operators/operator-test-support';
import type { OperatorContext, OperatorResult, RegisteredOperator } from '../operators/operator';

interface Case {
  name: string;
  operator: RegisteredOperator;
}
const all: Case[] = operators.map((operator) => ({ name: operator.name, operator }));
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
  const config = structuredClone(anyRowConfigs[operator.name] ?? exampleOf(operator.name));
  problemsOf(operator.config, config);
  if (!code.run) throw new Error(`${operator.name} has no run`);
  const context = contextFor(fake.services, { configOf: () => ({ paths: ['x'] }), ...change });
  return code.run(rows, config as never, { ...context, run: { ...context.run, flow: flowWith(operator, config) } });
}

const documentOf = (one: Row) => one.document_id ?? one.id;
function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null)
    for (const member of Object.values(Object.freeze(value))) frozen(member);
  return value;
}
/** Documents that are neither handed on nor failed nor skipped: lost without a word. */
function lost(rows: readonly Row[], result: OperatorResult): string[] {
  const told = [...(result.failed ?? []), ...(result.skipped ?? [])].map(({ id }) => id);
  const known = new Set([...result.rows.map(documentOf), ...told]);
  return rows.filter((one) => !known.has(documentOf(one))).map(({ id }) => id);
}

describe.each(all)('$name', ({ name, operator }) => {
  test('has a schema of which every member is described, and says what it reads and writes', () => {
    expect(operator.config.type).toBe('object');
    const undescribed = Object.entries(operator.config.properties).filter(
      ([, member]) => !member.description && !member.anyOf && !member.properties,
    );
    expect(undescribed.map(([member]) => member)).toEqual([]);
    expect(operator.summary).toMatch(/\.$/);
  });

  test('has a README whose example is valid', () => {
    expect(existsSync(path.join(__dirname, '..', 'operators', name, 'README.md'))).toBe(true);
    const example = exampleOf(name);
    expect(problemsOf(operator.config, structuredClone(example))).toEqual([]);
    const problems = operator.validate?.(example, new Set()) ?? [];
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  test('names the place and the allowed values of a wrong setting, and warns of an unknown one', () => {
    const choices = Object.entries(operator.config.properties).flatMap(([member, schema]) => {
      const values = (schema.anyOf as { const?: unknown }[] | undefined)?.map((one) => one.const);
      return values?.every((value) => typeof value === 'string') ? [{ member, values }] : [];
    });
    for (const { member, values } of choices) {
      const errors = findingsOf(operator, { ...exampleOf(name), [member]: 'certainly-wrong' }).errors.filter(
        ({ pointer }) => pointer.startsWith(`/flow/1/config/${member}`),
      );
      expect({ member, errors: errors.length > 0 }).toEqual({ member, errors: true });
      for (const value of values) expect(errors.map(({ message }) => message).join(' ')).toContain(value);
    }
    const { warnings } = findingsOf(operator, { ...exampleOf(name), no_such_setting: 1 });
    expect(warnings.map(({ pointer }) => pointer)).toContain('/flow/1/config/no_such_setting');
  });
});

function findingsOf(operator: RegisteredOperator, config: Record<string, unknown>) {
  return validateFlow(flowWith(operator, config), operators);
}

/** A flow that holds the operator as its second one. */
function flowWith({ name: type, scope }: RegisteredOperator, config: Record<string, unknown>): FlowDefinition {
  const tested = { type, name: 'tested', config, ...(scope === 'source' ? {} : { depends_on: ['ingest'] }) };
  return { flow_name: 'f', flow: [{ type: 'ingest_source', name: 'ingest', config: { paths: ['x'] } }, tested] };
}

describe.each(ofRows)('$name', (one) => {
  const { name } = one;

  test('run twice gives the same as once, and what it was given is not changed', async () => {
    const rows = frozen([
      row(name, 'a', '# One\n\nThe first text of the two, with 42 words or fewer.', { size: 100 }),
      row(name, 'b', 'The second text. It is short.', { size: 10, allowed_users: ['bob', 'carol'] }),
    ]);
    const before = JSON.stringify(rows);
    const first = await run(one, rows);
    const second = await run(one, rows);
    expect(second).toEqual(first);
    expect(JSON.stringify(rows)).toBe(before);
    expect(lost(rows, first)).toEqual([]);
  });

  test('keeps access lists', async () => {
    const lists: Record<string, string[]> = { a: ['alice'], b: [], c: ['bob', 'carol', 'Ünïcode 😀'] };
    const rows = Object.entries(lists).map(([id, allowed_users]) =>
      row(name, id, `The text of ${id}, which is a text.`, { allowed_users }),
    );
    const { rows: kept, branches } = await run(one, rows);
    for (const result of [...kept, ...Object.values(branches ?? {}).flat()])
      expect({ id: result.id, users: result.allowed_users }).toEqual({
        id: result.id,
        users: lists[documentOf(result)],
      });
  });

  test('an empty table stays empty', async () => {
    const { rows, failed = [], skipped = [] } = await run(one, []);
    expect({ rows, failed, skipped }).toEqual({ rows: [], failed: [], skipped: [] });
  });

  test('a row without content is handed on, failed or skipped, and the rest goes on', async () => {
    const rows = [
      row(name, 'none', undefined),
      { ...row(name, 'null', 'x'), content: null as unknown as string },
      row(name, 'some', 'The text of a document.'),
    ];
    const result = await run(one, rows);
    expect(lost(rows, result)).toEqual([]);
    expect(result.rows.map(documentOf)).toContain('some');
  });

  test('10 MB of text in one row are worked through', async () => {
    const rows = [row(name, 'large', 'The text of a large document, again and again. '.repeat(223_000))];
    const result = await run(one, rows);
    expect(lost(rows, result)).toEqual([]);
  });

  test('any text survives: scripts, emoji, combining marks, control characters, lone surrogates', async () => {
    const texts = ['Žluťoučký kůň', 'e\u0301 und é', '漢字かな交じり文。', 'שלום עולם', '👩‍👩‍👧‍👦 family', 'a\u0000b\u0007c', '\ud800 alone', '\u202e reversed', '']; // prettier-ignore
    const rows = texts.map((text, index) =>
      row(name, `ünï-${index} ${text.slice(0, 2)}`, text, { name: `${text || 'empty'}.md` }),
    );
    const result = await run(one, rows);
    expect(lost(rows, result)).toEqual([]);
  });

  test('a cancelled operator ends within 2 seconds', async () => {
    const rows = Array.from({ length: 5_000 }, (_, index) =>
      row(name, `r${index}`, `Text number ${index} of many, none of which is worth the wait. `.repeat(20)),
    );
    const aborted = new AbortController();
    aborted.abort();
    await settled(run(one, rows.slice(0, 50), { signal: aborted.signal }));
    const controller = new AbortController();
    const running = settled(run(one, rows, { signal: controller.signal }));
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
