// Runs what others have written for docling-serve, and the programs of docs/frameworks.md, unchanged against a service of its own:
//   npm run compat -- [FOLDER] [NAME …]
// The packages come from PyPI into environments in the cache folder (Python 3.10 or later). Those in FOLDER, as wheels, archives or
// unpacked sources, are used instead, whatever their version, and what they depend on too; FOLDER begins with `.` or `/`. Exit code 1: a check failed.
'use strict';
const { spawn, spawnSync } = require('node:child_process');
const {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs');
const { createServer } = require('node:net');
const { homedir, tmpdir } = require('node:os');
const path = require('node:path');

const root = path.join(__dirname, '..');
const docloom = path.join(root, 'bin', 'docloom');
const cache = path.join(process.env.DOCLOOM_CACHE ?? path.join(homedir(), '.cache/docloom'), 'compat');

/** What to install for each section of docs/frameworks.md, and for each script of a client in test/e2e/clients. */
const environments = {
  LangChain: { packages: ['langchain-docling==3.0.0', 'docling-slim==2.143.0'] },
  Haystack: { packages: ['docling-serve-haystack==2.0.0'] },
  LlamaIndex: { packages: ['llama-index-core==0.14.25', 'docling-slim==2.143.0', 'httpx', 'websockets'] },
  'docling-serve-client': { packages: ['docling-serve-client==1.14.0'], script: 'serve_client.py' },
};

/** The Python programs of a section with what they print. */
function getPrograms(section) {
  const page = readFileSync(path.join(root, 'docs', 'frameworks.md'), 'utf8');
  const text = page.split(/^## /m).find((one) => one.startsWith(`${section}\n`)) ?? '';
  const found = [...text.matchAll(/```python\n([^]*?)```\n\n```text\n([^]*?)```/g)];
  return found.map(([, program, expected], index) => ({ name: `${section} ${index + 1}`, program, expected }));
}

/** The packages, each replaced by its file or folder in the given folder, if there is one. */
function findPackages(packages, folder) {
  if (folder === undefined) return packages;
  const files = readdirSync(folder);
  return packages.map((wanted) => {
    const found = files.find((file) => getPackageName(file) === normalizeName(wanted.split('==')[0]));
    return found === undefined ? wanted : path.join(folder, found);
  });
}

/** Throws if no check is for a package of the folder: the answer would not be about it. Names those that no check is for. */
function checkFolder(folder, names) {
  const wanted = names.flatMap((name) => environments[name].packages.map((one) => normalizeName(one.split('==')[0])));
  const files = readdirSync(folder).filter((file) => !file.startsWith('.'));
  const others = files.filter((file) => !wanted.includes(getPackageName(file)));
  if (others.length === files.length)
    throw new Error(`The folder ${folder} holds none of these packages: ${[...new Set(wanted)].join(', ')}.`);
  if (others.length > 0) process.stderr.write(`Installed only where a package needs them: ${others.join(', ')}\n`);
}

/** A file is NAME-VERSION.whl or NAME-VERSION.tar.gz. */
function getPackageName(file) {
  return normalizeName(file.replace(/-\d.*$/, ''));
}

/** In names, `_`, `.` and `-` are the same (PEP 503). */
function normalizeName(name) {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

function install(name, packages, folderOfPackages) {
  const isOfFolder = packages.some((item) => path.isAbsolute(item));
  const folder = path.join(cache, isOfFolder ? `${name}-of-folder` : name);
  const python = path.join(folder, 'bin', 'python');
  const wanted = JSON.stringify(packages);
  const note = path.join(folder, 'installed.json');
  // The content of a folder may have changed.
  if (isOfFolder || !existsSync(note) || readFileSync(note, 'utf8') !== wanted) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(cache, { recursive: true });
    runOrThrow('python3', ['-m', 'venv', folder]);
    const links = folderOfPackages === undefined ? [] : ['--find-links', folderOfPackages];
    runOrThrow(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...links, ...packages]);
    writeFileSync(note, wanted);
  }
  return python;
}

function runOrThrow(command, args) {
  const result = spawnSync(command, args, { encoding: 'utf8' });
  if (result.status === 0) return;
  throw new Error(`${command} ${args.join(' ')} ended with ${String(result.status)}: ${result.stderr.slice(-500)}`);
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** A service with the sample documents. */
async function startService() {
  const folder = mkdtempSync(path.join(tmpdir(), 'docloom-compat-'));
  const port = await freePort();
  const env = { ...process.env, DOCLOOM_DATA: path.join(folder, 'data') };
  const up = spawn(process.execPath, [docloom, 'up', '--ldap', '--port', String(port), '--json'], { env, cwd: root });
  up.stderr.on('data', (text) => process.stderr.write(text));
  await new Promise((resolve, reject) => {
    up.stdout.once('data', resolve);
    up.once('exit', (code) => reject(new Error(`docloom up ended with ${code}`)));
  });
  const flow = path.join(root, 'samples', 'flows', 'quickstart.json');
  spawnSync(process.execPath, [docloom, 'run', flow, '--json'], { env, cwd: root, stdio: 'ignore' });
  return {
    port,
    async stop() {
      up.removeAllListeners('exit');
      up.kill('SIGTERM');
      await new Promise((resolve) => up.once('exit', resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function runPython(python, args, extra = {}) {
  const pythonPath = path.join(root, 'client', 'python');
  const env = { ...process.env, PYTHONPATH: pythonPath, HF_HUB_OFFLINE: '1', ...extra };
  return spawnSync(python, args, { cwd: root, env, encoding: 'utf8', timeout: 300_000 });
}

/** One result per program of a page, or per line that a script prints. */
function check(name, { packages, script, folder }, port) {
  const python = install(name, packages, folder);
  const address = `http://127.0.0.1:${port}`;
  if (script !== undefined) {
    const file = path.join(root, 'test', 'e2e', 'clients', script);
    const { status, stdout, stderr } = runPython(python, [file, address]);
    const lines = stdout
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    return status === 0
      ? lines
      : [...lines, { check: `${script} ended with ${status}`, ok: false, why: stderr.slice(-600) }];
  }
  return getPrograms(name).map(({ name: title, program, expected }) => {
    const { stdout, stderr } = runPython(python, ['-c', program.replaceAll('http://127.0.0.1:8080', address)]);
    const ok = stdout === expected;
    return { check: title, ok, ...(ok ? {} : { why: `printed ${JSON.stringify(stdout)} ${stderr.slice(-600)}` }) };
  });
}

async function main([first, ...others]) {
  const isFolder = first !== undefined && /^[./]/.test(first);
  if (isFolder && !(existsSync(first) && statSync(first).isDirectory()))
    throw new Error(`The folder ${first} does not exist.`);
  const folder = isFolder ? path.resolve(first) : undefined;
  const names = isFolder || first === undefined ? others : [first, ...others];
  const unknown = names.filter((name) => !(name in environments));
  if (unknown.length > 0)
    throw new Error(`Unknown: ${unknown.join(', ')}; expected ${Object.keys(environments).join(', ')}.`);
  const chosen = Object.keys(environments).filter((name) => names.length === 0 || names.includes(name));
  if (folder !== undefined) checkFolder(folder, chosen);
  const service = await startService();
  let failed = 0;
  try {
    for (const name of chosen) {
      const environment = environments[name];
      const packages = findPackages(environment.packages, folder);
      const results = check(name, { ...environment, packages, folder }, service.port);
      const passed = results.filter(({ ok }) => ok).length;
      failed += results.length - passed;
      process.stdout.write(`${name} (${packages.join(', ')}): ${passed} of ${results.length}\n`);
      for (const { check: title, why } of results.filter(({ ok }) => !ok)) process.stdout.write(`  ${title}: ${why}\n`);
    }
  } finally {
    await service.stop();
  }
  process.exitCode = failed > 0 ? 1 : 0;
}

main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
