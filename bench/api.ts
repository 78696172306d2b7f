import { readFileSync } from 'node:fs';
import path from 'node:path';
import { v5 as uuidOf } from 'uuid';
import { readConfig } from '../model/config';
import type { StoredFlow } from '../services/flow/flows-store';
import { createTokens } from '../services/login/tokens';
import { connectMongo, type Mongo } from '../services/storage/mongo';
import { print, readNumber, runCommand } from './support/command';
import { createCaller, load, quantile } from './support/http-load';
import { describeMachine } from './support/machine';
import { openStack } from './support/stack';
import { reportTargets, type Target } from './support/targets';

const usage = `usage: node dist/bench/api.js [--flows N]

  --flows N  flows of one owner in the database, default 50,000; they are removed at the end

Lists, filters and gets flows over HTTP. Uses the docloom up of the data folder (DOCLOOM_DATA), else starts one and stops it:
with MONGODB_URL the real database, else the embedded one. Exits 1 when a target is missed.`;

const owner = 'bench-api';
const pageSize = 100;
const getsOfRound = 4_000;
/** Namespace of the flow ids, so that a second run creates the same flows. */
const namespace = '6ba7b811-9dad-11d1-80b4-00c04fd430c8';
const buildFlowId = (index: number) => uuidOf(`bench-api-${index}`, namespace);

async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) return print(usage);
  const count = readNumber(argv, '--flows', 50_000);
  const dataDir = path.resolve(readConfig(process.env).DOCLOOM_DATA);
  const stack = await openStack(dataDir);
  const { env } = stack.info;
  const mongo = connectMongo(env['MONGODB_URL'] ?? readConfig(process.env).MONGODB_URL);
  try {
    for (const line of await describeMachine(env)) print(line);
    print(`database: ${process.env['MONGODB_URL'] ? 'the one of MONGODB_URL' : 'embedded'}, ${count} flows`);
    await writeFlows(mongo, count);
    const secret = process.env['JWT_SECRET_KEY'] ?? readFileSync(path.join(dataDir, 'jwt-secret'), 'utf8').trim();
    const user = { username: owner, email: '', full_name: '', groups: [] };
    const token = createTokens({ secret, expireMinutes: 60 }).issue(user);
    return reportTargets(await measure(`http://127.0.0.1:${env['DOCLOOM_PORT'] ?? '8080'}`, token, count), print);
  } finally {
    await mongo.collection<StoredFlow>('flows').deleteMany({ owner });
    await mongo.close();
    await stack.close();
  }
}

async function writeFlows(mongo: Mongo, count: number): Promise<void> {
  const flows = mongo.collection<StoredFlow>('flows');
  await flows.deleteMany({ owner });
  for (let from = 0; from < count; from += 1_000) {
    const batch = Array.from({ length: Math.min(1_000, count - from) }, (_, index) => buildStoredFlow(from + index));
    await flows.insertMany(batch, { ordered: false });
  }
}

function buildStoredFlow(index: number): StoredFlow {
  const time = new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString();
  const definition = {
    flow_name: `bench-api-${String(index).padStart(6, '0')}`,
    flow: [{ type: 'ingest_source', name: 'ingest', config: { connection_params: { paths: ['documents'] } } }],
  };
  return {
    _id: buildFlowId(index),
    flow_name: definition.flow_name,
    project_id: '',
    owner,
    readers: [],
    tags: [`group-${index % 10}`],
    definition: JSON.stringify(definition),
    is_hidden: false,
    flow_source: 'api',
    flow_version: '1',
    created_on: time,
    modified_on: time,
    created_by: owner,
    modified_by: owner,
    revision: 1,
    name_key: `owner/${owner}/${definition.flow_name}`,
  };
}

async function measure(address: string, token: string, count: number): Promise<Target[]> {
  const caller = createCaller(address, { token, connections: 16 });
  try {
    const page = async (query: string, times = 7) => {
      await caller.call('GET', `/api/v1/flows?limit=${pageSize}&${query}`);
      const taken = await load({ times, callers: 1 }, () =>
        caller.call('GET', `/api/v1/flows?limit=${pageSize}&${query}`),
      );
      return quantile(taken, 0.5);
    };
    const last = Math.max(0, Math.min(499, Math.floor(count / pageSize) - 1));
    const first = await page('offset=0');
    const deep = await page(`offset=${last * pageSize}`);
    const sorted = await page('sort=-flow_name&tags=group-3');
    const getFlow = (turn: number) => caller.call('GET', `/api/v1/flows/${buildFlowId((turn * 7_919) % count)}`);
    await load({ times: getsOfRound, callers: 16 }, getFlow);
    const rates: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const started = performance.now();
      await load({ times: getsOfRound, callers: 16 }, getFlow);
      rates.push(getsOfRound / ((performance.now() - started) / 1_000));
    }
    print(`page 1: ${first.toFixed(0)} ms, page ${last + 1}: ${deep.toFixed(0)} ms (median of 7)`);
    print(
      `flows by id a second: ${rates.map((rate) => rate.toFixed(0)).join(', ')} after one round that is not counted`,
    );
    return [
      { name: `page ${last + 1} to page 1`, value: deep / first, unit: ' times', atMost: 1.2 },
      { name: 'a sorted, filtered page', value: sorted / 1_000, unit: ' s', atMost: 0.6 },
      { name: 'GET /api/v1/flows/{id}, 16 callers', value: quantile(rates, 0.5), unit: ' a second', atLeast: 800 },
    ];
  } finally {
    caller.close();
  }
}

runCommand(main);
