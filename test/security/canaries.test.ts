import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Arbitrary, array, assert, asyncProperty, boolean, constantFrom, record, tuple } from 'fast-check';
import type { Client } from '../../client';
import type { FlowOperator } from '../../model/flow/flow';
import { createModelServer, type ModelServer } from '../support/servers/model-server';
import { getHistories, findLeaks, getLogs, repliesFor, getTables } from '../support/system/evidence';
import { documentsIn, loggedIn, reading, runToEnd } from '../support/system/over-http';
import { createSystem, type System } from '../support/system/system';

/** Generated rounds of flows; each is a flow by each user. For more rounds: DOCLOOM_CANARY_ROUNDS=50. */
const rounds = Number(process.env['DOCLOOM_CANARY_ROUNDS'] ?? 2);
const seed = Number(process.env['DOCLOOM_CANARY_SEED'] ?? 20_261_122);
const users = ['alice', 'bob', 'carol'] as const;
type Username = (typeof users)[number];

/** A document for each set of readers, each with one canary in its text and another in its name. */
const readersOf: Record<string, readonly Username[]> = {
  a: ['alice'],
  b: ['bob'],
  c: ['carol'],
  ab: ['alice', 'bob'],
  bc: ['bob', 'carol'],
  abc: [...users],
};
const getCanary = (document: string) => `zebra${document}quagga`;
const getName = (document: string) => `okapi${document}bongo`;

let system: System;
let server: ModelServer;
let address: string;
let folder: string;
let people: Record<Username, { token: string; client: Client }>;

/** A custom operator that mixes rows and leaks its input in every possible way. */
const mixing = `export const operator = {
  name: 'mixing', label: 'mixing', summary: 'Mixes rows.', category: 'Quality', scope: 'row', reads: ['content'], writes: [],
  config: { type: 'object', properties: { how: { type: 'string' } }, additionalProperties: false },
};
export async function run(rows, { how }) {
  const all = rows.map(({ name, content }) => name + ' ' + content).join(' ');
  const [first] = rows;
  if (how === 'throw') throw new Error(all);
  if (how === 'fail') return { rows: rows.slice(1), failed: [{ id: first.id, name: all, message: all }] };
  if (how === 'skip') return { rows: rows.slice(1), skipped: [{ id: first.id, name: all, reason: all }] };
  if (how === 'warn') return { rows, warnings: [all] };
  if (how === 'columns') return { rows: rows.map((row) => ({ ...row, ['of ' + all.slice(0, 200)]: 1, metadata: { all } })) };
  if (how === 'lists') return { rows: rows.map((row) => ({ ...row, content: all, allowed_users: ['alice', 'bob', 'carol'] })) };
  return { rows: rows.map((row) => ({ ...row, content: all, title: all })) };
}
`;

beforeAll(async () => {
  server = await createModelServer();
  // No user ingests for everybody, and none is an administrator: data of others must not reach a user through any role.
  system = createSystem({ DOCLOOM_ALLOWED_HOSTS: '127.0.0.1', DOCLOOM_INGEST_PRINCIPALS: 'user:nobody' });
  const operators = path.join(system.folder, 'operators');
  mkdirSync(operators);
  writeFileSync(path.join(operators, 'mixing.mjs'), mixing);
  system.env['DOCLOOM_CUSTOM_OPERATORS'] = operators;
  const documents = Object.keys(readersOf).map((name) => [
    `${getName(name)}.md`,
    `# Of ${getCanary(name)}\n\nThe ${getCanary(name)} grazes at dawn, canary of the report.`,
  ]);
  const files = Object.entries(readersOf).map(([name, list]) => [`${getName(name)}.md`, list]);
  folder = documentsIn(system, 'docs', Object.fromEntries(documents) as Record<string, string>, {
    files: Object.fromEntries(files) as object,
  });
  [address] = await Promise.all([system.startApi(), system.startWorker()]);
  const clients = await Promise.all(users.map((user) => loggedIn(address, user)));
  people = Object.fromEntries(users.map((user, index) => [user, clients[index]])) as typeof people;
});
afterAll(async () => {
  await system.stop();
  await server.stop();
});

type Step = Omit<FlowOperator, 'name' | 'depends_on'>;
const sql = (query: string): Step => ({ type: 'sql_filter', config: { filter_criteria: query } });
const steps = (): Arbitrary<Step> =>
  constantFrom<Step>(
    sql(
      `SELECT i.* REPLACE (list_aggregate((SELECT list(content) FROM input), 'string_agg', ' ') AS content) FROM input i`,
    ),
    sql('SELECT i.* REPLACE (j.content AS content) FROM input i, input j WHERE i.id <= j.id'),
    sql('SELECT * REPLACE (error(content) AS content) FROM input'),
    sql('SELECT * REPLACE (CAST(content AS INTEGER) AS content) FROM input'),
    sql('SELECT *, content AS copied, name AS renamed FROM input'),
    { type: 'sql_filter', config: { criteria_list: ["content LIKE '%a%'"] } },
    { type: 'redaction', config: { redaction_regex: 'Of' } },
    { type: 'doc_quality' },
    { type: 'lang_detect' },
    { type: 'ededup' },
    { type: 'chunker', config: { chunk_size: 60 } },
    ...['throw', 'fail', 'skip', 'warn', 'columns', 'lists', 'mix'].map((how) => ({ type: 'mixing', config: { how } })),
    { type: 'embeddings', config: { type: 'ollama', provider_config: { model_id: 'm', api_base: 'MODELS' } } },
  );
const ends = (): Arbitrary<Step> =>
  constantFrom<Step>(
    { type: 'document_set', config: { document_set_name: 'NAME', readers: [...users] } },
    { type: 'vectordb', config: { provider: 'opensearch', index_name: 'NAME', writers: [...users] } },
  );
const flows = () =>
  record({
    steps: array(steps(), { maxLength: 3 }),
    end: ends(),
    paths: constantFrom('folder', 'file'),
    failFast: boolean(),
    fault: constantFrom(undefined, 400, 500),
  });

let count = 0;
/** The flow over the documents; `MODELS` and `NAME` become this system's. */
function getFlow({ steps: middle, end, paths, failFast }: Generated) {
  const name = `canary-${system.env['DOCLOOM_TASK_QUEUE']}-${(count += 1)}`;
  const source = paths === 'folder' ? folder : path.join(folder, `${getName('a')}.md`);
  const operators = reading(source);
  for (const step of [...middle, end]) {
    const before = operators.at(-1)?.name ?? '';
    const config = JSON.parse(
      JSON.stringify(step.config ?? {})
        .replace('MODELS', server.url)
        .replace('NAME', name),
    ) as object;
    operators.push({ ...step, name: `s${operators.length}`, depends_on: [before], config } as FlowOperator);
  }
  return {
    flow_name: name,
    flow: operators,
    readers: [...users],
    ...(failFast ? { global_config: { fail_fast: true } } : {}),
  };
}
type Generated = typeof flows extends () => Arbitrary<infer T> ? T : never;

/** Each piece of evidence, with its permitted users; histories and logs are for nobody. */
async function findEvidence(owner: Username, generated: Generated): Promise<[string, readonly Username[], string][]> {
  const flow = getFlow(generated);
  const { client } = people[owner];
  const { flow_id } = await client.flows.create(flow);
  const run = await runToEnd(client, flow_id);
  const names = flow.flow.map(({ name }) => name);
  const seen = await Promise.all(
    users.map(async (user): Promise<[string, readonly Username[], string]> => [
      `the replies to ${user}, of a flow of ${owner}`,
      [user],
      await repliesFor(address, people[user].token, [run.job_run_id]),
    ]),
  );
  return [
    ...seen,
    [`the histories of a run of ${owner}`, [], await getHistories(system, run.job_run_id)],
    [`the tables of a run of ${owner}`, [owner], await getTables(system, run.job_run_id, names)],
  ];
}

/** Content of evidence that its users may not have. Users may see a canary if they are among its readers. */
function leaksIn([what, having, text]: [string, readonly Username[], string]): string[] {
  const isFor = (readers: readonly Username[]) => having.length > 0 && having.every((user) => readers.includes(user));
  // A user names paths of their own flow.
  const foreign = text.replaceAll(path.join(folder, `${getName('a')}.md`), '');
  return Object.entries(readersOf)
    .filter(([, readers]) => !isFor(readers))
    .flatMap(([document]) => [...findLeaks(foreign, getCanary(document)), ...findLeaks(foreign, getName(document))])
    .map((leak) => `${what}: ${leak}`);
}

test(
  'whatever flows do, document content reaches only those who may read it',
  async () => {
    await assert(
      asyncProperty(tuple(flows(), flows(), flows()), async (generated) => {
        for (const [index, owner] of users.entries()) {
          const own = generated[index] as Generated;
          server.reset();
          const { fault } = own;
          if (fault !== undefined)
            server.fault = (ask) => ({ status: fault, body: { error: { message: `refused: ${ask.texts.join()}` } } });
          const evidence = await findEvidence(owner, own);
          evidence.push([`what the model server of ${owner} was asked`, [owner], JSON.stringify(server.asked)]);
          evidence.push(['the logs', [], getLogs(system)]);
          expect(evidence.flatMap(leaksIn)).toEqual([]);
        }
      }),
      { numRuns: rounds, seed, endOnFailure: true },
    );
  },
  60_000 + rounds * 120_000,
);
