import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { graphCommand } from '../cli/graph';
import { createModelServer, type ModelServer } from './model-server';

let folder: string;
let server: ModelServer;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'docloom-graph-model-'));
  server = await createModelServer();
  process.env['DOCLOOM_ALLOWED_HOSTS'] = '127.0.0.1';
});
afterAll(async () => {
  delete process.env['DOCLOOM_ALLOWED_HOSTS'];
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const template = {
  title: 'Invoice',
  type: 'object',
  properties: { number: { type: 'string' }, total: { type: 'string' } },
  graph_id_fields: ['number'],
};

test('docloom graph extract asks a language model and writes the graph of its answer', async () => {
  const source = path.join(folder, 'invoice.md');
  await writeFile(source, '# Invoice\n\nNumber INV-7, to pay: 90 EUR.\n');
  await writeFile(path.join(folder, 'template.json'), JSON.stringify(template));
  server.answer = () => ({ number: 'INV-7', total: '90 EUR' });
  const output = path.join(folder, 'out');
  const args = ['extract', source, '-t', path.join(folder, 'template.json'), '-o', output, '--backend', 'llm'];
  await graphCommand().parseAsync([...args, '--model', 'm', '--api-base', `${server.url}/v1`, '--json'], {
    from: 'user',
  });
  const graph = JSON.parse(await readFile(path.join(output, 'graph.json'), 'utf8')) as { nodes: { number?: string }[] };
  expect(graph.nodes).toMatchObject([{ number: 'INV-7' }]);
  expect(server.asked.filter(({ purpose }) => purpose === 'chat').length).toBeGreaterThan(0);
});
