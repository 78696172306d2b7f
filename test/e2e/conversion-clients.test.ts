import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Document, HeadingLevel, Packer, Paragraph } from 'docx';
import { readCacheFolder } from '../../embedded/paths';
import { type ConversionSystem, startConversionSystem } from '../support/system/conversion-system';

/** Third-party clients, unchanged, in the versions for which these checks were written. */
interface Environment {
  folder: string;
  packages: readonly string[];
  /** Why it could not be created. */
  reason?: string | undefined;
}
const getEnvironment = (name: string, packages: readonly string[]): Environment => ({
  folder: path.join(readCacheFolder(process.env), name),
  packages,
});
const older = getEnvironment('conversion-clients-1', [
  'docling-slim==2.121.0',
  'httpx',
  'websockets',
  'docling-serve-haystack==2.0.0',
]);
/** With a later service client that LangChain's loader accepts. */
const newer = getEnvironment('conversion-clients-langchain-1', ['langchain-docling==3.0.0', 'docling-slim==2.143.0']);
const markdown = '# Report\n\nIntro text.\n\n| a | b |\n| - | - |\n| 1 | 2 |\n';

let service: ConversionSystem;
let host: Server;
beforeAll(async () => {
  for (const environment of [older, newer]) environment.reason = await install(environment);
  if (older.reason !== undefined && newer.reason !== undefined) return;
  host = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html').end('<!DOCTYPE html><title>Page</title><h1>Page</h1><p>Words.</p>');
  }).listen(0, '127.0.0.1');
  await once(host, 'listening');
  service = await startConversionSystem({ DOCLOOM_ALLOWED_HOSTS: '127.0.0.1', CONVERT_SERVE_API_KEY: 'secret' });
  writeFileSync(path.join(service.system.folder, 'report.md'), markdown);
  writeFileSync(path.join(service.system.folder, 'report.docx'), await docx());
}, 600_000);
afterAll(async () => {
  if (!service) return;
  host.close();
  await service.stop();
});

test.each([older, newer])(
  'the clients of $folder are installed; where CI is not set, the reason why not is printed',
  (environment) => {
    const { reason = '', folder } = environment;
    if (reason !== '') process.stderr.write(`clients of the conversion service are not tested: ${reason}\n`);
    // Their registry may be out of reach of a developer; where CI is set, the clients must be tested.
    const mayBeMissing = reason !== '' && process.env['CI'] === undefined;
    const found = mayBeMissing ? 'nothing, which is allowed' : { reason, isInstalled: existsSync(toPython(folder)) };
    expect(['nothing, which is allowed', { reason: '', isInstalled: true }]).toContainEqual(found);
  },
);

test.each([
  ['2.121', older],
  ['2.143', newer],
])(
  'the Python service client %s: convert, watch over the socket without polling, archive, chunks, keys',
  async (_, environment) => {
    expect(await run(environment, 'service_client.py')).toMatchObject(
      whereInstalled(environment, [
        { check: 'health', status: 'ok' },
        { check: 'version', named: true },
        { check: 'convert', status: 'success', markdown: expect.stringContaining('# Report'), tables: 1 },
        { check: 'convert docx', status: 'success', texts: 2 },
        { check: 'convert address', status: 'success', label: 'title' },
        { check: 'convert_all', names: ['report.md', 'report.docx', 'report.md'] },
        { check: 'submit and watch', last: 'success', done: true },
        { check: 'zip', content_type: 'application/zip', starts: 'PK' },
        { check: 'chunk hybrid', chunks: expect.any(Number) },
        { check: 'chunk hierarchical', chunks: 2, text: 'Report\nIntro text.' },
        { check: 'submit_and_retrieve_each', failures: [] },
        { check: 'options', status: 'success' },
        { check: 'polling', status: 'success' },
        { check: 'wrong key', refused: true },
      ]),
    );
  },
);

test('the Haystack integration: files, addresses and streams, at once and by tasks, in each of its forms', async () => {
  const checks = await run(older, 'haystack_converter.py');
  expect(checks.map(({ check }) => check)).toEqual(
    whereInstalled(older, ['sync markdown', 'sync text', 'sync json', 'async markdown', 'async text', 'async json']),
  );
  for (const { contents } of checks) {
    expect(contents).toHaveLength(3);
    expect(contents?.map(String)).toEqual([
      expect.stringContaining('Intro text.'),
      expect.stringContaining('Words.'),
      expect.stringContaining('from memory'),
    ]);
  }
});

test('the LangChain integration: files and addresses by the service client, as Markdown and in chunks', async () => {
  const sources = ['report.md', 'report.docx', 'page.html'];
  expect(await run(newer, 'langchain_loader.py')).toEqual(
    whereInstalled(newer, [
      {
        check: 'markdown',
        contents: [expect.stringContaining('Intro text.'), expect.stringContaining('# Report'), '# Page\n\nWords.'],
        sources,
        metadata: ['source'],
      },
      {
        check: 'doc_chunks',
        contents: ['Report\nIntro text.', 'Report\n1, b = 2', 'Report\nSome words.', 'Page\nWords.'],
        sources: ['report.md', ...sources],
        metadata: ['dl_meta', 'source'],
      },
    ]),
  );
});

interface Check {
  check: string;
  contents?: unknown[];
}

function toPython(folder: string): string {
  return path.join(folder, 'bin', 'python');
}

/** Expectations for installable clients; the first test reports the others. */
function whereInstalled<T>({ reason }: Environment, expected: T[]): T[] {
  return reason === undefined ? expected : [];
}

/** Runs a script against the service; nothing where its environment could not be made. */
async function run({ reason, folder }: Environment, script: string): Promise<Check[]> {
  if (reason !== undefined) return [];
  const { port } = host.address() as AddressInfo;
  const args = [service.url, 'secret', service.system.folder, `http://127.0.0.1:${port}`];
  const { code, stdout, stderr } = await collect(toPython(folder), [path.join(__dirname, 'clients', script), ...args]);
  if (code !== 0)
    throw new Error(`${script} ended with ${code} after:\n${stdout}\n${stderr.slice(-2_000)}\n${service.log()}`);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Check);
}

/** Creates the environment once; later runs find it. Returns the reason if that is not possible. */
async function install({ folder, packages }: Environment): Promise<string | undefined> {
  const done = path.join(folder, 'installed.json');
  if (existsSync(done)) return undefined;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(path.dirname(folder), { recursive: true });
  for (const [command, args] of [
    ['python3', ['-m', 'venv', folder]],
    [toPython(folder), ['-m', 'pip', 'install', '--quiet', '--no-compile', '--disable-pip-version-check', ...packages]],
  ] as const) {
    const { code, stderr } = await collect(command, [...args]);
    if (code !== 0) return `${command} ${args[0]} ${args[1]} ended with ${code}: ${stderr.trim().slice(-500)}`;
  }
  writeFileSync(done, JSON.stringify(packages));
  return undefined;
}

async function collect(
  command: string,
  args: string[],
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (part) => (stdout += String(part)));
  child.stderr.on('data', (part) => (stderr += String(part)));
  child.on('error', (error) => (stderr += error.message));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, stdout, stderr };
}

function docx(): Promise<Buffer> {
  return Packer.toBuffer(
    new Document({
      sections: [
        { children: [new Paragraph({ text: 'Report', heading: HeadingLevel.TITLE }), new Paragraph('Some words.')] },
      ],
    }),
  );
}
