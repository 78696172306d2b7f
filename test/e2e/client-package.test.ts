import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { readHowTo } from '../support/code/how-to';
import { loggedIn } from '../support/system/over-http';
import { createSystem, type System } from '../support/system/system';

// The package docloom-client as another project meets it: packed, installed by npm, checked by the compiler, and run against a server.
const root = path.join(__dirname, '..', '..');
const { packClient } = require(path.join(root, 'scripts', 'pack-client.js')) as {
  packClient: (folder: string) => { manifest: { dependencies: Record<string, string> } };
};
const folder = mkdtempSync(path.join(tmpdir(), 'docloom-client-'));
const project = path.join(folder, 'project');
let dependencies: string[];
let system: System;
let address: string;
beforeAll(async () => {
  const packed = path.join(folder, 'docloom-client');
  dependencies = Object.keys(packClient(packed).manifest.dependencies);
  const npm = (cwd: string, ...args: string[]) => execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: 'pipe' });
  npm(packed, 'pack', '--silent', '--pack-destination', folder);
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  mkdirSync(project);
  writeFileSync(path.join(project, 'package.json'), '{"name": "example", "private": true}');
  npm(project, 'install', '--prefer-offline', '--no-audit', '--no-fund', path.join(folder, archive));
  // Types of Node, which such a project installs itself.
  for (const name of ['@types/node', 'undici-types'])
    cpSync(path.join(root, 'node_modules', name), path.join(project, 'node_modules', name), { recursive: true });
  system = createSystem();
  [address] = await Promise.all([system.startApi(), system.startWorker()]);
});
afterAll(async () => {
  await system?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, { cwd: project, env: { ...process.env, ...env } });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: code as number | null, stdout, stderr };
}

const compile = (...args: string[]) =>
  start([path.join(root, 'node_modules', '.bin', 'tsc'), '--strict', '--target', 'es2022', ...args]);
const succeeded = { code: 0, stdout: '', stderr: '' };

test('the package needs two small packages and nothing of the server', () => {
  expect(dependencies.toSorted()).toEqual(['@sinclair/typebox', 'ws']);
});

test.each([
  ['program.mts', ['--module', 'nodenext', '--types', 'node']],
  ['program.cts', ['--module', 'nodenext', '--types', 'node']],
  ['program.ts', ['--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,dom', '--types', '']],
])('%s has the types of the client: tsc --strict %j', async (name, options) => {
  writeFileSync(
    path.join(project, name),
    `import { ApiError, createClient, createConversionClient, type JobRunReply } from 'docloom-client';
const baseUrl = 'http://127.0.0.1:8080';
export const readStatus = async (id: string): Promise<JobRunReply['status']> =>
  (await createClient({ baseUrl, fetch }).jobRuns.get(id)).status;
export const convert = (content: Blob) => createConversionClient({ baseUrl }).convert({ files: [{ name: 'a.md', content }] });
export const isBusy = (error: unknown): boolean => error instanceof ApiError && error.retryAfter !== undefined;
// @ts-expect-error an id is a text
void createClient({ baseUrl }).flows.get(1);
`,
  );
  expect(await compile('--noEmit', ...options, name)).toEqual(succeeded);
});

test('programs of ES modules and of CommonJS load the package', async () => {
  const print = `process.stdout.write(typeof createClient + typeof createConversionClient);`;
  writeFileSync(
    path.join(project, 'load.mjs'),
    `import { createClient, createConversionClient } from 'docloom-client';${print}`,
  );
  writeFileSync(
    path.join(project, 'load.cjs'),
    `const { createClient, createConversionClient } = require('docloom-client');${print}`,
  );
  for (const name of ['load.mjs', 'load.cjs'])
    expect(await start([name])).toEqual({ ...succeeded, stdout: 'functionfunction' });
});

test('the programs of docs/client-package.md compile and run', async () => {
  const samples = path.join(root, 'samples', 'documents');
  const documents = path.join(system.folder, 'public');
  cpSync(path.join(samples, 'public'), documents, { recursive: true });
  cpSync(path.join(samples, 'finance', 'supply-contract.docx'), path.join(project, 'report.docx'));
  const files = readHowTo(path.join(root, 'docs', 'client-package.md')).filter((step) => step.kind === 'file');
  expect(files.map(({ name }) => name)).toEqual(['pipeline.mts', 'upload.mts', 'convert.mts']);
  for (const file of files) writeFileSync(path.join(project, file.name), file.text);
  const options = ['--module', 'nodenext', '--types', 'node', ...files.map(({ name }) => name)];
  expect(await compile(...options)).toEqual(succeeded);

  const env = {
    DOCLOOM_SERVER: address,
    DOCLOOM_TOKEN: (await loggedIn(address, 'alice')).token,
    INDEX: `${system.env['SEARCH_DEFAULT_INDEX']}-client`,
    DOCUMENTS: documents,
  };
  expect(await start(['pipeline.mjs'], env)).toEqual({
    code: 0,
    stdout: expect.stringMatching(/COMPLETED\w*\n(\d+) of \1 documents\n\S.* \S+\n/),
    stderr: '',
  });
  expect(await start(['upload.mjs'], env)).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^(\d+) of \1 bytes\nreport\.docx \1\n$/m),
    stderr: '',
  });
  expect(await start(['convert.mjs'], env)).toEqual({
    code: 0,
    stdout: '# Framework Supply Contract\n',
    stderr: '',
  });
});

test('the programs of the guides have the types of the client', async () => {
  const guides = ['api', 'conversion'].map((name) => readFileSync(path.join(root, 'docs', `${name}.md`), 'utf8'));
  const programs = guides.flatMap((page) =>
    [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code).filter((code) => code.includes('import ')),
  );
  expect(programs).toHaveLength(2);
  const names = programs.map((code, at) => {
    writeFileSync(path.join(project, `guide${at}.mts`), code.replace('docloom/client', 'docloom-client'));
    return `guide${at}.mts`;
  });
  expect(await compile('--noEmit', '--module', 'nodenext', '--types', 'node', ...names)).toEqual(succeeded);
});
