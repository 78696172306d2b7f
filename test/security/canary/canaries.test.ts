import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { assert, asyncProperty } from 'fast-check';
import type { Client } from '../../../client';
import { operators } from '../../../operators/index';
import { createModelServer, type ModelAsk, type ModelServer } from '../../support/servers/model-server';
import { startPgvector, type TestPgvector } from '../../support/servers/pgvector';
import { createReceiver, type Receiver } from '../../support/servers/receiver';
import { getHistories, getLogs, readTableRows } from '../../support/system/evidence';
import { documentsIn, loggedIn, runToEnd, signedIn } from '../../support/system/over-http';
import { createSystem, type System } from '../../support/system/system';
import {
  buildFiles,
  type Evidence,
  findDocument,
  findForbidden,
  listReaders,
  listRowEvidence,
  mixing,
  type Username,
  users,
} from './documents';
import { buildFlow, type Drawn, drawRound, exceptions, getModel, type Place, singleFile } from './flows';
import { type Asker, isSeen, type Known, readSurfaces, type Run } from './surfaces';

/** Generated rounds of flows; each is a flow by each user and one with a fault. For more rounds: DOCLOOM_CANARY_ROUNDS=50. */
const rounds = Number(process.env['DOCLOOM_CANARY_ROUNDS'] ?? 1);
const seed = Number(process.env['DOCLOOM_CANARY_SEED'] ?? 20_261_122);
const signingKey = 'signing key of the test of canaries, long enough';

let system: System;
let server: ModelServer;
let receiver: Receiver;
let postgres: TestPgvector;
let address: string;
let folder: string;
let people: Record<Username, { token: string; client: Client }>;
let askers: Asker[];
/** Operators to which a run has given rows. */
const executed = new Set<string>();

beforeAll(async () => {
  [server, receiver, postgres] = await Promise.all([createModelServer(), createReceiver(), startPgvector()]);
  // No user ingests for everybody, and no user is an administrator: data of others must not reach them through any role.
  system = createSystem({
    DOCLOOM_ALLOWED_HOSTS: '127.0.0.1',
    DOCLOOM_INGEST_PRINCIPALS: 'user:nobody',
    DOCLOOM_ADMIN_GROUPS: 'admins',
    DOCLOOM_EXPORT_PRINCIPALS: users.map((user) => `user:${user}`).join(','),
    DOCLOOM_CONNECTION_KEYS: Buffer.alloc(32, 7).toString('base64'),
    DOCLOOM_SEARCH_POSTGRES: `postgres://postgres@${postgres.host}:${postgres.port}/postgres`,
  });
  const custom = path.join(system.folder, 'operators');
  mkdirSync(custom);
  writeFileSync(path.join(custom, 'mixing.mjs'), mixing);
  system.env['DOCLOOM_CUSTOM_OPERATORS'] = custom;
  system.env['DOCLOOM_EXPORT_ROOTS'] = path.join(system.folder, 'export');
  mkdirSync(system.env['DOCLOOM_EXPORT_ROOTS']);
  const files = await buildFiles();
  folder = documentsIn(system, 'docs', files, { files: listReaders(files) });
  [address] = await Promise.all([system.startApi({ JWT_SECRET_KEY: signingKey }), system.startWorker()]);
  const clients = await Promise.all(users.map((user) => loggedIn(address, user)));
  people = Object.fromEntries(users.map((user, index) => [user, clients[index]])) as typeof people;
  const admin = signedIn(address, { secret: signingKey, username: 'root', groups: ['admins'] });
  askers = [
    ...users.map((name) => ({ name, having: [name], token: people[name].token })),
    { name: 'an administrator', having: [], token: admin.token },
  ];
  for (const user of users)
    await people[user].client.webhooks.create({
      url: `${receiver.url}/${user}`,
      events: ['run.ended', 'document.failed', 'rights.changed'],
    });
});
afterAll(async () => {
  await system.stop();
  await Promise.all([server.stop(), receiver.stop(), postgres.stop()]);
});

let count = 0;
const buildPlace = (name: string): Place => ({
  name,
  folder,
  modelUrl: server.url,
  exportRoot: system.env['DOCLOOM_EXPORT_ROOTS'] ?? '',
  postgresPort: postgres.port,
});

/** A run of the flow to its end, in a project of all three. */
async function runFlow(drawn: Drawn) {
  const { owner } = drawn;
  const { client } = people[owner];
  const name = `canary-${system.env['DOCLOOM_TASK_QUEUE']}-${(count += 1)}`;
  const { project_id } = await client.projects.create({ name, members: users.filter((user) => user !== owner) });
  const flow = buildFlow(drawn, buildPlace(name));
  const { flow_id } = await client.flows.create({ ...flow, project_id });
  const run = await runToEnd(client, flow_id);
  for (const { type, in: rows } of run.operators) if (rows > 0) executed.add(type);
  const { failed } = run.totals;
  return {
    id: run.job_run_id,
    failed,
    owner,
    drawn,
    name,
    status: run.status,
    operators: flow.flow.map((item) => item.name),
  };
}
type Ended = Awaited<ReturnType<typeof runFlow>>;

/** What a run left behind itself: histories and logs are for nobody, rows for their readers, files for its owner. */
async function findRemains({
  id,
  owner,
  name,
  operators: all,
}: Ended): Promise<{ evidence: Evidence[]; known: Map<string, string> }> {
  const known = new Map<string, string>();
  const evidence: Evidence[] = [
    { what: `the histories of ${owner}`, having: [], text: await getHistories(system, id) },
  ];
  for (const operator of all) {
    const rows = await readTableRows(system, id, operator);
    const what = `${operator} of ${owner}`;
    evidence.push({ what: `the rows of ${what}`, having: [owner], text: JSON.stringify(rows) });
    evidence.push(...listRowEvidence(`a row of ${what}`, rows));
    for (const row of operator === 'ingest' ? rows : []) known.set(row.id, findDocument(row.name) ?? '');
  }
  evidence.push(...listRowEvidence(`an entry of the index of ${owner}`, await readIndex(name)));
  evidence.push({ what: `the files exported by ${owner}`, having: [owner], text: readExports(owner) });
  return { evidence, known };
}

async function readIndex(name: string): Promise<Record<string, unknown>[]> {
  const { SEARCH_HOST: host, SEARCH_PORT: port } = system.env;
  const reply = await fetch(`http://${host}:${port}/${name}/_search?size=1000&ignore_unavailable=true`);
  const { hits } = (await reply.json()) as { hits: { hits: { _source: Record<string, unknown> }[] } };
  return hits.hits.map(({ _source }) => _source);
}

function readExports(owner: Username): string {
  const root = path.join(system.env['DOCLOOM_EXPORT_ROOTS'] ?? '', owner);
  if (!existsSync(root)) return '';
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
  return files.map((file) => `${file} ${readFileSync(file, 'utf8')}`).join('\n');
}

/** The answer of a model: what it was asked, in the form that was asked for. */
function answer({ schema, messages }: ModelAsk): string | object {
  const text = messages.at(-1)?.content.slice(0, 2_000) ?? '';
  return schema ? (fillSchema(schema, text) as object) : text;
}

function fillSchema(schema: Record<string, unknown>, text: string): unknown {
  const { properties, items, enum: values, minimum, anyOf } = schema;
  const type = [schema['type']].flat().find((name) => name !== 'null');
  if (Array.isArray(values)) return values[0];
  if (Array.isArray(anyOf)) return fillSchema(anyOf[0] as Record<string, unknown>, text);
  if (type === 'array') return [fillSchema((items ?? {}) as Record<string, unknown>, text)];
  if (type === 'number' || type === 'integer') return minimum ?? 1;
  if (type === 'boolean') return true;
  if (type !== 'object') return text;
  const members = Object.entries((properties ?? {}) as Record<string, Record<string, unknown>>);
  return Object.fromEntries(members.map(([name, member]) => [name, fillSchema(member, text)]));
}

/** A second run of a job, of the documents that failed in the first: comparisons of the two name documents. */
async function repeatOne(ended: readonly Ended[]): Promise<Run[]> {
  const first = ended.find(({ failed }) => failed > 0);
  if (!first) return [];
  const { client } = people[first.owner];
  const { job_run_id: id } = await client.jobRuns.retryFailed(first.id);
  await client.jobRuns.waitFor(id);
  return [{ id, operators: first.operators, base: first.id }];
}

/** A graph of the first readable document that a search finds, if the flows of the round made any searchable. */
async function makeGraph(user: Username): Promise<void> {
  const { documents, graphs } = people[user].client;
  const [hit] = (await documents.search({ query: 'canary' })).documents;
  if (!hit) return;
  const animal = { type: 'string', description: 'Animal' };
  const { id } = await graphs.create({
    document_id: hit.id,
    template: { title: 'Report', type: 'object', properties: { animal } },
  });
  await graphs.finished(id);
}

/** The flows of a round, everything that they left, and all replies about it. */
async function play(generated: readonly Drawn[]): Promise<{ ended: Ended[]; evidence: Evidence[] }> {
  server.reset();
  server.answer = answer;
  server.fault = (ask) => {
    const fault = generated.find((drawn) => getModel(drawn) === ask.model)?.fault;
    const told = [...ask.texts, ...ask.messages.map(({ content }) => content)].join();
    return typeof fault === 'number' ? { status: fault, body: { error: { message: `refused: ${told}` } } } : undefined;
  };
  const ended = await Promise.all(generated.map(runFlow));
  const remains = await Promise.all(ended.map(findRemains));
  await people.alice.client.savedSearches.create({
    name: `canary ${count}`,
    request: { query: 'canary' },
    readers: ['bob', 'carol'],
  });
  await Promise.all(users.map(makeGraph));
  const runs = [...ended, ...(await repeatOne(ended))];
  const known: Known = { runs, documents: new Map(remains.flatMap((remain) => [...remain.known])) };
  const evidence = [...remains.flatMap((remain) => remain.evidence), ...(await readSurfaces(address, askers, known))];
  for (const user of users) {
    const asked = server.asked.filter(({ model }) => model.startsWith(user));
    evidence.push({ what: `what the model of ${user} was asked`, having: [user], text: JSON.stringify(asked) });
    evidence.push({ what: `what ${user} received`, having: [user], text: receiver.textFor(`/${user}`) });
  }
  evidence.push({ what: 'the logs', having: [], text: getLogs(system) });
  return { ended, evidence };
}

/** Each flow without a fault read documents to the end, and each user sees their own. */
function expectProof({ ended, evidence }: { ended: readonly Ended[]; evidence: readonly Evidence[] }): void {
  const failed = ended.filter(({ drawn, status }) => drawn.fault === undefined && !status.startsWith('COMPLETED'));
  expect(failed).toEqual([]);
  expect(users.filter((user) => !isSeen(evidence, user))).toEqual([]);
}

test(
  'whatever flows do, document content reaches only those who may read it',
  async () => {
    await assert(
      asyncProperty(drawRound(), async (generated) => {
        const played = await play(generated);
        // A user names paths of their own flow.
        const named = path.join(folder, singleFile);
        expect(played.evidence.flatMap((one) => findForbidden(one, named))).toEqual([]);
        expectProof(played);
      }),
      { numRuns: rounds, seed, endOnFailure: true },
    );
    const unused = operators.map(({ name }) => name).filter((name) => !executed.has(name) && !(name in exceptions));
    expect(unused).toEqual([]);
  },
  60_000 + rounds * 120_000,
);
