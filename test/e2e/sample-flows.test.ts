import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { FlowDefinition } from '../../model/flow';
import type { RunReport } from '../../cli/run-report';
import { createSystem, type System } from './system';

const samples = path.join(__dirname, '..', '..', 'samples');

/** What a sample flow must give. `out` are rows that operators hand on; `found` documents by index that alice finds in all. */
interface Expected {
  totals: Partial<RunReport['totals']>;
  out?: Record<string, number>;
  found?: Record<string, number>;
  code?: number;
}
const expected: Record<string, Expected> = {
  'basic-extract': { totals: { documents: 4, completed: 4 }, out: { extract: 4, store: 4 } },
  'document-set-and-index': { totals: { documents: 5, completed: 5 }, out: { extract: 5, store: 5 } },
  'dual-embeddings': {
    totals: { documents: 11, completed: 11 },
    out: { join: 11, index: 11 },
    found: { 'letters-dual': 11 },
  },
  'hybrid-chunks': { totals: { documents: 4, completed: 4 }, out: { keep: 4 } },
  'language-routing': {
    totals: { documents: 4, completed: 3, skipped: 1 },
    out: { 'index-en': 1, 'index-es': 1, rest: 1 },
    found: { 'invoices-en': 1, 'invoices-es': 1 },
  },
  'quality-routing': {
    totals: { documents: 11, completed: 9, skipped: 2, failed: 0 },
    out: { dedup: 9, hash: 4, english: 2, pass: 3, join: 9, index: 9 },
    found: { 'support-letters': 9 },
  },
  'redacted-search': {
    totals: { documents: 11, completed: 11 },
    out: { index: 11 },
    found: { 'letters-redacted': 11 },
  },
  'two-sinks': {
    totals: { documents: 11, completed: 11 },
    out: { 'index-long': 5, 'index-short': 6 },
    found: { 'letters-long': 5, 'letters-short': 6 },
  },
};

let system: System;
beforeAll(async () => {
  system = createSystem();
  for (const folder of ['documents', 'support', 'languages'])
    cpSync(path.join(samples, folder), path.join(system.folder, folder), { recursive: true });
  mkdirSync(path.join(system.folder, 'flows'));
  await system.startWorker();
});
afterAll(async () => {
  await system.stop();
});

const indexOf = (name: string) => `${system.env['SEARCH_DEFAULT_INDEX']}-${name}`;

/** Writes the sample with indexes and a name of this system's own; `change` may alter it before. */
function prepare(name: string, change: (flow: FlowDefinition) => void = () => undefined): string {
  const flow = JSON.parse(readFileSync(path.join(samples, 'flows', `${name}.json`), 'utf8')) as FlowDefinition;
  change(flow);
  flow.flow_name = `${name}-${system.env['DOCLOOM_TASK_QUEUE']}`;
  for (const { type, config } of flow.flow)
    if (type === 'vectordb' && config) config['index_name'] = indexOf(String(config['index_name']));
  const file = path.join(system.folder, 'flows', `${name}.json`);
  writeFileSync(file, JSON.stringify(flow));
  return file;
}

/** How many records of an index alice may read. */
async function readable(index: string): Promise<number> {
  const { SEARCH_HOST: host, SEARCH_PORT: port } = system.env;
  const query = { query: { term: { allowed_users: 'alice' } } };
  const answer = await fetch(`http://${host}:${port}/${indexOf(index)}/_count`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(query),
  });
  return ((await answer.json()) as { count: number }).count;
}

describe('sample flows run and give what they promise', () => {
  test.each(Object.entries(expected))('%s', async (name, { totals, out = {}, found = {}, code = 0 }) => {
    const { code: exit, report } = await system.run(prepare(name), '--user', 'alice');
    expect({ failures: report.failures, warnings: report.warnings }).toEqual({ failures: [], warnings: [] });
    expect(report.totals).toMatchObject(totals);
    expect(exit).toBe(code);
    const handedOn = Object.fromEntries(report.operators.map((operator) => [operator.name, operator.out]));
    expect(handedOn).toMatchObject(out);
    for (const [index, count] of Object.entries(found))
      expect({ index, count: await readable(index) }).toEqual({ index, count });
  });
});
