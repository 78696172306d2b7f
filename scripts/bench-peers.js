// Converts the same files with other converters and with Docloom, and prints documents a second by format:
//   npm run bench:peers -- [FOLDER] [--rounds N] [--only PEER,…] [--json FILE]
// FOLDER defaults to the samples. The others come from PyPI into an environment in the cache folder (Python 3.10 or later).
// Each converts every file to Markdown in one warm process, one after the other; the median of the rounds by processor time
// counts. Ratios are over the files that both convert. Exit code 3: no peer can be installed here, with the reason.
'use strict';
const { spawnSync } = require('node:child_process');
const { cpus, homedir, loadavg, tmpdir } = require('node:os');
const { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { emptyModules } = require('./empty-modules.js');

const usage = `Usage: npm run bench:peers -- [FOLDER] [--rounds N] [--only PEER,…] [--json FILE]
Converts the files of FOLDER (the samples) with other converters and with Docloom, and prints documents a second by format.
`;
const root = path.join(__dirname, '..');
const cache = path.join(process.env.DOCLOOM_CACHE ?? path.join(homedir(), '.cache/docloom'), 'bench-peers');
const extensions = ['docx', 'pptx', 'xlsx', 'html', 'md', 'csv', 'pdf'];

/** How each is installed and called; `convert` is Python that defines `convert(path)` and gives Markdown. */
const peers = {
  docling: {
    packages: ['docling-slim[format-docx,format-pptx,format-xlsx,format-html,format-markdown]==2.143.0'],
    // Its pipeline for PDF needs trained models that no package carries.
    without: ['pdf'],
    // The packages of those models (gigabytes) are replaced by empty modules: these formats do not use them.
    convert: `
${emptyModules(
  [
    'torch',
    'torchvision',
    'transformers',
    'docling_ibm_models',
    'docling_parse',
    'pypdfium2',
    'huggingface_hub',
    'accelerate',
    'rapidocr',
    'scipy',
    'polyfactory',
  ],
  'cls',
)}from docling.document_converter import DocumentConverter
converter = DocumentConverter()
def convert(path): return converter.convert(path).document.export_to_markdown()`,
  },
  markitdown: {
    packages: ['markitdown[docx,pptx,xlsx,pdf]==0.1.8'],
    without: [],
    convert: `
from markitdown import MarkItDown
converter = MarkItDown()
def convert(path): return converter.convert(path).text_content`,
  },
  kreuzberg: {
    packages: ['kreuzberg==4.10.4'],
    without: [],
    convert: `
import kreuzberg
config = kreuzberg.ExtractionConfig(use_cache=False, output_format='markdown')
def convert(path): return kreuzberg.extract_file_sync(path, config=config).content`,
  },
};

const timer = (convert) => `
import json, logging, sys, time, warnings
logging.disable(logging.CRITICAL)
warnings.simplefilter('ignore')
${convert}
rounds = int(sys.argv[1])
for path in sys.stdin.read().splitlines():
    try:
        for _ in range(2): text = convert(path)
        times = []
        for _ in range(rounds):
            before = time.process_time()
            convert(path)
            times.append((time.process_time() - before) * 1000)
        print(json.dumps({'path': path, 'ms': sorted(times)[len(times) // 2], 'words': len(text.split())}), flush=True)
    except BaseException as error:
        print(json.dumps({'path': path, 'error': type(error).__name__}), flush=True)
`;

const own = `
const { readFileSync } = require('node:fs');
const path = require('node:path');
const { convertBytes } = require(${JSON.stringify(path.join(root, 'dist/formats/convert.js'))});
const { toMarkdown } = require(${JSON.stringify(path.join(root, 'dist/document/write/markdown.js'))});
const convert = async (file) =>
  toMarkdown((await convertBytes({ bytes: new Uint8Array(readFileSync(file)), name: path.basename(file) })).document);
void (async () => {
  const rounds = Number(process.argv[1]);
  for (const file of readFileSync(0, 'utf8').split('\\n').filter(Boolean)) {
    try {
      let text = '';
      const until = performance.now() + 500;
      for (let round = 0; round < 20 || performance.now() < until; round += 1) text = await convert(file);
      const times = [];
      for (let round = 0; round < rounds; round += 1) {
        const before = process.cpuUsage();
        await convert(file);
        const { user, system } = process.cpuUsage(before);
        times.push((user + system) / 1000);
      }
      const ms = times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
      console.log(JSON.stringify({ path: file, ms, words: text.split(/\\s+/).filter(Boolean).length }));
    } catch (error) {
      console.log(JSON.stringify({ path: file, error: String(error.code ?? error.name) }));
    }
  }
})();
`;

function call(program, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    ...options,
  });
  return { ok: status === 0, stdout: stdout ?? '', reason: error?.message ?? (stderr ?? '').trim().split('\n').at(-1) };
}

/** The Python of the peer's environment, made on first use; a string is the reason why there is none. */
function getEnvironment(name) {
  const folder = path.join(cache, name);
  const python = path.join(folder, 'bin/python');
  const mark = path.join(folder, `ready-${peers[name].packages.join('+').replaceAll(/[^\w.+=-]/g, '_')}`);
  if (existsSync(mark)) return { python };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  const made = call('python3', ['-m', 'venv', folder]);
  if (!made.ok) return { reason: made.reason };
  const installed = call(python, [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    ...peers[name].packages,
  ]);
  if (!installed.ok) return { reason: installed.reason };
  writeFileSync(mark, '');
  return { python };
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, String(name)))
    .filter(
      (file) =>
        extensions.includes(getFormat(file)) && statSync(file).isFile() && !/groundtruth[\\/][^\\/]*$/.test(file),
    )
    .toSorted();
}

const getFormat = (file) => path.extname(file).slice(1).toLowerCase();
const parse = (stdout) =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** Documents a second of both over the files that both converted. */
function compare(format, ours, theirs) {
  const mine = new Map(ours.filter(({ ms }) => ms !== undefined).map((one) => [one.path, one]));
  const both = theirs.filter((one) => one.ms !== undefined && getFormat(one.path) === format && mine.has(one.path));
  if (both.length === 0) return undefined;
  const sum = (list, of) => list.reduce((total, one) => total + of(one), 0);
  const own = both.map((one) => mine.get(one.path));
  const rate = (list) => (1000 * list.length) / sum(list, ({ ms }) => ms);
  return {
    files: both.length,
    ours: rate(own),
    theirs: rate(both),
    words:
      sum(both, ({ words }) => words) /
      Math.max(
        1,
        sum(own, ({ words }) => words),
      ),
  };
}

function main(argv) {
  const option = (name) => (argv.includes(name) ? argv[argv.indexOf(name) + 1] : undefined);
  const folder = argv[0] !== undefined && !argv[0].startsWith('--') ? argv[0] : path.join(root, 'samples', 'documents');
  if (!existsSync(folder)) {
    console.error(`There is no folder '${folder}'.`);
    return 2;
  }
  const rounds = option('--rounds') ?? '5';
  const chosen = option('--only')?.split(',') ?? Object.keys(peers);
  const unknown = chosen.filter((name) => !(name in peers));
  if (unknown.length > 0) {
    console.error(`'${unknown[0]}' is not a peer. There are: ${Object.keys(peers).join(', ')}.`);
    return 2;
  }
  const files = filesBelow(path.resolve(folder));
  console.log(
    `${cpus().length} × ${cpus()[0]?.model.trim()}, load ${loadavg()[0].toFixed(1)}, Node ${process.versions.node}, ${files.length} files`,
  );
  const ours = parse(call(process.execPath, ['-e', own, rounds], { input: files.join('\n') }).stdout);
  const rows = [];
  const failures = [];
  for (const name of chosen) {
    const { python, reason } = getEnvironment(name);
    if (!python) {
      failures.push(`${name} cannot be installed: ${reason}`);
      continue;
    }
    const given = files.filter((file) => !peers[name].without.includes(getFormat(file)));
    const script = path.join(tmpdir(), `docloom-peer-${process.pid}.py`);
    writeFileSync(script, timer(peers[name].convert));
    const { ok, stdout, reason: failure } = call(python, [script, rounds], { input: given.join('\n') });
    rmSync(script);
    if (!ok) failures.push(`${name} ended: ${failure}`);
    const theirs = parse(stdout);
    for (const format of extensions) {
      const row = compare(format, ours, theirs);
      if (row) rows.push({ peer: peers[name].packages[0].replace(/\[.*\]/, '').replace('==', ' '), format, ...row });
    }
  }
  console.log('peer                 format files   Docloom/s      peer/s  factor  words of the peer relative to ours');
  for (const { peer, format, files: count, ours: mine, theirs, words } of rows)
    console.log(
      `${peer.padEnd(20)} ${format.padEnd(6)} ${String(count).padStart(5)} ${mine.toFixed(1).padStart(11)} ${theirs.toFixed(1).padStart(11)} ${(mine / theirs).toFixed(2).padStart(7)}  ${words.toFixed(2)}`,
    );
  for (const failure of failures) console.error(failure);
  const json = option('--json');
  if (json !== undefined) writeFileSync(json, JSON.stringify(rows, undefined, 2));
  return rows.length > 0 ? 0 : 3;
}

const [, , ...given] = process.argv;
if (given.includes('--help') || given.includes('-h')) process.stdout.write(usage);
else process.exitCode = main(given);
