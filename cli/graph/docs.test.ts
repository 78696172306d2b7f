import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createModelServer, type ModelServer } from '../../test/support/servers/model-server';
import { main } from '../main';

// Loading the readers of all formats is slow on a busy machine.
jest.setTimeout(60_000);

const folder = mkdtempSync(path.join(tmpdir(), 'docloom-guide-'));
const guide = readFileSync(path.join(__dirname, '..', '..', 'docs', 'graph.md'), 'utf8');
const blocks = Array.from(guide.matchAll(/```sh\n([\s\S]*?)```/g), ([, block = '']) => block.trim().split('\n'));
const cypher = (name: string) => readFileSync(path.join(folder, name, 'graph.cypher'), 'utf8');

let server: ModelServer;
beforeAll(async () => {
  server = await createModelServer();
  writeFileSync(path.join(folder, 'invoice.md'), /```markdown\n([\s\S]*?)```/.exec(guide)?.[1] ?? '');
});
afterAll(async () => {
  delete process.env['DOCLOOM_ALLOWED_HOSTS'];
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Runs commands of the guide unchanged, except for the folder of their files and the port of the model; returns their output.
 */
async function runAll(commands: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const spy = jest.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  try {
    for (const command of commands) {
      const [, name, value] = /^export (\w+)=(\S+)$/.exec(command) ?? [];
      if (name) {
        process.env[name] = value?.replace('127.0.0.1:11434', new URL(server.url).host);
        continue;
      }
      const words = command.replace('bin/docloom ', '').replace('http://127.0.0.1:11434', server.url).split(' ');
      const given = words.map((word) => (/^(invoice\.|out|read)/.test(word) ? path.join(folder, word) : word));
      await main(['node', 'docloom', ...given]);
      expect([command, process.exitCode ?? 0]).toEqual([command, 0]);
    }
  } finally {
    spy.mockRestore();
  }
  return printed.join('');
}

test('the first commands of docs/graph.md run as written and print the documented output', async () => {
  expect(blocks[0]).toHaveLength(4);
  const printed = await runAll(blocks[0] ?? []);
  const says = /prints\s`(\d+ nodes, \d+ edges) in out`/.exec(guide)?.[1];
  expect(printed).toContain(`${says} in ${path.join(folder, 'out')}`);
  expect(cypher('out')).toMatch(/CREATE \(:Seller \{.*city: "London"/);
  expect(cypher('out')).toMatch(/CREATE \(:Article \{.*price: 1000\.0, quantity: 3/);
});

test('its commands with a model run as written and return the graph that the model describes', async () => {
  const articles = [{ article: 'Widget', price: '1,000.00', quantity: 3 }];
  server.answer = ({ model }) => ({ invoice_number: 'INV-2024/001', seller: { name: `${model} Ltd` }, articles });
  const commands = blocks.find((block) => block.some((command) => command.includes('--backend llm'))) ?? [];
  expect(commands).toHaveLength(3);
  expect(await runAll(commands)).toContain(`3 nodes, 2 edges in ${path.join(folder, 'read')}`);
  expect(cypher('read')).toMatch(/CREATE \(:Seller \{.*name: "llama3\.2 Ltd"/);
  expect(server.asked.map(({ path: asked }) => asked)).toContain('/v1/chat/completions');
});

test.each([
  [401, 'HOSTEDMODEL_AUTH_FAILED', 'no such key'],
  [400, 'MODEL_REQUEST_REFUSED', 'out of order'],
])('extract reports the answer of the model host: %s', async (status, code, message) => {
  server.reset();
  server.fault = () => ({ status, body: { error: { message } } });
  const error = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const files = ['invoice.md', '--template', 'invoice.yaml', '--output', 'read'];
  await extractFailing([...files, '--backend', 'llm', '--model-id', 'm', '--api-base', `${server.url}/v1`], 1);
  const lines = error.mock.calls.map(([text]) => String(text)).join('');
  error.mockRestore();
  expect(lines).toMatch(new RegExp(`answered ${status}: .*${message}.*\\(${code}\\)\n {2}chunk: 0`));
});

test('extract reports a forbidden address and how to allow it', async () => {
  process.env['DOCLOOM_ALLOWED_HOSTS'] = '';
  const error = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const files = ['invoice.md', '--template', 'invoice.yaml', '--output', 'read'];
  await extractFailing([...files, '--backend', 'llm', '--model', 'm', '--api-base', `${server.url}/v1`], 2);
  expect(error.mock.calls.map(([text]) => String(text)).join('')).toMatch(/DOCLOOM_ALLOWED_HOSTS/);
  error.mockRestore();
});

async function extractFailing(words: readonly string[], exitCode: number): Promise<void> {
  const given = words.map((word) => (/^(invoice\.|read)/.test(word) ? path.join(folder, word) : word));
  await main(['node', 'docloom', 'graph', 'extract', ...given]);
  expect(process.exitCode).toBe(exitCode);
  process.exitCode = 0;
}
