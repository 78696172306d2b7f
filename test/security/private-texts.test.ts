import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Client } from '../../client';
import type { FlowOperator } from '../../model/flow/flow';
import { computeTaskKey } from '../../services/conversion/task-ids';
import { createModelServer, type ModelServer } from '../support/servers/model-server';
import { getHistories, historiesOfWorkflow, findLeaks, getLogs, repliesFor } from '../support/system/evidence';
import { documentsIn, loggedIn, reading, runToEnd } from '../support/system/over-http';
import { createSystem, type System, until } from '../support/system/system';

/** In the text, and in another form in the name, of a document that only alice may read. */
const canary = 'heron-twelve-million';
const named = 'heron-plan';
let system: System;
let server: ModelServer;
let address: string;
let alice: { token: string; client: Client };
let carol: typeof alice;

beforeAll(async () => {
  server = await createModelServer();
  system = createSystem({ DOCLOOM_ALLOWED_HOSTS: '127.0.0.1', DOCLOOM_ADMIN_GROUPS: 'docloom-admins' });
  const operators = path.join(system.folder, 'operators');
  mkdirSync(operators);
  writeFileSync(path.join(operators, 'shouting.mjs'), shouting);
  system.env['DOCLOOM_CUSTOM_OPERATORS'] = operators;
  [address] = await Promise.all([system.startApi(), system.startWorker()]);
  [alice, carol] = await Promise.all([loggedIn(address, 'alice'), loggedIn(address, 'carol')]);
});
afterAll(async () => {
  await system.stop();
  await server.stop();
});

/** A custom operator that leaks its input in every possible way. */
const shouting = `export const operator = {
  name: 'shouting', label: 'shouting', summary: 'Says what it is given.', category: 'Quality', scope: 'row',
  reads: ['content'], writes: [],
  config: { type: 'object', properties: { how: { type: 'string' } }, additionalProperties: false },
};
export async function run(rows, { how }) {
  console.error(rows.map((row) => row.content).join());
  if (how === 'throw') throw new Error(rows[0].content);
  if (how === 'cause') throw new TypeError('broken', { cause: new Error(rows[0].content) });
  if (how === 'fail') return { rows: [], failed: rows.map(({ id, name, content }) => ({ id, name, message: content })) };
  if (how === 'skip') return { rows: [], skipped: rows.map(({ id, name, content }) => ({ id, name, reason: content })) };
  return { rows, warnings: rows.map(({ name, content }) => name + content) };
}
`;

let count = 0;
const shout = (how: string): FlowOperator => ({
  type: 'shouting',
  name: 'shout',
  depends_on: ['extract'],
  config: { how },
});
const text = `# Plan\n\nProfit: ${canary}.`;

/** Runs alice's flow over one of her documents, and returns everything visible to her, an administrator, histories and logs. */
async function runOver(document: Record<string, string>, last: FlowOperator[], global_config?: object) {
  const name = `private${(count += 1)}`;
  const folder = documentsIn(system, name, document, { allowed_users: ['alice'] });
  const { flow_id } = await alice.client.flows.create({
    flow_name: `${name}-${system.env['DOCLOOM_TASK_QUEUE']}`,
    flow: [...reading(folder), ...last],
    ...(global_config ? { global_config } : {}),
  });
  const run = await runToEnd(alice.client, flow_id);
  return {
    own: await repliesFor(address, alice.token, [run.job_run_id]),
    others: [
      await repliesFor(address, carol.token, [run.job_run_id]),
      await getHistories(system, run.job_run_id),
      getLogs(system),
    ].join('\n'),
  };
}

describe('document content stays out of histories, logs and the views of administrators', () => {
  const model = (faults: () => void): FlowOperator[] => {
    faults();
    const config = { type: 'ollama', provider_config: { model_id: 'm', api_base: server.url } };
    return [{ type: 'embeddings', name: 'embed', depends_on: ['extract'], config }];
  };
  const cases: [string, Record<string, string>, () => FlowOperator[], object?][] = [
    ['when its parser fails', { [`${named}.json`]: `{"schema_name":"DoclingDocument", ${canary}` }, () => []],
    ['when a custom operator throws it', { [`${named}.md`]: text }, () => [shout('throw')]],
    ['when it is the cause of an error', { [`${named}.md`]: text }, () => [shout('cause')]],
    ['when a custom operator fails with it', { [`${named}.md`]: text }, () => [shout('fail')]],
    ['when it fails the run', { [`${named}.md`]: text }, () => [shout('fail')], { fail_fast: true }],
    ['when a custom operator skips with it', { [`${named}.md`]: text }, () => [shout('skip')]],
    ['when it is a warning', { [`${named}.md`]: text }, () => [shout('warn')]],
    [
      'when SQL fails with it',
      { [`${named}.md`]: text },
      () => [
        {
          type: 'sql_filter',
          name: 'sql',
          depends_on: ['extract'],
          config: { filter_criteria: 'SELECT * REPLACE (CAST(content AS INTEGER) AS content) FROM input' },
        },
      ],
    ],
    [
      'when a model server quotes it',
      { [`${named}.md`]: text },
      () => model(() => (server.fault = () => ({ status: 400, body: { error: { message: `bad input: ${text}` } } }))),
    ],
    [
      'when a model server quotes it in an invalid answer',
      { [`${named}.md`]: text },
      () => model(() => (server.fault = () => ({ body: text }))),
    ],
  ];
  // A parameter that a case does not fill would be the callback of the test.
  test.each(cases)('%s', async (...[, document, operators, global]) => {
    server.reset();
    const { own, others } = await runOver(document, operators(), global);
    expect([...findLeaks(others, canary), ...findLeaks(others, named)]).toEqual([]);
    // The owner sees it, unless the operator itself hides it.
    expect(own).toMatch(new RegExp(`${canary}|${named}|shouting.*broken`, 's'));
  });

  test('a conversion does not leak it either', async () => {
    const response = await fetch(`${address}/v1/convert/source/async`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        sources: [
          {
            kind: 'file',
            filename: `${named}.json`,
            base64_string: Buffer.from(`{"schema_name":"DoclingDocument", ${canary}`).toString('base64'),
          },
        ],
        options: { to_formats: ['md'], abort_on_error: true },
        target: { kind: 'zip' },
      }),
    });
    const { task_id } = (await response.json()) as { task_id: string };
    const ask = async (route: string) => (await fetch(`${address}/v1/${route}`)).text();
    await until('the task has ended', async () => (await ask(`status/poll/${task_id}`)).includes('failure","'));
    expect(await ask(`status/poll/${task_id}`)).toContain(named);
    // The id of the workflow contains the first file name but not the task id, which grants access to the result.
    const workflowId = `convert/${named}.json/${computeTaskKey(task_id)}`;
    let histories = '';
    // The task ends shortly before its workflow, whose history has the activities only then.
    await until('the history has the conversion', async () => {
      histories = await historiesOfWorkflow(system, workflowId);
      return histories.includes('convert_document');
    });
    expect(histories).not.toContain(task_id);
    const others = [histories, getLogs(system)].join('\n').replaceAll(workflowId, '');
    expect([...findLeaks(others, canary), ...findLeaks(others, named)]).toEqual([]);
  });
});
