import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { filesBeside } from '../activities/files-beside';
import { toDoctags } from '../document/doctags';
import { toHtml } from '../document/html';
import { documentToJson } from '../document/json';
import { toMarkdown } from '../document/markdown';
import { toText } from '../document/text';
import { convertBytes } from '../formats/convert';
import { asAppError } from '../model/errors';

const usage =
  'Usage: npm run conformance -- [FOLDER] [--only FORMAT,…] [--keep OUTPUTS] [options of the scorer], or CONFORMANCE_FOLDER=FOLDER.\n' +
  'FOLDER holds score.py and groundtruth/public.txt. It is no part of this project.\n';

interface Case {
  format: string;
  source: string;
  name: string;
}

/** Converts the cases of a conformance folder, writes every output beside each other, and lets the folder's scorer compare. */
async function main(given: string[]): Promise<number> {
  const rest = [...given];
  const folder = rest[0] !== undefined && !rest[0].startsWith('--') ? rest.shift() : process.env['CONFORMANCE_FOLDER'];
  const list = folder === undefined ? '' : path.join(folder, 'groundtruth', 'public.txt');
  const scorer = folder === undefined ? '' : path.join(folder, 'score.py');
  if (!existsSync(list) || !existsSync(scorer)) {
    process.stderr.write(`There are no conformance cases${folder ? ` in '${folder}'` : ''}.\n${usage}`);
    return 2;
  }
  const only = optionOf(rest, '--only')?.split(',');
  const kept = optionOf(rest, '--keep');
  const output = kept ?? mkdtempSync(path.join(tmpdir(), 'docloom-conformance-'));
  mkdirSync(output, { recursive: true });
  try {
    for (const one of casesOf(list)) {
      if (!only || only.includes(one.format)) await convertCase(one, path.dirname(list), output);
    }
    const scored = spawnSync('python3', [scorer, output, list, ...(only ? ['--only', only.join(',')] : []), ...rest], {
      stdio: 'inherit',
    });
    return scored.status ?? 1;
  } finally {
    if (kept === undefined) rmSync(output, { recursive: true, force: true });
  }
}

/** The value behind an option, both taken out of the arguments. */
function optionOf(args: string[], name: string): string | undefined {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args.splice(at, 2)[1];
}

function casesOf(list: string): Case[] {
  return readFileSync(list, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t'))
    .map(([format = '', source = '', , name = '']) => ({ format, source, name }));
}

async function convertCase({ format, source, name }: Case, root: string, output: string): Promise<void> {
  const file = path.join(root, source);
  try {
    const bytes = new Uint8Array(readFileSync(file));
    const related = filesBeside(path.dirname(file));
    const { document } = await convertBytes({ bytes, name: path.basename(file), related });
    const texts = {
      md: toMarkdown(document),
      json: documentToJson(document),
      html: toHtml(document),
      txt: toText(document),
      doctags: toDoctags(document),
    };
    for (const [extension, text] of Object.entries(texts))
      writeFileSync(path.join(output, `${name}.${extension}`), text);
  } catch (error) {
    const { code, message } = asAppError(error, 'CONVERSION_FAILED');
    process.stdout.write(`${format}  ${name}: ${message.slice(0, 120)} (${code})\n`);
  }
}

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
