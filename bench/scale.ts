import path from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from '../model/config';
import { measureCallers } from './scale/callers';
import { measureListing } from './scale/listing';
import type { ScaleBench } from './scale/scale-bench';
import { measureSoak } from './scale/soak';
import { measureTenants } from './scale/tenants';
import { print, runCommand } from './support/command';
import { describeMachine } from './support/machine';
import { openStack } from './support/stack';
import { reportTargets, type Target } from './support/targets';

const usage = `usage: node dist/bench/scale.js [--only PART]… [--files N] [--converted N] [--workers N] [--tenants N] [--documents N]
                                [--callers N] [--streams N] [--minutes N] [--pause N]

  listing  a run over --files files (1,000,000), then a run after one of a hundred has changed. With --converted, the first run is over
           that many files, and the others are entered in its ledger as it would have entered them
  tenants  --workers processes (16) serve --tenants tenants (10), who start a run of --documents files (200) at the same time; one
           more tenant has started a run of ten times as many before
  callers  --callers callers (1,000) at a time read runs, flows and documents, while --streams clients (200) follow a run
  soak     runs, conversions and searches for --minutes minutes (120), with --pause seconds (0) between the rounds: memory, handles
           and disk at the beginning and at the end

Without --only, all parts. The growth of runs is measured with flow.js --scale --documents 1000,100000, searches with
search.js --documents 2000000. Uses the docloom up of the data folder (DOCLOOM_DATA), else starts one and stops it.
Exits 1 when a target is missed.`;

const parts = { listing: measureListing, tenants: measureTenants, callers: measureCallers, soak: measureSoak };
type Part = keyof typeof parts;

async function main(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      only: { type: 'string', multiple: true, default: Object.keys(parts) },
      files: { type: 'string', default: '1000000' },
      converted: { type: 'string' },
      workers: { type: 'string', default: '16' },
      tenants: { type: 'string', default: '10' },
      documents: { type: 'string', default: '200' },
      callers: { type: 'string', default: '1000' },
      streams: { type: 'string', default: '200' },
      minutes: { type: 'string', default: '120' },
      pause: { type: 'string', default: '0' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return print(usage);
  const unknown = values.only.find((name) => !Object.hasOwn(parts, name));
  if (unknown !== undefined) throw new Error(`--only ${unknown} is no part.\n\n${usage}`);
  const dataDir = path.resolve(readConfig(process.env).DOCLOOM_DATA);
  const stack = await openStack(dataDir);
  const size: ScaleBench['size'] = (name) => {
    const value = Number(values[name] ?? (name === 'converted' ? values.files : undefined));
    const least = name === 'pause' ? 0 : 1;
    if (!Number.isInteger(value) || value < least)
      throw new Error(`--${name} takes a whole number from ${least}.\n\n${usage}`);
    return value;
  };
  const bench: ScaleBench = { stack, dataDir, size, say: print };
  try {
    for (const line of await describeMachine(stack.info.env)) print(line);
    const targets: Target[] = [];
    for (const name of values.only) targets.push(...(await parts[name as Part](bench)));
    print('');
    return reportTargets(targets, print);
  } finally {
    await stack.close();
  }
}

runCommand(main);
