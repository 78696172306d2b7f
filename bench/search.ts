import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readConfig } from '../model/config';
import { fillIndex, indexName } from './search/fill';
import { measureGroupChange } from './search/group-change';
import { measureNearest } from './search/nearest';
import { measureOverload } from './search/overload';
import { measurePrincipals } from './search/principals';
import { measureTimes } from './search/times';
import { print, readNumber, readOption, runCommand } from './support/command';
import { describeMachine } from './support/machine';
import { openStack } from './support/stack';
import { reportTargets, type Target } from './support/targets';

const usage = `usage: node dist/bench/search.js [options]

  --documents N  records in the index, default 200,000, each with a vector of 384 numbers
  --searches N   searches of each kind, default 600; four times as many warm up
  --only LIST    of times, nearest, principals, groups, overload; default times and nearest
  --callers N    callers of the part overload, default 1,000
  --keep         leaves the index, so that the next call with as many records need not write it

The part times searches through POST /api/v1/documents/search in the modes text and hybrid, and sends the same text query, access rule
included, straight to OpenSearch and through a process that only forwards it: the least that a service in between can cost. Readers are
named in lists of 1, 20 and 5,000 names, or may read half of the index. The part nearest compares the nearest vectors that the index
finds with the exact ones, for readers of 1 % and 50 % of the index. The part principals has an index of its own and readers in 10 to
10,000 groups; the part groups measures how long it takes until a change of a group counts. The part overload compares the answers a
second of 16 callers with those of --callers callers at a time, who repeat refused searches after the time that Retry-After names.
Uses the docloom up of the data folder (DOCLOOM_DATA), else starts one and stops it. Exits 1 when a target is missed.`;

async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) return print(usage);
  const count = readNumber(argv, '--documents', 200_000);
  const parts = readOption(argv, '--only')?.split(',') ?? ['times', 'nearest'];
  const dataDir = path.resolve(readConfig(process.env).DOCLOOM_DATA);
  const stack = await openStack(dataDir);
  const env: Record<string, string | undefined> = { ...process.env, ...stack.info.env };
  const engine = `http://${env['SEARCH_HOST']}:${env['SEARCH_PORT']}`;
  try {
    for (const line of await describeMachine(stack.info.env)) print(line);
    if (parts.some((part) => !['principals', 'groups'].includes(part))) await fillIndex(env, engine, count);
    const secret = env['JWT_SECRET_KEY'] ?? readFileSync(path.join(dataDir, 'jwt-secret'), 'utf8').trim();
    const searches = readNumber(argv, '--searches', 600);
    const place = { searches, api: stack.info.apiAddress, engine, alias: readConfig(env).SEARCH_DEFAULT_INDEX, secret };
    const targets: Target[] = [];
    if (parts.includes('nearest')) targets.push(...(await measureNearest(engine)));
    if (parts.includes('principals'))
      targets.push(...(await measurePrincipals({ env, engine, records: count, searches })));
    if (parts.includes('groups')) targets.push(...(await measureGroupChange(env)));
    if (parts.includes('overload'))
      targets.push(...(await measureOverload(place, readNumber(argv, '--callers', 1_000))));
    if (parts.includes('times')) targets.push(...(await measureTimes(place)));
    return reportTargets(targets, print);
  } finally {
    if (!argv.includes('--keep')) await fetch(`${engine}/${indexName}`, { method: 'DELETE' });
    await stack.close();
  }
}

runCommand(main);
