import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ConvertOptions } from '../model/conversion/request/options';
import { asAppError, errorCatalogue } from '../model/errors';
import { parse } from '../model/validate';
import { createConverter } from '../services/conversion/converter';
import { getThreadFile } from '../threads/entries';
import { type Damaged, scrambleBytes, truncateBytes } from './damage';
import { listFiles } from './support/files';

const cutsPerFile = 10;
const changedFiles = 2_000;
/** A longer conversion counts as hanging. */
const timeoutMs = 60_000;
const threads = 2;

/**
 * `node dist/bench/robustness.js FOLDER [SEED]`: every file below the folder cut at ten places, and 2,000 copies with changed
 * bytes. Each must give a result or a coded error of the document within its time; exit code 1 when one does not.
 */
async function main(folder: string | undefined, seed: number): Promise<void> {
  if (!folder || !existsSync(folder)) {
    process.stderr.write(
      `There is no folder ${folder ? `'${folder}'` : 'given'}. Usage: npm run robustness -- FOLDER [SEED], or CONFORMANCE_FOLDER=FOLDER.\n`,
    );
    process.exitCode = 2;
    return;
  }
  const files = listFiles(folder);
  const cases = [...iterateCases(files, seed)];
  const converter = createConverter({
    threadFile: getThreadFile('conversion'),
    threads,
    memoryMb: 1_024,
  });
  const counts = new Map<string, number>();
  const problems: string[] = [];
  const slowest: { seconds: number; text: string }[] = [];
  const options = parse(ConvertOptions, { to_formats: ['md', 'json'], do_ocr: false }, 'The options');
  const started = performance.now();
  let next = 0;
  const work = async () => {
    while (next < cases.length) {
      const { make, name } = cases[next++]!;
      const damaged = make();
      const begun = performance.now();
      const outcome = await readOutcome(damaged, (input) =>
        converter.exportDocument({
          name: input.name,
          load: async () => input.bytes,
          options,
          packaging: 'archive',
          timeoutMs,
          fairnessKey: '',
          signal: new AbortController().signal,
        }),
      );
      counts.set(outcome.label, (counts.get(outcome.label) ?? 0) + 1);
      if (outcome.problem) problems.push(`${name}, ${damaged.how}: ${outcome.problem}`);
      slowest.push({ seconds: (performance.now() - begun) / 1_000, text: `${name}, ${damaged.how}` });
    }
  };
  await Promise.all(Array.from({ length: threads }, work));
  await converter.close();
  slowest.sort((a, b) => b.seconds - a.seconds);
  const lines = [
    `${cases.length} damaged files from ${files.length} (seed ${seed}), ${((performance.now() - started) / 1_000).toFixed(0)} s`,
    ...[...counts].toSorted((a, b) => b[1] - a[1]).map(([label, count]) => `${String(count).padStart(6)}  ${label}`),
    'slowest:',
    ...slowest.slice(0, 3).map(({ seconds, text }) => `  ${seconds.toFixed(2)} s  ${text}`),
    problems.length === 0 ? 'no crash, no hang, no error without a code' : `${problems.length} PROBLEMS`,
    ...problems.map((problem) => `  ${problem}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

/** Copies are damaged one after the other: two thousand at once would fill the memory. */
function* iterateCases(files: readonly string[], seed: number): Generator<{ name: string; make: () => Damaged }> {
  for (const file of files) {
    for (let cut = 0; cut < cutsPerFile; cut++) {
      yield { name: file, make: () => [...truncateBytes(path.basename(file), readBytes(file), cutsPerFile)][cut]! };
    }
  }
  for (let number = 0; number < changedFiles; number++) {
    const file = files[number % files.length]!;
    yield {
      name: file,
      make: () => scrambleBytes(path.basename(file), readBytes(file), 1, seed + number).next().value as Damaged,
    };
  }
}

const readBytes = (file: string) => new Uint8Array(readFileSync(file));

/** Codes of failures of the program, not of the document. */
const faults = new Set(['INTERNAL_ERROR', 'CONVERSION_TIMEOUT']);

async function readOutcome(
  damaged: Damaged,
  convert: (input: Damaged) => Promise<{ status: string; errors: { error_message: string }[] }>,
): Promise<{ label: string; problem?: string }> {
  try {
    const { status, errors } = await convert(damaged);
    const text = errors.map(({ error_message: message }) => message).join('; ');
    // A built-in error instead of a coded one reached the caller.
    const isCrash = /TypeError|ReferenceError|is not a function|Cannot read propert|undefined \(reading/.test(text);
    return isCrash ? { label: 'crash', problem: text } : { label: status };
  } catch (error) {
    const { code, message } = asAppError(error, 'INTERNAL_ERROR');
    const isFault = faults.has(code) || errorCatalogue[code].scope !== 'document';
    return isFault ? { label: code, problem: message } : { label: code };
  }
}

const [folder = process.env['CONFORMANCE_FOLDER'], seed = '7'] = process.argv.slice(2);
void main(folder, Number(seed));
