import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Row } from '../model/flow/row';
import { listProblems } from '../model/validate';
import { operators } from '../operators/index';
import type { RegisteredOperator } from '../operators/operator';
import { anyRowConfigs, getExample, fakeServices, furtherColumns } from '../test/support/operators/operator-services';
import { contextFor } from '../test/support/operators/operator-test-support';
import { print, readNumber, runCommand } from './support/command';
import { createRandom } from './support/random';
import { packageRoot } from './support/stack';

const usage = `usage: node dist/bench/operators.js [--rows N] [--runs N] [--save] [NAME …]

  Rows a second of each operator (or of those named) on N rows of about 60 characters (20,000), the best of several runs (3),
  and how the time grows: per row from a quarter of the rows to all, per character from 1 MB of text to 4 MB in one row (1 is
  linear). A source lists as many documents. Services are in memory or in the process; no server is needed. --save keeps the
  figures in bench/operators.json, where the table of operators in the documentation takes them from. Exits 1 when a target
  is missed.`;

/** The rows per second that the operator must reach. */
const targets: Readonly<Record<string, number>> = {
  ededup: 20_000,
  sql_filter: 20_000,
  lang_detect: 20_000,
  redaction: 20_000,
};
/**
 * A larger exponent means that the time grows faster than the work; on a busy machine a linear operator may reach this value.
 */
const maxGrowth = 2;

/** Settings that measure the operator itself and not its extensions. */
const benchConfigs: Readonly<Record<string, Record<string, unknown>>> = {
  ...anyRowConfigs,
  extract_operator: { text_extraction: { provider: 'local' } },
};

interface Figures {
  rows_per_second: number;
  growth_by_rows: number;
  growth_by_text: number;
}
const none = { wall: 0, cpu: 0 };

const words =
  'delivery order invoice late truck morning gauge pressure housing titanium paid the of and with was before after at noon'.split(
    ' ',
  );

/** Short rows: about 60 characters, one in twenty a copy of an earlier one, one in thirty with a number to mask. */
function buildShortRows(name: string, count: number): Row[] {
  const random = createRandom(20_000);
  const texts: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const copy = random.chance(0.05) ? texts[random.integer(0, index)] : undefined;
    const own = Array.from({ length: 9 }, () => words[random.integer(0, words.length - 1)]).join(' ');
    texts.push(copy ?? `${own} ${index}${random.chance(0.03) ? ' 123-45-6789' : ''}.`);
  }
  return texts.map((content, index) => buildRow(name, `row-${index}`, content));
}

function buildRow(name: string, id: string, content: string): Row {
  return {
    id,
    name: `${id}.md`,
    path: `/documents/${id}.md`,
    content,
    size: content.length,
    pages_processed: 1,
    allowed_users: ['alice'],
    metadata: { extension: 'md' },
    ...structuredClone(furtherColumns[name] ?? {}),
  };
}

async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) return print(usage);
  const count = readNumber(argv, '--rows', 20_000);
  const runs = readNumber(argv, '--runs', 3);
  const named = argv.filter((value) => operators.some(({ name }) => name === value));
  const measured = operators.filter(({ name }) => named.length === 0 || named.includes(name));
  const machine = `${os.cpus().length} × ${os.cpus()[0]?.model.trim()}, load ${os.loadavg()[0]?.toFixed(1)}, Node ${process.versions.node}`;
  print(`machine: ${machine}`);
  const figures: Record<string, Figures> = {};
  print('operator            rows/s   per row ×4 rows   per character ×4 text');
  const fake = fakeServices();
  let missed = 0;
  try {
    for (const operator of measured) {
      const best = async (rows: readonly Row[]) => findBest(operator, rows, runs, fake.services);
      const all = buildShortRows(operator.name, count);
      const seconds = await best(all);
      const quarter = await best(all.slice(0, count / 4));
      const isSource = operator.scope === 'source';
      const large = isSource ? none : await best([buildRow(operator.name, 'large', buildText(4_000_000))]);
      const small = isSource ? none : await best([buildRow(operator.name, 'small', buildText(1_000_000))]);
      // Based on processor time, which does not depend on other load; less than 20 ms of it is all overhead.
      const growth = [
        [seconds.cpu, 4 * quarter.cpu],
        [large.cpu, 4 * small.cpu],
      ].map(([more = 0, less = 0]) => (more < 0.02 ? 1 : more / less));
      const rate = count / seconds.wall;
      const isMissed = rate < (targets[operator.name] ?? 0) || growth.some((factor) => factor > maxGrowth);
      if (isMissed) missed += 1;
      figures[operator.name] = {
        rows_per_second: Number(rate.toPrecision(2)),
        growth_by_rows: Number((growth[0] ?? 0).toFixed(2)),
        growth_by_text: Number((growth[1] ?? 0).toFixed(2)),
      };
      const goal = targets[operator.name] ? `, at least ${targets[operator.name]?.toLocaleString('en')}` : '';
      print(
        `${operator.name.padEnd(17)}${Math.round(rate).toLocaleString('en').padStart(10)}${(growth[0] ?? 0).toFixed(2).padStart(14)}${(growth[1] ?? 0).toFixed(2).padStart(20)}   ${isMissed ? 'MISSED' : 'met'}${goal}`,
      );
    }
  } finally {
    await fake.close();
  }
  if (argv.includes('--save')) save(machine, count, figures);
  return missed === 0 ? 0 : 1;
}

/** Figures of operators that were not measured now are kept. */
function save(machine: string, rows: number, figures: Record<string, Figures>): void {
  const file = path.join(packageRoot, 'bench', 'operators.json');
  const known = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { operators: Record<string, Figures> }).operators
    : {};
  writeFileSync(file, `${JSON.stringify({ machine, rows, operators: { ...known, ...figures } }, null, 2)}\n`);
}

/** Seconds of the best of several runs, on the clock and of this process's processors. */
async function findBest(
  operator: RegisteredOperator,
  rows: readonly Row[],
  runs: number,
  services: ReturnType<typeof fakeServices>['services'],
): Promise<{ wall: number; cpu: number }> {
  const { run, runSource } = await operator.load();
  const config = structuredClone(benchConfigs[operator.name] ?? getExample(operator.name));
  listProblems(operator.config, config);
  const context = contextFor(services, { configOf: () => ({ paths: ['documents'] }) });
  const source = { type: 'ingest_source', name: 'ingest', config: { paths: ['documents'] } };
  const flow = {
    flow_name: 'bench',
    flow: [source, { type: operator.name, name: 'tested', config, depends_on: ['ingest'] }],
  };
  const best = { wall: Number.POSITIVE_INFINITY, cpu: Number.POSITIVE_INFINITY };
  for (let index = 0; index <= runs; index += 1) {
    const started = performance.now();
    const before = process.cpuUsage();
    const own = { ...context, run: { ...context.run, flow } };
    if (run) await run(rows, config as never, own);
    else await runSource?.(async () => undefined, { ...config, paths: rows.map(({ name }) => name) } as never, own);
    // The first run warms up.
    if (index === 0) continue;
    const { user, system } = process.cpuUsage(before);
    best.wall = Math.min(best.wall, (performance.now() - started) / 1_000);
    best.cpu = Math.min(best.cpu, (user + system) / 1e6);
  }
  return best;
}

function buildText(characters: number): string {
  const random = createRandom(characters);
  const sentences: string[] = [];
  for (let length = 0; length < characters;) {
    const sentence = `${Array.from({ length: 12 }, () => words[random.integer(0, words.length - 1)]).join(' ')}.\n`;
    sentences.push(sentence);
    length += sentence.length;
  }
  return sentences.join('').slice(0, characters);
}

runCommand(main);
