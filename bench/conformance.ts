import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConvertOptions } from '../model/conversion/request/options';
import { asAppError } from '../model/errors';
import { parse } from '../model/validate';
import { createConverter } from '../services/conversion/converter';
import type { DocumentExporter } from '../services/conversion/export';
import { getThreadFile } from '../threads/entries';

const threads = 2;
const timeoutMs = 300_000;
/** The outputs that the scorer looks for. */
const extensions = { md: 'md', json: 'json', html: 'html', text: 'txt', doctags: 'doctags' };
const usage =
  'Usage: npm run conformance -- [FOLDER] [--only FORMAT,…] [--keep OUTPUTS] [options of the scorer], or CONFORMANCE_FOLDER=FOLDER.\n' +
  'FOLDER holds score.py and groundtruth/public.txt. It is not part of this project.\n';

interface Case {
  format: string;
  source: string;
  name: string;
}

/** Converts the cases of a conformance folder, writes all outputs into one folder, and lets the folder's scorer compare. */
async function main(input: string[]): Promise<number> {
  const rest = [...input];
  const folder = rest[0] !== undefined && !rest[0].startsWith('--') ? rest.shift() : process.env['CONFORMANCE_FOLDER'];
  const list = folder === undefined ? '' : path.join(folder, 'groundtruth', 'public.txt');
  const scorer = folder === undefined ? '' : path.join(folder, 'score.py');
  if (!existsSync(list) || !existsSync(scorer)) {
    process.stderr.write(`There are no conformance cases${folder ? ` in '${folder}'` : ''}.\n${usage}`);
    return 2;
  }
  const only = findOption(rest, '--only')?.split(',');
  const kept = findOption(rest, '--keep');
  const output = kept ?? mkdtempSync(path.join(tmpdir(), 'docloom-conformance-'));
  mkdirSync(output, { recursive: true });
  try {
    await convertCases(
      listCases(list).filter(({ format }) => !only || only.includes(format)),
      path.dirname(list),
      output,
    );
    const scored = spawnSync('python3', [scorer, output, list, ...(only ? ['--only', only.join(',')] : []), ...rest], {
      stdio: 'inherit',
    });
    return scored.status ?? 1;
  } finally {
    if (kept === undefined) rmSync(output, { recursive: true, force: true });
  }
}

/** Removes an option and its value from the arguments and returns the value. */
function findOption(args: string[], name: string): string | undefined {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args.splice(at, 2)[1];
}

function listCases(list: string): Case[] {
  return readFileSync(list, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t'))
    .map(([format = '', source = '', , name = '']) => ({ format, source, name }));
}

async function convertCases(cases: readonly Case[], root: string, output: string): Promise<void> {
  const converter = createConverter({
    threadFile: getThreadFile('conversion'),
    threads,
    memoryMb: 2_048,
  });
  let next = 0;
  const work = async () => {
    while (next < cases.length) await convertCase(cases[next++]!, root, output, converter);
  };
  await Promise.all(Array.from({ length: threads }, work));
  await converter.close();
}

/** Converts in the conversion threads, like `docloom convert`. A failed case is printed and scores nothing. */
async function convertCase(
  { format, source, name }: Case,
  root: string,
  output: string,
  exporter: DocumentExporter,
): Promise<void> {
  const file = path.join(root, source);
  const target = path.join(output, name);
  const outputFiles = Object.fromEntries(
    Object.entries(extensions).map(([to, extension]) => [to, `${target}.${extension}`]),
  );
  const failed = (reason: string) => process.stdout.write(`${format}  ${name}: ${reason.slice(0, 160)}\n`);
  try {
    const { status, errors } = await exporter.exportDocument({
      name: path.basename(file),
      folder: path.dirname(file),
      load: async () => new Uint8Array(readFileSync(file)),
      options: parse(
        ConvertOptions,
        { to_formats: Object.keys(extensions), image_export_mode: 'placeholder', profile: 'reference' },
        'The options',
      ),
      outputFiles,
      packaging: 'archive',
      timeoutMs,
      fairnessKey: '',
      signal: new AbortController().signal,
    });
    if (status !== 'success') failed(errors.map(({ error_message: message }) => message).join('; '));
  } catch (error) {
    const { code, message } = asAppError(error, 'CONVERSION_FAILED');
    failed(`${message} (${code})`);
  }
}

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
