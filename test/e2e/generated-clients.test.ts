import { spawn } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readCacheFolder } from '../../embedded/paths';
import { createSystem, type System } from '../support/system/system';

/** Third-party generators in the cache folder; missing ones are installed from PyPI and npm. */
const folder = path.join(readCacheFolder(process.env), 'generated-clients-1');
const bin = path.join(folder, 'python', 'bin');
const packages = {
  python: ['openapi-python-client==0.29.1'],
  node: ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3', '@types/node@20.19.0'],
};
const modules = path.join(folder, 'node_modules');

let system: System;
let address: string;
let document: string;
beforeAll(async () => {
  await install();
  system = createSystem();
  [address] = await Promise.all([system.startApi(), system.startWorker()]);
  document = path.join(system.folder, 'openapi.json');
  writeFileSync(document, await (await fetch(`${address}/api/v1/openapi.json`)).text());
}, 600_000);
afterAll(() => system?.stop());

/** What the program of either client prints: a life of a flow from its creation to its removal. */
const life = {
  draft: ['FAILED', 'CHUNKER_INVALID_CHUNK_OVERLAP'],
  valid: 'SUCCEEDED',
  created: 'Flow',
  patched: ['otters'],
  listed: ['Flow'],
  graphical: ['ElyraFlow', 'pipeline'],
  state: 'COMPLETED',
  totals: [2, 2, 0],
  failed: [],
  found: ['otter.md'],
  unknown: [404, 'FLOW_NOT_FOUND'],
  deleted: [204, 404],
};

test('openapi-python-client generates a client without a warning, which manages a flow', async () => {
  const settings = path.join(system.folder, 'generator.yml');
  writeFileSync(settings, 'content_type_overrides:\n  image/png: application/octet-stream\n');
  const to = path.join(system.folder, 'python', 'docloom_client');
  mkdirSync(path.dirname(to));
  const generator = path.join(bin, 'openapi-python-client');
  const options = ['--path', document, '--output-path', to, '--meta', 'none', '--config', settings];
  await run(generator, ['generate', ...options, '--fail-on-warning']);
  expect(
    await program(path.join(bin, 'python'), path.join(__dirname, 'clients', 'generated_client.py'), 'py', {
      PYTHONPATH: path.dirname(to),
    }),
  ).toEqual(life);
});

test('the package of client/python is installed by pip and runs the life of a flow', async () => {
  const to = path.join(system.folder, 'installed');
  const source = path.join(system.folder, 'package');
  cpSync(path.join(__dirname, '..', '..', 'client', 'python'), source, { recursive: true });
  await run(path.join(bin, 'python'), ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', to, source]);
  const file = path.join(__dirname, 'clients', 'docloom_package.py');
  expect(await program(path.join(bin, 'python'), file, 'package', { PYTHONPATH: to })).toEqual(life);
});

test('openapi-typescript generates types that reject invalid configurations, and a client that manages a flow', async () => {
  const to = path.join(system.folder, 'typescript');
  mkdirSync(to);
  const cli = path.join(modules, 'openapi-typescript', 'bin', 'cli.js');
  await run(process.execPath, [cli, document, '--default-non-nullable=false', '-o', path.join(to, 'schema.d.ts')]);
  copyFileSync(path.join(__dirname, 'clients', 'generated-client.ts.txt'), path.join(to, 'life.ts'));
  writeFileSync(path.join(to, 'package.json'), '{"type":"module"}');
  const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--skipLibCheck', '--types', 'node'];
  const tsc = path.join(modules, 'typescript', 'bin', 'tsc');
  await run('ln', ['-s', modules, path.join(to, 'node_modules')]);
  await run(process.execPath, [tsc, ...options, path.join(to, 'life.ts')], to);
  expect(await program(process.execPath, path.join(to, 'life.js'), 'ts')).toEqual(life);
});

/** Runs a program against the api, with its own documents; returns its output. */
async function program(command: string, file: string, name: string, env = {}): Promise<unknown> {
  const documents = path.join(system.folder, `documents-${name}`);
  mkdirSync(documents);
  writeFileSync(path.join(documents, 'otter.md'), `# Otter\n\nAn otter of ${name} swims.`);
  writeFileSync(path.join(documents, 'heron.md'), `# Heron\n\nA heron of ${name} waits.`);
  const index = `${system.env['SEARCH_DEFAULT_INDEX']}-${name}`;
  const printed = await run(command, [file, address, documents, index], system.folder, env);
  return JSON.parse(printed.trim().split('\n').at(-1) ?? '');
}

async function run(command: string, args: string[], cwd = process.cwd(), env = {}): Promise<string> {
  const child = spawn(command, args, { cwd, env: { ...process.env, PATH: `${bin}:${process.env['PATH']}`, ...env } });
  let output = '';
  let errors = '';
  child.stdout.on('data', (part) => (output += String(part)));
  child.stderr.on('data', (part) => (errors += String(part)));
  child.on('error', (error) => (errors += error.message));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  if (code !== 0)
    throw new Error(`${command} ${args[0]} ended with ${code}:\n${output.slice(-4_000)}\n${errors.slice(-4_000)}`);
  return output;
}

async function install(): Promise<void> {
  const done = path.join(folder, 'installed.json');
  const wanted = JSON.stringify(packages);
  if (existsSync(done) && readFileSync(done, 'utf8') === wanted) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await run('python3', ['-m', 'venv', path.join(folder, 'python')]);
  await run(path.join(bin, 'python'), [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    ...packages.python,
  ]);
  await run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', folder, ...packages.node], folder);
  writeFileSync(done, wanted);
}
