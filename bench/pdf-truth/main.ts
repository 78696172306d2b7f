import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { toMarkdown } from '../../document/write/markdown';
import { readModelsFolder } from '../../embedded/paths';
import { convertBytes } from '../../formats/convert';
import { openImage } from '../../services/image/images';
import { createOcr, type Ocr } from '../../services/image/ocr';
import { createOcrByPage } from '../../services/image/ocr-by-page';
import { createPpOcr } from '../../services/image/ppocr/ppocr';
import { createTableModel } from '../../services/image/slanet/table-model';
import { createRandom } from '../support/random';
import { startPrinter } from './chromium';
import { drawnKinds } from './drawn-pages';
import { formulaKinds } from './formula-pages';
import { htmlKinds } from './html-pages';
import { rawKinds } from './raw-pages';
import { drawAsImage } from './scan-image';
import { scannedKinds } from './scan-pages';
import { scoreDocument, type Scores } from './score';
import { scriptKinds } from './script-pages';
import { taggedKinds } from './tagged-pages';
import type { Truth } from './truth';

const scoreNames = ['words', 'order', 'headings', 'tables', 'items', 'furniture', 'amounts', 'formulas'] as const;

const printedKinds = { ...htmlKinds, ...taggedKinds, ...scriptKinds, ...formulaKinds };

/** A generated file with its truth. */
interface Made {
  bytes: Uint8Array;
  extension?: 'pdf' | 'png';
  truth: Truth;
}

interface Scored {
  kind: string;
  name: string;
  scores: Scores;
}

/** Generates pages with a known structure, reads them, and prints how much of the structure was found. */
async function main(args: string[]): Promise<number> {
  const readOption = (name: string) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
  const [seed, count] = [Number(readOption('--seed') ?? 1), Number(readOption('--count') ?? 5)];
  const [only, kept] = [readOption('--only'), readOption('--keep')];
  if (kept !== undefined) mkdirSync(kept, { recursive: true });
  const found: Scored[] = [];
  const engines = createEngines(findEngine(readOption('--engine') ?? 'tesseract'));
  const tableModel = args.includes('--table-model') ? createTableModel(readModelsFolder(process.env)) : undefined;
  const models = tableModel ? { models: { cells: tableModel.readStructure } } : {};
  let spentSeconds = 0;
  const judge = async (kind: string, index: number, made: Made) => {
    const name = `${kind.replaceAll(' ', '-')}-${seed}-${index}`;
    const recognition =
      kind in scannedKinds || kind === 'bad ToUnicode'
        ? { ocr: { mode: 'auto' as const, recognize: engines.get(scannedKinds[kind]?.languages).recognize } }
        : {};
    const file = `${name}.${made.extension ?? 'pdf'}`;
    const before = process.cpuUsage();
    const { document } = await convertBytes({ bytes: made.bytes, name: file, openImage, ...models, ...recognition });
    const { user, system } = process.cpuUsage(before);
    spentSeconds += (user + system) / 1e6;
    const scores = scoreDocument(document, made.truth);
    if (!(kind in scannedKinds)) delete scores.amounts;
    found.push({ kind, name, scores });
    if (kept === undefined) return;
    writeFileSync(path.join(kept, file), made.bytes);
    writeFileSync(path.join(kept, `${name}.md`), toMarkdown(document));
    writeFileSync(path.join(kept, `${name}.truth.json`), JSON.stringify(made.truth, undefined, 1));
  };
  const isWanted = (kind: string) => only === undefined || kind.includes(only);
  const printer = await startPrinter();
  if (!printer) process.stdout.write('No Chromium: pages of HTML are left out (CHROMIUM names one).\n');
  for (let index = 0; index < count; index += 1) {
    for (const [kind, make] of Object.entries({ ...drawnKinds, ...rawKinds }).filter(([name]) => isWanted(name))) {
      const { pdf, truth } = await make(createRandom(computeSeed(kind, seed, index)));
      await judge(kind, index, { bytes: pdf, truth });
    }
    for (const [kind, make] of Object.entries(printer ? printedKinds : {}).filter(([name]) => isWanted(name))) {
      const { html, truth, isTagged } = make(createRandom(computeSeed(kind, seed, index)));
      await judge(kind, index, { bytes: await printer!.print(html, isTagged), truth });
    }
    for (const [kind, { make, ...settings }] of Object.entries(printer ? scannedKinds : {}).filter(([name]) =>
      isWanted(name),
    )) {
      const random = createRandom(computeSeed(kind, seed, index));
      const { html, truth } = make(random);
      await judge(kind, index, { ...(await drawAsImage(await printer!.print(html), random, settings)), truth });
    }
  }
  await engines.close();
  await printer?.close();
  printReport(found, Number(readOption('--worst') ?? 0));
  const memory = Math.round(process.resourceUsage().maxRSS / 1024);
  process.stdout.write(
    `${(spentSeconds / found.length).toFixed(2)} s of processor time for a page, ${memory} MB of memory at most\n`,
  );
  const json = readOption('--json');
  if (json !== undefined) writeFileSync(json, JSON.stringify(found, undefined, 1));
  return 0;
}

type CreateEngine = (options: { languages: readonly string[]; modelsFolder: string | undefined }) => Ocr;

/** `auto` is what conversions do with the models of `ppocr`, for English. */
const engineCreators: Record<string, CreateEngine> = {
  tesseract: createOcr,
  ppocr: createPpOcr,
  auto: (options) => createOcrByPage({ usual: createOcr(options), poor: createPpOcr(options) }),
};

/** Throws for a name without an engine: its figures would be those of another one. */
function findEngine(name: string): CreateEngine {
  const create = Object.hasOwn(engineCreators, name) ? engineCreators[name] : undefined;
  if (create) return create;
  throw new Error(`--engine is '${name}'; the engines are ${Object.keys(engineCreators).join(', ')}.`);
}

/** One engine for each language that pages are in. */
function createEngines(createEngine: CreateEngine): {
  get: (languages?: string[]) => Ocr;
  close: () => Promise<void>;
} {
  const engines = new Map<string, Ocr>();
  return {
    get(languages = ['en']) {
      const key = languages.join();
      const engine = engines.get(key) ?? createEngine({ languages, modelsFolder: readModelsFolder(process.env) });
      engines.set(key, engine);
      return engine;
    },
    async close() {
      for (const engine of engines.values()) await engine.close();
    },
  };
}

/** Each page has its own seed, so that a new kind does not change the others. */
function computeSeed(kind: string, seed: number, index: number): number {
  let hash = seed * 1_000_003 + index;
  for (const letter of kind) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0;
  return hash;
}

function printReport(found: readonly Scored[], worst: number): void {
  const printLine = (name: string, of: readonly Scored[]) => {
    const means = scoreNames.map((score) => {
      const values = of.flatMap(({ scores }) => scores[score] ?? []);
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      return (values.length > 0 ? mean.toFixed(3) : '-').padStart(10);
    });
    process.stdout.write(`${name.padEnd(22)}${String(of.length).padStart(6)}${means.join('')}\n`);
  };
  process.stdout.write(
    `${'kind'.padEnd(22)}${'pages'.padStart(6)}${scoreNames.map((name) => name.padStart(10)).join('')}\n`,
  );
  for (const kind of new Set(found.map((item) => item.kind)))
    printLine(
      kind,
      found.filter((item) => item.kind === kind),
    );
  printLine('ALL', found);
  for (const score of worst > 0 ? scoreNames : []) {
    const low = found
      .flatMap(({ name, scores }) => (scores[score] === undefined ? [] : [{ name, value: scores[score] }]))
      .filter(({ value }) => value < 0.99)
      .toSorted((a, b) => a.value - b.value)
      .slice(0, worst);
    process.stdout.write(`${score}: ${low.map(({ name, value }) => `${name} ${value.toFixed(2)}`).join(', ')}\n`);
  }
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
