import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';
import { draw, prose } from '../../formats/pdf/pdf-test-support';
import { readConfig } from '../../model/config';
import { computeTaskKey } from '../../services/conversion/task-ids';
import { createObjectStore } from '../../services/storage/object-store';
import { createTables } from '../../services/table/tables';
import { createModelServer, type ModelServer } from '../support/servers/model-server';
import { historiesOfWorkflow } from '../support/system/evidence';
import { createSystem, type System, until } from '../support/system/system';

const root = path.join(__dirname, '..', '..');
const { build } = require(path.join(root, 'scripts', 'build.js')) as { build: () => number };
const key = 'key-that-nobody-may-see';

let server: ModelServer;
let system: System;
let api: string;
let pdf: Uint8Array;
beforeAll(async () => {
  build();
  server = await createModelServer();
  const red = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#f00' } })
    .png()
    .toBuffer();
  pdf = await draw((page) => {
    page.text(prose).image(red, 100, 300, { width: 300, height: 300 });
    page.addPage().text('second');
  });
  system = createSystem({
    CONVERT_SERVE_ENABLE_REMOTE_SERVICES: 'true',
    DOCLOOM_ALLOWED_HOSTS: '127.0.0.1',
    DOCLOOM_SECRET_VISION_KEY: key,
    DOCLOOM_SECRET_VISION_KEY_HOSTS: '127.0.0.1',
  });
  await system.startWorker();
  api = await system.startApi();
});
beforeEach(() => server.reset());
afterAll(async () => {
  await server.stop();
  await system.stop();
});

interface Result {
  document: { md_content: string };
  status: string;
  errors: { module_name: string; page_no: number | null; error_message: string }[];
}

async function post(address: string, options: object) {
  const sources = [{ kind: 'file', base64_string: Buffer.from(pdf).toString('base64'), filename: 'a.pdf' }];
  const response = await fetch(`${api}${address}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sources, options }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const modelApi = () => ({
  url: `${server.url}/v1/chat/completions`,
  headers: { Authorization: `Bearer ${key}` },
  params: { model: 'seer' },
});

test('vlm_pipeline_model_api: pages are read by the model; a page that fails gives partial_success', async () => {
  server.answer = (ask) => (ask.images[0] ? `# Page ${server.asked.indexOf(ask) + 1}` : 'no image');
  server.fault = (_ask, nth) => (nth === 2 ? { status: 400, body: `what is ${key}?` } : undefined);
  const { status, headers, body } = await post('/v1/convert/source', {
    pipeline: 'vlm',
    vlm_pipeline_model_api: { ...modelApi(), response_format: 'markdown', scale: 1 },
  });
  const { document, status: outcome, errors } = body as Result;
  expect([status, outcome]).toEqual([200, 'partial_success']);
  expect(document.md_content).toBe('# Page 1');
  expect(errors).toMatchObject([{ module_name: 'vlm', page_no: 2 }]);
  expect(headers.get('Deprecation')).toBe('true');
  expect(server.asked[0]?.authorization).toBe(`Bearer ${key}`);
  expect(server.asked[0]?.messages[0]?.content).toContain('as Markdown');
  expect(JSON.stringify(body)).not.toContain(key);

  const taskKey = computeTaskKey(headers.get('X-Task-Id') ?? '');
  const payloads = await historiesOfWorkflow(system, `convert/a.pdf/${taskKey}`);
  expect(payloads).toContain(taskKey);
  expect(payloads).not.toContain(key);
  for (const log of ['worker.log', 'api.log'])
    expect(readFileSync(path.join(system.folder, log), 'utf8')).not.toContain(key);
});

test('picture_description_api: pictures are described, and a failed one is an error of the result', async () => {
  server.answer = () => 'A red square.';
  const options = { do_picture_description: true, picture_description_api: { ...modelApi(), prompt: 'Say.' } };
  const { body } = await post('/v1/convert/source', options);
  expect((body as Result).status).toBe('success');
  expect((body as Result).document.md_content).toContain('A red square.');
  expect(server.asked[0]?.messages[0]?.content).toBe('Say.');
  server.fault = () => ({ status: 429, headers: { 'retry-after': '600' }, body: 'quota' });
  const { status, errors } = (await post('/v1/convert/source', options)).body as Result;
  expect(status).toBe('partial_success');
  expect(errors).toMatchObject([{ module_name: 'picture_description', page_no: 1 }]);
});

test('a model inside the network that the operator did not list is not called', async () => {
  const { body } = await post('/v1/convert/source', {
    do_picture_description: true,
    picture_description_api: { ...modelApi(), url: 'http://169.254.169.254/v1/chat/completions' },
  });
  const { status, errors } = body as Result;
  expect(status).toBe('partial_success');
  expect(errors[0]?.error_message).toContain('DOCLOOM_ALLOWED_HOSTS');
});

test('a task that waits for a model ends when it is cancelled, and its request with it', async () => {
  server.fault = () => 'hang';
  const { body } = await post('/v1/convert/source/async', {
    pipeline: 'vlm',
    vlm_pipeline_model_api: { ...modelApi(), response_format: 'doctags', timeout: 600 },
  });
  const { task_id } = body as { task_id: string };
  await until('the model is asked', () => server.asked.length > 0);
  const cancelled = await fetch(`${api}/v1/tasks/${task_id}`, { method: 'DELETE' });
  expect(await cancelled.json()).toMatchObject({ task_status: 'failure' });
  await until('the request ends', () => server.open === 0, 20_000);
});

test('a flow has pages read by the model of vlm_pipeline, whose key is a reference', async () => {
  server.answer = () => '# Seen by the model';
  mkdirSync(path.join(system.folder, 'scans'));
  writeFileSync(path.join(system.folder, 'scans', 'a.pdf'), pdf);
  const engine_options = {
    url: `${server.url}/v1/chat/completions`,
    api_key: '${DOCLOOM_SECRET_VISION_KEY}',
    params: { model: 'seer' },
  };
  const provider_config = { vlm_pipeline: { engine_options, response_format: 'markdown' } };
  const flow = {
    flow_name: `scans-${system.env['DOCLOOM_TASK_QUEUE']}`,
    flow: [
      {
        type: 'ingest_source',
        name: 'ingest',
        config: { provider: 'filesystem', connection_params: { paths: ['scans'] } },
      },
      {
        type: 'extract_operator',
        name: 'extract',
        depends_on: ['ingest'],
        config: { text_extraction: { provider: 'local', provider_config } },
      },
    ],
  };
  const file = path.join(system.folder, 'scans.json');
  writeFileSync(file, JSON.stringify(flow));
  const { code, report } = await system.run(file, '--user', 'alice');
  expect([code, report.status, report.warnings, report.message]).toEqual([0, 'COMPLETED', [], '']);
  const tables = createTables({ store: createObjectStore(readConfig(system.env)) });
  const [part = ''] = await tables.listParts(report.job_run_id, 'extract');
  const rows = await tables.read({ runId: report.job_run_id, operator: 'extract', part });
  expect(rows.map(({ content }) => content)).toEqual(['Seen by the model\n\nSeen by the model']);
  expect(server.asked.map(({ authorization }) => authorization)).toEqual([`Bearer ${key}`, `Bearer ${key}`]);
  expect(JSON.stringify(report)).not.toContain(key);
});
