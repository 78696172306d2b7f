import { randomBytes } from 'node:crypto';
import { createModelServer, type ModelServer } from '../../support/servers/model-server';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../../support/servers/otlp-receiver';
import { findLeaks, getLogs } from '../../support/system/evidence';
import { documentsIn, loggedIn, reading } from '../../support/system/over-http';
import { createSystem, type System, until } from '../../support/system/system';

/** In texts, names, and settings that no collector may see. */
const canary = 'heron-twelve-million';
let collector: OtlpReceiver;
let model: ModelServer;
let system: System;
let address: string;
let alice: Awaited<ReturnType<typeof loggedIn>>;

beforeAll(async () => {
  [collector, model] = await Promise.all([startOtlpReceiver(), createModelServer()]);
  system = createSystem({
    DOCLOOM_ALLOWED_HOSTS: '127.0.0.1',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=k%201',
    OTEL_BSP_SCHEDULE_DELAY: '200',
  });
  [address] = await Promise.all([system.startApi(), system.startWorker()]);
  alice = await loggedIn(address, 'alice');
});
afterAll(async () => {
  await system.stop();
  await Promise.all([collector.stop(), model.stop()]);
});

const newTrace = () => ({ traceId: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') });

async function post(path: string, body: unknown, traceparent?: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${address}${path}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${alice.token}`,
      ...(traceparent === undefined ? {} : { traceparent }),
    },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Record<string, unknown>;
}

/** The spans of a trace as paths of names from the first one. */
function getPaths(spans: readonly ReceivedSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const getPath = (span: ReceivedSpan): string => {
    const parent = byId.get(span.parentSpanId);
    return parent ? `${getPath(parent)} > ${span.name}` : span.name;
  };
  return spans.map(getPath);
}

test('one trace leads from the request through workflow, batch and operator to the call of the model', async () => {
  const folder = documentsIn(
    system,
    'traced',
    { [`${canary}.md`]: `# Plan\n\n${canary}` },
    { allowed_users: ['alice'] },
  );
  const config = { type: 'ollama', provider_config: { model_id: 'm1', api_base: model.url, api_key: canary } };
  const { flow_id } = await alice.client.flows.create({
    flow_name: `${canary}-${system.env['DOCLOOM_TASK_QUEUE']}`,
    flow: [...reading(folder), { type: 'embeddings', name: canary, depends_on: ['extract'], config }],
  });
  const { traceId, spanId } = newTrace();
  const { job_run_id: runId } = await post('/api/v1/job_runs', { flow_id }, `00-${traceId}-${spanId}-01`);
  const ofTrace = () => collector.spans.filter((span) => span.traceId === traceId);
  await until('the workflow is in the trace', async () => ofTrace().some(({ name }) => name === 'runFlow'), 180_000);

  const paths = getPaths(ofTrace());
  const request = 'POST /api/v1/job_runs';
  expect(paths).toEqual(
    expect.arrayContaining([
      request,
      `${request} > runFlow`,
      `${request} > runFlow > ingest_source`,
      `${request} > runFlow > runBatch`,
      `${request} > runFlow > runBatch > extract_operator`,
      `${request} > runFlow > runBatch > embeddings > embeddings m1`,
      `${request} > runFlow > finish_run`,
    ]),
  );
  const first = ofTrace().find(({ name }) => name === request);
  expect(first).toMatchObject({ parentSpanId: spanId, service: 'docloom-api', hasFailed: false });
  expect(first?.attributes).toMatchObject({
    'http.route': '/api/v1/job_runs',
    'docloom.transaction_id': expect.any(String),
  });
  const workflow = ofTrace().find(({ name }) => name === 'runFlow');
  expect(workflow?.service).toBe('docloom-worker');
  expect(workflow && workflow.endNs > workflow.startNs).toBe(true);
  expect(ofTrace().find(({ name }) => name === 'extract_operator')?.attributes).toMatchObject({
    'docloom.run_id': runId,
    'docloom.part': 'p00000',
  });
  // The model's host can continue the trace.
  expect(model.asked.map(({ headers }) => headers['traceparent'])).toContainEqual(
    expect.stringMatching(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`)),
  );
  expect(collector.headers[0]).toMatchObject({ 'x-collector-key': 'k 1' });
});

test('a failed activity has its code in the trace, and lines of the log carry the id of the trace', async () => {
  const { traceId, spanId } = newTrace();
  const body = {
    sources: [{ kind: 'file', filename: `${canary}.pdf`, base64_string: Buffer.from(canary).toString('base64') }],
    options: { to_formats: ['md'] },
  };
  const { task_id } = await post('/v1/convert/source/async', body, `00-${traceId}-${spanId}-01`);
  const ofTrace = () => collector.spans.filter((span) => span.traceId === traceId);
  await until('the conversion is in the trace', async () => ofTrace().some(({ name }) => name === 'convert'), 60_000);
  const paths = getPaths(ofTrace());
  expect(paths).toContain('POST /v1/convert/source/async > convert');
  expect(paths).toContain('POST /v1/convert/source/async > convert > convert_document');
  // Anybody who knows the id of a task may read its result.
  expect(collector.raw.join('')).not.toContain(task_id);

  const missing = newTrace();
  await post(
    '/api/v1/job_runs',
    { flow_id: randomBytes(16).toString('hex') },
    `00-${missing.traceId}-${missing.spanId}-01`,
  );
  await until('the line is written', async () => getLogs(system).includes(missing.traceId));
});

test('unsampled traces are not sent, and no span has texts, names, secrets or tokens', async () => {
  const { traceId, spanId } = newTrace();
  await post('/api/v1/flows/validate', { flow_name: canary, flow: [] }, `00-${traceId}-${spanId}-00`);
  await post(`/api/v1/documents/search?query=${canary}`, { query: canary }, `00-${'e'.repeat(32)}-${spanId}-01`);
  await until('the later one arrived', async () => collector.spans.some((span) => span.traceId === 'e'.repeat(32)));
  expect(collector.spans.filter((span) => span.traceId === traceId)).toEqual([]);
  const sent = collector.raw.join('\n');
  expect([...findLeaks(sent, canary), ...findLeaks(sent, alice.token), ...findLeaks(sent, 'alice')]).toEqual([]);
});
