import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { User } from '../../model/access';
import { createTokens } from '../../services/login/tokens';
import type { SearchRequest } from '../../services/search/ports';
import { print } from '../support/command';
import { type Caller, createCaller, load, quantile } from '../support/http-load';
import { writeBlocks } from '../support/prose';
import { createRandom, type Random } from '../support/random';
import type { Target } from '../support/targets';
import { buildTextBody, createReader } from './calls';
import { readers, getText } from './fill';

export const searchPath = '/api/v1/documents/search';

/** The target of the measurement. */
export interface Place {
  api: string;
  engine: string;
  alias: string;
  secret: string;
  /** Searches of each kind. */
  searches: number;
}
interface Turn {
  token: string;
  request: SearchRequest;
  body: Record<string, unknown>;
}

/** Times of text searches through the api, straight to the engine and through a process that only forwards; then hybrid ones. */
export async function measureTimes({ api, engine, alias, secret, searches }: Place): Promise<Target[]> {
  const tokens = createTokens({ secret, expireMinutes: 60 });
  const caller = createCaller(api, { connections: 16 });
  const direct = createCaller(engine, { connections: 16 });
  const { child, port } = await startForwarder(engine);
  const hop = createCaller(`http://127.0.0.1:${port}`, { connections: 16 });
  const enginePath = `/${encodeURIComponent(alias)}/_search`;
  const ways = {
    ours: ({ request, token }: Turn) => caller.call('POST', searchPath, request, token),
    hybrid: ({ request, token }: Turn) => caller.call('POST', searchPath, { ...request, mode: 'hybrid' }, token),
    theirs: ({ body }: Turn) => direct.call('POST', enginePath, body),
    forwarded: ({ body }: Turn) => hop.call('POST', enginePath, body),
  };
  try {
    const targets: Target[] = [];
    const turns = (reader: (random: Random) => string, seed = 7) => buildTurns(reader, tokens, { searches, seed });
    const usual = await turns(readers.usual);
    // Different questions than the measured ones, because their vectors are cached.
    const others = await turns(readers.usual, 8);
    for (const way of [ways.ours, ways.theirs, ways.forwarded, ways.hybrid]) await warmUp(others, way);
    for (const [name, asked] of [
      ['2 % readable, lists of 20 names', usual],
      ['1 % readable, lists of 1 name', await turns(readers.single)],
      ['1 % readable, lists of 5,000 names', await turns(readers.crowded)],
      ['half readable', await turns(readers.half)],
    ] as const) {
      const { ours, theirs, forwarded, hybrid } = await alternate(asked, ways);
      print(
        `${name}: p50 ${ours.toFixed(2)} ms by the api, ${theirs.toFixed(2)} ms straight to OpenSearch, ` +
          `${forwarded.toFixed(2)} ms (${(forwarded / theirs).toFixed(2)} times) through a process that only forwards, hybrid ${hybrid.toFixed(2)} ms`,
      );
      targets.push({
        name: `search, p50 to that of the engine; ${name}`,
        value: ours / theirs,
        unit: ' times',
        atMost: 1.15,
      });
      targets.push({ name: `hybrid, p50 to that of text; ${name}`, value: hybrid / ours, unit: ' times', atMost: 2 });
    }
    const crowd = await load({ times: searches * 2, callers: 16 }, (turn) => ways.ours(at(usual, turn)));
    targets.push({ name: 'search, p99 with 16 callers', value: quantile(crowd, 0.99), unit: ' ms', atMost: 250 });
    return targets;
  } finally {
    for (const candidate of [caller, direct, hop] satisfies Caller[]) candidate.close();
    child.kill();
  }
}

/** Queries of two words, each by one reader. */
export async function buildTurns(
  reader: (random: Random) => string,
  tokens: ReturnType<typeof createTokens>,
  { searches, seed }: { searches: number; seed: number },
): Promise<Turn[]> {
  const random = createRandom(seed);
  const words = getText(writeBlocks(random, 20_000))
    .split(/[^a-z]+/i)
    .filter((word) => word.length > 5);
  // A reader keeps a token for many searches.
  const issued = new Map<string, string>();
  const tokenOf = (user: User) => {
    const token = issued.get(user.username) ?? tokens.issue(user);
    issued.set(user.username, token);
    return token;
  };
  return await Promise.all(
    Array.from({ length: searches }, async () => {
      const user = createReader(reader(random));
      const request = { query: `${at(words, random.integer(0, 1e6))} ${at(words, random.integer(0, 1e6))}` };
      return { token: tokenOf(user), request, body: await buildTextBody(user, request) };
    }),
  );
}

/** Times fall for the first few thousand calls, until the JIT compilers of all processes are done. */
async function warmUp(turns: readonly Turn[], way: (turn: Turn) => Promise<number>): Promise<void> {
  await load({ times: 4 * turns.length, callers: 4 }, (turn) => way(at(turns, turn)));
}

/** The median of each way. The ways alternate, so that all run under the same load. */
async function alternate<Way extends string>(
  turns: readonly Turn[],
  ways: Record<Way, (turn: Turn) => Promise<number>>,
): Promise<Record<Way, number>> {
  const names = Object.keys(ways) as Way[];
  const taken = new Map(names.map((name) => [name, [] as number[]]));
  for (const [position, turn] of turns.entries()) {
    const first = position % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) taken.get(name)?.push(await ways[name](turn));
  }
  return Object.fromEntries(names.map((name) => [name, quantile(taken.get(name) ?? [], 0.5)])) as Record<Way, number>;
}

async function startForwarder(engine: string): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [path.join(__dirname, '..', 'support', 'forwarder.js'), engine], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, port: Number(line.toString()) };
}

function at<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T;
}
