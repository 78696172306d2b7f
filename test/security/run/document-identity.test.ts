import type { Client } from '../../../client';
import type { FlowOperator } from '../../../model/flow/flow';
import { documentsIn, loggedIn, reading, runToEnd } from '../../support/system/over-http';
import { createSystem, type System } from '../../support/system/system';

const forged = 'forged-by-bob';
let system: System;
let alice: { token: string; client: Client };
let bob: typeof alice;
let folder: string;
let reportId: string;

const index = (after: string, name: string): FlowOperator => ({
  type: 'vectordb',
  name: 'index',
  depends_on: [after],
  config: { provider: 'opensearch', index_name: `${system.env['SEARCH_DEFAULT_INDEX']}-${name}` },
});

beforeAll(async () => {
  system = createSystem({ DOCLOOM_INGEST_PRINCIPALS: 'user:alice' });
  folder = documentsIn(system, 'shared', { 'report.md': '# Report\n\nThe profit is seven.' }, { allowed_users: ['*'] });
  const [address] = await Promise.all([system.startApi(), system.startWorker()]);
  [alice, bob] = await Promise.all([loggedIn(address, 'alice'), loggedIn(address, 'bob')]);
  const flow = [...reading(folder), index('extract', 'alice')];
  const { flow_id } = await alice.client.flows.create({ flow_name: 'report', flow });
  await runToEnd(alice.client, flow_id);
  const { documents } = await bob.client.documents.search({ query: 'profit' });
  reportId = documents[0]?.id ?? '';
});
afterAll(() => system.stop());

/** Everything that alice's document shows of itself. */
async function readReport(): Promise<string> {
  const { documents } = alice.client;
  const whole = await documents.get(reportId);
  const found = await documents.search({ filters: { document_id: reportId } });
  return JSON.stringify([whole, found]);
}

describe("a flow of bob cannot make his text a part of alice's document", () => {
  const sql = (query: string) => ({ type: 'sql_filter', config: { filter_criteria: query } });
  const attacks: Record<
    string,
    () => { extract?: FlowOperator['config']; steps?: Omit<FlowOperator, 'name' | 'depends_on'>[] }
  > = {
    'by SQL that replaces the column': () => ({
      steps: [sql(`SELECT * REPLACE ('${reportId}' AS document_id) FROM input`)],
    }),
    'by SQL that adds the column in capitals': () => ({
      steps: [sql(`SELECT id, name, content, pages_processed, '${reportId}' AS DOCUMENT_ID FROM input`)],
    }),
    'by the column of the Markdown': () => ({ extract: { text_extraction: { doc_column: 'document_id' } } }),
    'by the column of a class': () => ({
      steps: [
        {
          type: 'document_classifier',
          config: {
            output_column: 'document_id',
            confidence_threshold: 1,
            document_types: [reportId],
          },
        },
      ],
    }),
    'by SQL over chunks': () => ({
      steps: [{ type: 'chunker', config: {} }, sql(`SELECT * REPLACE ('${reportId}' AS document_id) FROM input`)],
    }),
  };
  test.each(Object.keys(attacks))('%s', async (name) => {
    const { extract, steps = [] } = attacks[name]!();
    const mine = documentsIn(
      system,
      name.replaceAll(' ', '-'),
      { 'mine.md': extract ? reportId : `# ${reportId}\n\n${forged}` },
      { allowed_users: ['*'] },
    );
    const [ingest, converts] = reading(mine) as [FlowOperator, FlowOperator];
    const flow = [ingest, { ...converts, ...(extract ? { config: extract } : {}) }];
    for (const step of steps) flow.push({ ...step, name: `s${flow.length}`, depends_on: [flow.at(-1)?.name ?? ''] });
    flow.push(index(flow.at(-1)?.name ?? '', `bob${Object.keys(attacks).indexOf(name)}`));
    const before = await readReport();
    expect(before).toContain('profit is seven');
    const { flow_id } = await bob.client.flows.create({ flow_name: name.replaceAll(' ', '-'), flow });
    const run = await runToEnd(bob.client, flow_id);
    expect(run).toMatchObject({ status: 'COMPLETED', totals: { completed: 1 } });
    // The record of bob's own document is there for alice, as one of his.
    expect((await alice.client.documents.search({ query: extract ? reportId : forged })).total).toBeGreaterThan(0);
    expect(await readReport()).toBe(before);
  });
});
