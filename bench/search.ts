import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readConfig } from '../model/config';
import type { User } from '../model/access';
import { createEmbedder } from '../services/embedding/embedder';
import type { IndexRecord, SearchRequest } from '../services/search/ports';
import { createSearch } from '../services/search/search';
import type { SearchCall } from '../services/search/connection';
import { createQueries } from '../services/search/query';
import { createTokens } from '../services/login/tokens';
import { print, runCommand } from './support/command';
import { createCaller, load, quantile } from './support/http-load';
import { describeMachine } from './support/machine';
import { title, writeBlocks } from './support/prose';
import { createRandom } from './support/random';
import { openStack } from './support/stack';
import { reportTargets, type Target } from './support/targets';

const usage = `usage: node dist/bench/search.js [--documents N]

  --documents N  records in the index, default 200,000, readable by some of 1,000 users; the index is removed at the end

Searches by text through POST /api/v1/documents/search, and sends the same query, access rule included, straight to OpenSearch,
and to it through a process that only hands on: what any service in between costs at least.
Uses the docloom up of the data folder (DOCLOOM_DATA), else starts one and stops it. Exits 1 when a target is missed.`;

const users = 1_000;
const readersOfEach = 20;
const indexName = 'bench-search';
const searches = 600;
const warmUps = 2_400;

async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) return print(usage);
  const count = argv.includes('--documents') ? Number(argv[argv.indexOf('--documents') + 1]) : 200_000;
  const dataDir = path.resolve(readConfig(process.env).DOCLOOM_DATA);
  const stack = await openStack(dataDir);
  const env: Record<string, string | undefined> = { ...process.env, ...stack.info.env };
  const engine = `http://${env['SEARCH_HOST']}:${env['SEARCH_PORT']}`;
  try {
    for (const line of await describeMachine(stack.info.env)) print(line);
    await fill(env, count);
    print(`${count} records, ${users} users, ${readersOfEach} readers each`);
    const secret = env['JWT_SECRET_KEY'] ?? readFileSync(path.join(dataDir, 'jwt-secret'), 'utf8').trim();
    return reportTargets(await measure(`http://127.0.0.1:${env['DOCLOOM_PORT'] ?? '8080'}`, engine, secret), print);
  } finally {
    await fetch(`${engine}/${indexName}`, { method: 'DELETE' });
    await stack.close();
  }
}

async function fill(env: Record<string, string | undefined>, count: number): Promise<void> {
  const search = createSearch(readConfig(env));
  const random = createRandom(200);
  const signal = AbortSignal.timeout(3_600_000);
  try {
    const spec = { name: indexName, engine: 'lucene', spaceType: 'l2', m: 16, efConstruction: 100 } as const;
    await search.ensureIndex(spec, undefined, signal);
    for (let from = 0; from < count; from += 2_000) {
      const records = Array.from({ length: Math.min(2_000, count - from) }, (_, index): IndexRecord => {
        const id = `bench-${from + index}`;
        return {
          id,
          document_id: id,
          job_id: indexName,
          run_id: indexName,
          content: textOf(writeBlocks(random, 400)),
          title: title(random),
          metadata: { department: `department ${(from + index) % 40}` },
          allowed_users: Array.from({ length: readersOfEach }, () => `user-${random.integer(0, users - 1)}`),
          created_at: '2026-01-01T00:00:00Z',
          updated_at: '2026-01-01T00:00:00Z',
        };
      });
      await search.bulkIndex(indexName, records, undefined, signal);
    }
    await search.refresh(indexName);
  } finally {
    await search.close();
  }
}

function textOf(blocks: ReturnType<typeof writeBlocks>): string {
  return blocks.map((block) => ('text' in block ? block.text : '')).join('\n');
}

/** The body that the api sends to the engine for a request, as its own code makes it. */
async function engineCall(user: User, request: SearchRequest): Promise<SearchCall> {
  let sent: SearchCall | undefined;
  const connection = {
    address: '',
    send: async (call: SearchCall) => {
      sent = call;
      return { status: 200, body: { hits: { total: { value: 0 }, hits: [] } } };
    },
    close: async () => undefined,
  };
  const embedder = createEmbedder(readConfig(process.env));
  await createQueries(connection, indexName, { embedder, mayAsk: () => false }).search(user, request);
  if (!sent) throw new Error('The search sent nothing.');
  return sent;
}

async function measure(api: string, engine: string, secret: string): Promise<Target[]> {
  const tokens = createTokens({ secret, expireMinutes: 60 });
  const random = createRandom(7);
  const words = textOf(writeBlocks(random, 20_000))
    .split(/[^a-z]+/i)
    .filter((word) => word.length > 5);
  const turns = await Promise.all(
    Array.from({ length: searches }, async () => {
      const user = { username: `user-${random.integer(0, users - 1)}`, email: '', full_name: '', groups: [] };
      const request = {
        query: `${words[random.integer(0, words.length - 1)]} ${words[random.integer(0, words.length - 1)]}`,
      };
      const { path: where, body } = await engineCall(user, request);
      return { token: tokens.issue(user), request, where, body };
    }),
  );
  const caller = createCaller(api, { connections: 16 });
  const direct = createCaller(engine, { connections: 16 });
  const { child, port } = await startForwarder(engine);
  const hop = createCaller(`http://127.0.0.1:${port}`, { connections: 16 });
  try {
    const ours = (turn: number) => {
      const { request, token } = at(turns, turn);
      return caller.call('POST', '/api/v1/documents/search', request, token);
    };
    const theirs = (turn: number) => direct.call('POST', at(turns, turn).where, at(turns, turn).body);
    const forwarded = (turn: number) => hop.call('POST', at(turns, turn).where, at(turns, turn).body);
    // Compilers of all processes need some thousand calls until times no longer fall.
    for (const work of [ours, theirs, forwarded])
      await load({ times: warmUps, callers: 4 }, (turn) => work(turn % searches));
    const alone = { ours: [] as number[], theirs: [] as number[], forwarded: [] as number[] };
    // One after the other, so that both meet the same load of the machine.
    for (let turn = 0; turn < searches; turn += 1) {
      alone.theirs.push(await theirs(turn));
      alone.ours.push(await ours(turn));
      alone.forwarded.push(await forwarded(turn));
    }
    const crowd = await load({ times: searches * 2, callers: 16 }, (turn) => ours(turn % searches));
    const [mine, bare] = [quantile(alone.ours, 0.5), quantile(alone.theirs, 0.5)];
    const handed = quantile(alone.forwarded, 0.5);
    print(
      `p50 alone: ${mine.toFixed(2)} ms by the api, ${bare.toFixed(2)} ms straight to OpenSearch, ` +
        `${handed.toFixed(2)} ms (${(handed / bare).toFixed(2)} times) through a process that only hands on`,
    );
    return [
      { name: 'search, p50 to that of the engine', value: mine / bare, unit: ' times', atMost: 1.15 },
      { name: 'search, p99 with 16 callers', value: quantile(crowd, 0.99), unit: ' ms', atMost: 250 },
    ];
  } finally {
    for (const one of [caller, direct, hop]) one.close();
    child.kill();
  }
}

async function startForwarder(engine: string): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [path.join(__dirname, 'forwarder.js'), engine], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, port: Number(line.toString()) };
}

function at<T>(list: readonly T[], index: number): T {
  return list[index] as T;
}

runCommand(main);
