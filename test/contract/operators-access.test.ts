import * as fc from 'fast-check';
import { getAccessKey } from '../../model/access-list';
import type { FlowDefinition, FlowOperator } from '../../model/flow/flow';
import { getProducer, readGraph, sortTopologically } from '../../model/flow/graph';
import type { Row } from '../../model/flow/row';
import { listProblems } from '../../model/validate';
import { findOperator, operators } from '../../operators/index';
import { getExample, type FakeServices, fakeServices } from '../support/operators/operator-services';
import { contextFor } from '../support/operators/operator-test-support';

let fake: FakeServices;
beforeAll(() => {
  fake = fakeServices();
});
afterAll(() => fake.close());

const documents = fc.uniqueArray(
  fc.record({
    id: fc.stringMatching(/^[a-z]{1,6}$/),
    content: fc.oneof(
      fc.constant('the same text'),
      fc.lorem({ maxCount: 30 }),
      fc.string({ maxLength: 40 }),
      fc.constant(undefined),
    ),
    allowed_users: fc.uniqueArray(fc.constantFrom('alice', 'bob', 'carol', 'Ünï 😀'), { maxLength: 4 }),
    allowed_principals: fc.option(fc.uniqueArray(fc.constantFrom('g:login:staff', 'p:*'), { minLength: 1 }), {
      nil: undefined,
    }),
    denied_principals: fc.option(fc.uniqueArray(fc.constantFrom('g:login:eve', 'u:bob'), { minLength: 1 }), {
      nil: undefined,
    }),
  }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 8 },
);

/** Operators between the documents and the end of a flow; `chunker` at most once per path, so only at the end. */
const stepKinds: Omit<FlowOperator, 'name'>[] = [
  { type: 'noop', config: {} },
  { type: 'doc_id_hash', config: {} },
  { type: 'lang_detect', config: {} },
  { type: 'doc_quality', config: {} },
  { type: 'redaction', config: { redaction_regex: ['[aeiou]+', 'same'] } },
  { type: 'ededup', config: {} },
  { type: 'ededup', config: { across_access_lists: true } },
  {
    type: 'sql_filter',
    config: {
      criteria_list: ['length(content) > 3 OR content IS NULL'],
      features_to_drop: ['allowed_users', 'metadata'],
    },
  },
  { type: 'sql_filter', config: { filter_criteria: 'SELECT id, content, pages_processed FROM input' } },
  { type: 'embeddings', config: { type: 'hashing', dimension: 8 } },
  { type: 'document_classifier', config: { type: 'rules', document_types: ['invoice', 'receipt'] } },
  { type: 'extract_operator', config: { entity_extraction: { provider: 'rules', document_type: 'invoice' } } },
  { type: 'entity_curation', config: {} },
  { type: 'pii', config: {} },
  { type: 'profanity', config: { action: 'mask' } },
  { type: 'readability', config: {} },
  { type: 'fdedup', config: {} },
  { type: 'fdedup', config: { action: 'mark' } },
  { type: 'summary', config: { provider_config: { model_id: 'm' } } },
  { type: 'translation', config: { provider_config: { model_id: 'm' }, target_language: 'de' } },
  { type: 'table_rows', config: { output: 'column' } },
  { type: 'graph', config: getExample('graph') },
];
const steps = fc.constantFrom(...stepKinds);
const endKinds: Omit<FlowOperator, 'name'>[][] = [
  [{ type: 'vectordb', config: { index_name: 'i' } }],
  [
    { type: 'chunker', config: { chunk_size: 50, chunk_overlap: 0 } },
    { type: 'vectordb', config: { index_name: 'i' } },
  ],
  [
    { type: 'chunker', config: { chunk_type: 'hybrid', tokenizer: 'o200k_base' } },
    { type: 'embeddings', config: { type: 'hashing', dimension: 8 } },
    { type: 'vectordb', config: { index_name: 'i' } },
  ],
  [
    { type: 'chunker', config: { chunk_type: 'semantic', embeddings: { type: 'hashing' } } },
    { type: 'document_set', config: { document_set_name: 's' } },
  ],
  [{ type: 'document_set', config: { document_set_name: 's' } }],
  [{ type: 'storage', config: { destination: 'folder', path: '/x', formats: ['md', 'jsonl'] } }],
];
const end = fc.constantFrom(...endKinds);
const merges = fc.constantFrom(
  { merge_type: 'rows' },
  { merge_type: 'rows', on_duplicate: 'first' },
  { merge_type: 'columns', column_option: 'inner_join' },
  { merge_type: 'columns', column_option: 'full_outer' },
);
const conditions = fc.constantFrom(
  {},
  { criteria_list: ["content LIKE '%a%'"] },
  { criteria_list: ["id < 'm'"], features_to_drop: ['allowed_users'] },
);

const flows = fc
  .record({
    head: fc.array(steps, { maxLength: 3 }),
    fork: fc.option(
      fc.record({
        branches: fc.tuple(conditions, conditions),
        ways: fc.tuple(
          fc.array(steps, { minLength: 1, maxLength: 2 }),
          fc.array(steps, { minLength: 1, maxLength: 2 }),
        ),
        merge: fc.option(merges, { nil: undefined }),
      }),
      { nil: undefined },
    ),
    tail: fc.array(steps, { maxLength: 2 }),
    end,
  })
  .map(toFlow);

interface Draft {
  head: Omit<FlowOperator, 'name'>[];
  fork:
    | {
        branches: [object, object];
        ways: [Omit<FlowOperator, 'name'>[], Omit<FlowOperator, 'name'>[]];
        merge: object | undefined;
      }
    | undefined;
  tail: Omit<FlowOperator, 'name'>[];
  end: Omit<FlowOperator, 'name'>[];
}

function toFlow({ head, fork, tail, end }: Draft): FlowDefinition {
  const flow: FlowOperator[] = [{ type: 'ingest_source', name: 'start', config: { paths: ['x'] } }];
  const add = (list: readonly Omit<FlowOperator, 'name'>[], after: string) => {
    let last = after;
    for (const step of list) {
      const name = `o${flow.length}`;
      flow.push({ ...step, name, depends_on: [last] });
      last = name;
    }
    return last;
  };
  const before = add(head, 'start');
  if (!fork) {
    add([...tail, ...end], before);
    return { flow_name: 'f', flow };
  }
  const [one, other] = fork.branches;
  const route = add([{ type: 'branching', config: { branches: { one, other } } }], before);
  const ends = [add(fork.ways[0], `${route}.one`), add(fork.ways[1], `${route}.other`)];
  if (!fork.merge) {
    for (const last of ends) add([...tail, ...end], last);
    return { flow_name: 'f', flow };
  }
  const name = `o${flow.length}`;
  flow.push({ type: 'merge', name, depends_on: ends, config: fork.merge as Record<string, unknown> });
  add([...tail, ...end], name);
  return { flow_name: 'f', flow };
}

/** Runs the operators of the flow one after the other, as a worker would with a run of one part. */
async function runFlow(flow: FlowDefinition, rows: readonly Row[]): Promise<Map<string, readonly Row[]>> {
  const graph = readGraph(flow);
  const tables = new Map<string, readonly Row[]>([['start', rows]]);
  for (const name of sortTopologically(graph).order.slice(1)) {
    const step = graph.operators.get(name);
    const operator = findOperator(step?.type ?? '');
    const code = await operator?.load();
    if (!step || !operator || !code?.run) throw new Error(`no operator ${step?.type}`);
    const inputs = (graph.inputs.get(name) ?? []).map((input) => ({ name: input, rows: tables.get(input) ?? [] }));
    expect(inputs.every((input) => graph.operators.has(getProducer(input.name, graph.operators)))).toBe(true);
    const given = [
      ...new Map(inputs.flatMap((input) => input.rows.map((row) => [row.id, row] as const)).toReversed()).values(),
    ];
    const config = structuredClone(step.config ?? {});
    listProblems(operator.config, config);
    const context = contextFor(fake.services, { operator: name, ...(inputs.length > 1 ? { inputs } : {}) });
    const result =
      given.length === 0
        ? { rows: [] }
        : await code.run(given, config as never, { ...context, run: { ...context.run, flow } });
    tables.set(name, result.rows);
    for (const [branch, own] of Object.entries(result.branches ?? {})) tables.set(`${name}.${branch}`, own);
  }
  return tables;
}

test('every operator that gets documents is among them', () => {
  const types = new Set([...stepKinds, ...endKinds.flat()].map(({ type }) => type));
  const others = operators.filter(({ name, scope }) => scope !== 'source' && !types.has(name)).map(({ name }) => name);
  expect(others).toEqual(['branching', 'merge']);
});

test('in any flow, every row derived from a document may be read by its readers and by nobody else', async () => {
  await fc.assert(
    fc.asyncProperty(flows, documents, async (flow, input) => {
      fake.indexed.clear();
      fake.stored.clear();
      const rows = input.map((item): Row => ({
        ...item,
        name: item.id,
        path: item.id,
        pages_processed: 1,
        metadata: { k: 1 },
      }));
      const readers = new Map(rows.map((row) => [row.id, getAccessKey(row)]));
      const tables = await runFlow(flow, rows);
      const sunk = [...fake.indexed.values()].flatMap((records) => [...records.values()]);
      const seen = [...tables.values()]
        .flat()
        .map((row) => ({ document: row.document_id ?? row.id, users: getAccessKey(row) }));
      for (const { document, users } of [
        ...seen,
        ...sunk.map((record) => ({
          document: record.document_id,
          users: getAccessKey({ ...record, required_lists: undefined }),
        })),
        ...([...fake.stored.values()] as Row[]).map((row) => ({
          document: row.document_id ?? row.id,
          users: getAccessKey(row),
        })),
      ])
        expect({ document, users }).toEqual({ document, users: readers.get(document) });
    }),
    { numRuns: 80, seed: 7, endOnFailure: true },
  );
});
