import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { type OtlpReceiver, startOtlpReceiver } from '../../test/support/servers/otlp-receiver';
import { findCurrentTrace } from './trace-context';
import { startTracing, getTracing } from './tracing';

const root = path.join(__dirname, '..', '..');
const { build } = require(path.join(root, 'scripts', 'build.js')) as { build: () => number };
let collector: OtlpReceiver;

beforeAll(async () => {
  build();
  collector = await startOtlpReceiver();
});
afterAll(() => collector.stop());

test('without a collector nothing is traced', async () => {
  const nothing = { OTEL_EXPORTER_OTLP_ENDPOINT: undefined, OTEL_EXPORTER_OTLP_HEADERS: undefined };
  const none = await startTracing(nothing, 'x', '1');
  expect(getTracing()).toBe(none);
  await none.runInSpan({ name: 'work', kind: 'internal' }, async () => expect(findCurrentTrace()).toBeUndefined());
});

/** Runs in a separate process: the exporter imports modules at a time when jest cannot. */
const work = `
const { startTracing } = require(process.env.CODE + '/services/tracing/tracing.js');
const { AppError } = require(process.env.CODE + '/model/errors');
(async () => {
  const config = { OTEL_EXPORTER_OTLP_ENDPOINT: process.env.COLLECTOR + '/', OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b, bad, c=d=e' };
  const traces = await startTracing(config, 'docloom-test', '0.1.0');
  const caller = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true };
  await traces.runInSpan({ name: 'GET', kind: 'server', parent: caller }, async (request) => {
    request.rename('GET /things');
    request.set({ 'http.response.status_code': 200, left: undefined, long: 'x'.repeat(1000) });
    await traces.runInSpan({ name: 'chat m1', kind: 'client' }, async () => {
      throw new AppError('HTTP_ERROR', 'a text that quotes a document');
    }).catch(() => undefined);
  });
  traces.record({ name: 'runFlow', parent: caller, spanId: 'c'.repeat(16), startMs: 1700000000000, endMs: 1700000002000, failed: 'CANCELED' });
  const quiet = { ...caller, traceId: 'd'.repeat(32), isSampled: false };
  await traces.runInSpan({ name: 'quiet', kind: 'server', parent: quiet }, async () => undefined);
  await traces.close();
})();
`;

test('spans reach the collector with parents, error codes and headers, and unsampled ones do not', async () => {
  const env = { ...process.env, CODE: path.join(root, 'dist'), COLLECTOR: collector.url };
  await promisify(execFile)(process.execPath, ['-e', work], { env });
  const byName = new Map(collector.spans.map((span) => [span.name, span]));
  expect([...byName.keys()].toSorted()).toEqual(['GET /things', 'chat m1', 'runFlow']);
  const request = byName.get('GET /things');
  expect(request).toMatchObject({
    service: 'docloom-test',
    traceId: 'a'.repeat(32),
    parentSpanId: 'b'.repeat(16),
    hasFailed: false,
  });
  expect(request?.attributes).toEqual({ 'http.response.status_code': '200', long: 'x'.repeat(200) });
  expect(byName.get('chat m1')).toMatchObject({
    parentSpanId: request?.spanId,
    hasFailed: true,
    attributes: { 'error.type': 'HTTP_ERROR' },
  });
  const workflow = byName.get('runFlow');
  expect(workflow).toMatchObject({ spanId: 'c'.repeat(16), parentSpanId: 'b'.repeat(16), hasFailed: true });
  expect(workflow && workflow.endNs - workflow.startNs).toBe(2_000_000_000n);
  expect(collector.headers[0]).toMatchObject({ 'x-key': 'a b', c: 'd=e' });
  expect(collector.raw.join('')).not.toContain('quotes a document');
});
