import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { draw, prose } from '../../../formats/pdf/pdf-test-support';
import { createModelServer, type ModelServer } from '../../support/servers/model-server';

const root = path.join(__dirname, '..', '..', '..');
const { build } = require(path.join(root, 'scripts', 'build.js')) as { build: () => number };
const folder = mkdtempSync(path.join(tmpdir(), 'convert-models-'));

let server: ModelServer;
beforeAll(async () => {
  build();
  server = await createModelServer();
  const red = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#f00' } })
    .png()
    .toBuffer();
  const pdf = await draw((page) => {
    page.text(prose);
    page.image(red, 100, 300, { width: 300, height: 300 });
    page.addPage().text('second');
  });
  writeFileSync(path.join(folder, 'a.pdf'), pdf);
});
beforeEach(() => server.reset());
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

function convert(args: string[], env: Record<string, string> = {}) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(
      process.execPath,
      [path.join(root, 'bin', 'docloom'), 'convert', ...args],
      { cwd: folder, env: { ...process.env, ...env } },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}
const output = (name: string) => readFileSync(path.join(folder, name), 'utf8');

test('--pipeline vlm calls the model of --model-url and --model-name', async () => {
  server.answer = (_ask, nth) => `# Page ${nth}`;
  const model = [
    '--model-url',
    `${server.url}/v1/chat/completions`,
    '--model-name',
    'seer',
    '--model-format',
    'markdown',
  ];
  const env = { DOCLOOM_VISION_API_KEY: 'key-of-mine', DOCLOOM_VISION_CONCURRENCY: '1' };
  const { code, stdout } = await convert(['a.pdf', '--pipeline', 'vlm', ...model, '--output', 'vlm'], env);
  expect([code, stdout]).toEqual([0, expect.stringContaining('1 of 1 converted')]);
  expect(output('vlm/a.md')).toBe('# Page 1\n\n# Page 2');
  expect(server.asked.map(({ model: name, authorization }) => [name, authorization])).toEqual([
    ['seer', 'Bearer key-of-mine'],
    ['seer', 'Bearer key-of-mine'],
  ]);
});

test('--enrich-picture-description and similar options call the configured model; failures are reported, exit code 3', async () => {
  server.answer = ({ messages }) => (messages[0]?.content.startsWith('Describe') ? 'A red square.' : 'I do not know.');
  const flags = ['--enrich-picture-description', '--enrich-picture-classes', '--enrich-code', '--enrich-formula'];
  const env = { DOCLOOM_VISION_URL: `${server.url}/v1/chat/completions`, DOCLOOM_VISION_MODEL: 'seer' };
  const args = ['a.pdf', '--to', 'md,json', ...flags, '--enrich-chart-extraction', '--output', 'rich', '--json'];
  const { code, stdout } = await convert(args, env);
  const { documents } = JSON.parse(stdout) as { documents: { status: string; messages: string[] }[] };
  expect([code, documents[0]?.status]).toEqual([3, 'partial_success']);
  expect(documents[0]?.messages).toEqual([
    '#/pictures/0: the answer names no class of pictures: I do not know.',
    '#/pictures/0: the answer contains no table: I do not know.',
  ]);
  expect(output('rich/a.md')).toContain('A red square.');
  expect(JSON.parse(output('rich/a.json'))).toMatchObject({
    pictures: [{ meta: { description: { text: 'A red square.', created_by: 'seer' } } }],
  });
});

test('without a model the call is invalid, with the option to set', async () => {
  const { code, stderr } = await convert(['a.pdf', '--pipeline', 'vlm', '--output', 'none'], {
    DOCLOOM_VISION_URL: '',
  });
  expect([code, stderr]).toEqual([2, expect.stringContaining('--model-url')]);
});
