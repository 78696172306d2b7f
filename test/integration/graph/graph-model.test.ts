import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createGraphCommand } from '../../../cli/graph/graph';
import { createModelServer, type ModelServer } from '../../support/servers/model-server';

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

const extract = (...input: string[]) =>
  createGraphCommand().parseAsync(['extract', ...input, '-t', path.join(folder, 'template.json'), '--json'], {
    from: 'user',
  });

test('a vision model gets every page; its answers become one graph, with the page for facts that no text contains', async () => {
  await writeFile(path.join(folder, 'template.json'), JSON.stringify(template));
  const pictures: Buffer[] = [];
  server.reset();
  server.answer = ({ images, messages }) => {
    pictures.push(...images.map(({ bytes }) => bytes));
    expect(messages.at(-1)?.content).toContain('The document is the page in the picture.');
    return messages.at(-1)?.content.includes('Your last answer') ? { number: 'SCAN-9', invented: 1 } : 'I see nothing.';
  };
  const output = path.join(folder, 'seen');
  const source = path.join(__dirname, '..', '..', '..', 'samples', 'documents', 'finance', 'annual-report-2024.pdf');
  await extract(source, '-o', output, '--backend', 'vlm', '--model', 'm', '--api-base', `${server.url}/v1`);
  expect(pictures.length).toBeGreaterThan(1);
  expect(pictures.every((bytes) => bytes.subarray(1, 4).toString() === 'PNG')).toBe(true);
  const graph = JSON.parse(await readFile(path.join(output, 'graph.json'), 'utf8')) as { nodes: object[] };
  expect(graph.nodes).toMatchObject([
    { number: 'SCAN-9', __provenance__: { match: 'observed', pages: expect.arrayContaining([1]) } },
  ]);
});

test('provider_override and model_override of an options file choose provider and model', async () => {
  server.reset();
  server.answer = () => ({ number: 'INV-7' });
  const options = path.join(folder, 'options.json');
  await writeFile(options, JSON.stringify({ backend: 'llm', provider_override: 'litellm', model_override: 'chosen' }));
  await writeFile(path.join(folder, 'invoice.md'), 'Number INV-7');
  const input = ['--backend', 'llm', '--options', options, '--api-base', `${server.url}/v1`];
  await extract(path.join(folder, 'invoice.md'), '-o', path.join(folder, 'chosen'), ...input);
  expect(server.asked[0]).toMatchObject({ model: 'chosen', protocol: 'openai' });
});

test('the contract dense uses the llm service: nodes first, then their fields; debug writes the intermediate states', async () => {
  server.reset();
  server.answer = ({ schema }) => {
    const { nodes, items } = (schema?.['properties'] ?? {}) as Record<string, unknown>;
    if (nodes) return { nodes: [{ i: 1, path: '', ids: { number: 'INV-7' } }] };
    return items ? { items: [{ total: '90 EUR' }] } : {};
  };
  await writeFile(path.join(folder, 'invoice.md'), 'Number INV-7, to pay: 90 EUR.');
  const output = path.join(folder, 'dense');
  const requests = ['--extraction-contract', 'dense', '--chunk-max-tokens', '16', '--no-gleaning', '--debug'];
  const input = ['--backend', 'llm', '--model', 'm', '--api-base', `${server.url}/v1`, ...requests];
  await extract(path.join(folder, 'invoice.md'), '-o', output, ...input);
  const read = async (name: string) => JSON.parse(await readFile(path.join(output, name), 'utf8')) as unknown;
  expect(await read('models.json')).toEqual([{ number: 'INV-7', total: '90 EUR' }]);
  expect(await read('debug/dense_run_stats.json')).toMatchObject({ skeleton_nodes: 1, retention_pct: 100 });
  expect(await read('debug/trace_data.json')).toMatchObject({ summary: { fallback_used: false, node_count: 1 } });
  expect(await readFile(path.join(output, 'report.md'), 'utf8')).toContain('**Extraction contract**: dense');
  expect(server.asked).toHaveLength(2);
});

test('vlm with remote inference is rejected before any question', async () => {
  server.reset();
  await writeFile(path.join(folder, 'invoice.md'), 'Number INV-7');
  const printed = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const errors = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  await extract(path.join(folder, 'invoice.md'), '-o', folder, '--backend', 'vlm', '--inference', 'remote');
  const reply = JSON.parse(String(printed.mock.calls[0]?.[0])) as object;
  for (const spy of [printed, errors]) spy.mockRestore();
  expect([process.exitCode, server.asked.length]).toEqual([2, 0]);
  process.exitCode = 0;
  expect(reply).toMatchObject({
    error: 'ConfigurationError',
    details: { problems: ['the backend vlm supports only the inference local'] },
  });
});

test('docloom graph extract calls a language model and writes the graph of its answer', async () => {
  const source = path.join(folder, 'invoice.md');
  await writeFile(source, '# Invoice\n\nNumber INV-7, to pay: 90 EUR.\n');
  await writeFile(path.join(folder, 'template.json'), JSON.stringify(template));
  server.answer = () => ({ number: 'INV-7', total: '90 EUR' });
  const output = path.join(folder, 'out');
  const args = ['extract', source, '-t', path.join(folder, 'template.json'), '-o', output, '--backend', 'llm'];
  await createGraphCommand().parseAsync([...args, '--model', 'm', '--api-base', `${server.url}/v1`, '--json'], {
    from: 'user',
  });
  const graph = JSON.parse(await readFile(path.join(output, 'graph.json'), 'utf8')) as { nodes: { number?: string }[] };
  expect(graph.nodes).toMatchObject([{ number: 'INV-7' }]);
  expect(server.asked.filter(({ purpose }) => purpose === 'chat').length).toBeGreaterThan(0);
});

test('a model improves the template from samples, and a failing model is reported with the reason', async () => {
  server.reset();
  server.answer = () => ({
    root: 'Invoice',
    classes: [{ name: 'Invoice', graph_id_fields: ['number'], fields: [{ name: 'number', description: 'Number' }] }],
  });
  const sample = path.join(folder, 'sample.md');
  const output = path.join(folder, 'improved.json');
  await writeFile(sample, 'Number: INV-7\n\nPage: 3\n');
  const input = ['template', sample, '--model-id', 'm', '--api-base', `${server.url}/v1`];
  const run = (...more: string[]) => createGraphCommand().parseAsync([...input, ...more], { from: 'user' });
  await run('-o', output);
  expect(JSON.parse(await readFile(output, 'utf8'))).toEqual({
    root: 'Invoice',
    classes: {
      Invoice: { graph_id_fields: ['number'], fields: { number: { type: 'str', description: 'Number' } } },
    },
  });
  expect(server.asked[0]?.messages.at(-1)?.content).toContain('INV-7');
  server.reset();
  server.answer = () => 'No.';
  const printed: string[] = [];
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (text: string | Uint8Array) => printed.push(String(text)) > 0;
  try {
    await run('--json');
  } finally {
    process.stdout.write = write;
  }
  expect(printed.join('')).toContain(
    'The language model gave no template: the answer is not an object with a list of classes',
  );
  expect(process.exitCode).toBe(1);
  process.exitCode = 0;
});
