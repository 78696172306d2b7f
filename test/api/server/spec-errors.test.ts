import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { ActivityFailure, RetryState, TerminatedFailure } from '@temporalio/common';
import { readFlowFile } from '../../../cli/run/flow-file';
import { createClient } from '../../../client';
import { readConfig } from '../../../model/config';
import { AppError, errorCatalogue, type ErrorCode, spellCode } from '../../../model/errors';
import { operators } from '../../../operators';
import { run as chunk } from '../../../operators/chunker/run';
import { createEmbedder } from '../../../services/embedding/embedder';
import { createJsonFolder } from '../../../services/flow/json-folder';
import { createModelCatalogue } from '../../../services/llm/model-catalogue';
import { createSearch } from '../../../services/search/search';
import { createSqlRunner } from '../../../services/table/sql';
import { toFailure } from '../../../workflows/failures';
import { alice, sampleFlow, startApi, type TestApi } from '../../support/api/server';
import { runRecord } from '../../support/system/run-record';

/**
 * The catalogue of the specification: every code with its status and a way to cause it: an HTTP request if a caller can see
 * the code, otherwise the part of a run that throws it.
 */
let api: TestApi;
let host: Server;
let hostUrl: string;
let closedUrl: string;
const folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-errors-'));
const never = new AbortController().signal;

beforeAll(async () => {
  api = await startApi({ operators });
  // A host whose answer is chosen by the first part of the path: `/404/v1/embeddings`.
  host = createServer((request, response) => {
    const status = Number(/^\/(\d+)/.exec(request.url ?? '')?.[1] ?? 404);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(status === 200 ? '"odd"' : '{"error":"said so"}');
  });
  hostUrl = await listening(host);
  const gone = createServer();
  closedUrl = await listening(gone);
  gone.close();
});
afterAll(async () => {
  await api.close();
  host.close();
  rmSync(folder, { recursive: true });
});
async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const configured = (env: Record<string, string>) => readConfig({ DOCLOOM_ALLOWED_HOSTS: '127.0.0.1', ...env });
/** Code and status of a refused request, as the caller reads them. */
async function answered(method: string, route: string, body?: unknown, server = api): Promise<[string, number]> {
  const reply = await server.call(method, `/api/v1${route}`, { user: alice, body });
  const { errors } = reply.body as { errors: { code: string }[] };
  return [errors[0]?.code ?? '', reply.status];
}
/** Code and status that a part of a run throws. */
async function thrown(work: () => unknown): Promise<[string, number]> {
  const error: unknown = await Promise.resolve()
    .then(work)
    .catch((reason: unknown) => reason);
  if (!(error instanceof AppError)) throw new Error(`No AppError, but ${String(error)}`);
  return [error.code, error.status];
}
async function models(provider: string, env: Record<string, string>): Promise<[string, number]> {
  const own = await startApi({ models: createModelCatalogue(configured(env)) });
  const found = await answered('GET', `/providers/${provider}/models`, undefined, own);
  await own.close();
  return found;
}
const embedding = (type: string, provider_config: Record<string, unknown>) => {
  const embedder = createEmbedder(configured({}));
  return thrown(() => embedder.embed(['text'], { type, provider_config }, never)).finally(() => embedder.close());
};
const ofRun = ({ code }: { code: ErrorCode }): [string, number] => [code, errorCatalogue[code].status];
const searching = async (address: string): Promise<[string, number]> => {
  const { hostname, port } = new URL(address);
  const search = createSearch(configured({ SEARCH_HOST: hostname, SEARCH_PORT: port }));
  const own = await startApi({ search });
  const found = await answered('POST', '/documents/search', {}, own);
  await own.close();
  await search.close();
  return found;
};
const failing = (status: number) =>
  new Promise<string>((resolve) => {
    const server = createServer((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end('{"error":{"type":"security_exception","reason":"no permission"}}');
    });
    server.unref();
    void listening(server).then(resolve);
  });
async function stored(name: string): Promise<string> {
  const { body } = await api.call('POST', '/api/v1/flows', { user: alice, body: sampleFlow(name) });
  return String(body['flow_id']);
}

const catalogue: [code: ErrorCode, status: number, meaning: string, provoke: () => Promise<[string, number]>][] = [
  [
    'FLOW_VALIDATION_FAILED',
    400,
    'flow configuration invalid',
    async () => {
      const flow_id = await stored('without paths');
      return answered('POST', '/job_runs', { flow_id });
    },
  ],
  [
    'FLOW_EXECUTION_FAILED',
    500,
    'pipeline execution failed',
    async () => ofRun(toFailure(new TerminatedFailure('The batch was terminated.'))),
  ],
  [
    'PREFECT_FLOW_TASK_FAILED',
    500,
    'workflow-engine task failed',
    async () => {
      const cause = new Error('odd');
      return ofRun(toFailure(new ActivityFailure('', 'ocr', '1', RetryState.MAXIMUM_ATTEMPTS_REACHED, '', cause)));
    },
  ],
  ['FLOW_NOT_FOUND', 404, 'flow file not found', () => thrown(() => readFlowFile(path.join(folder, 'none.json')))],
  [
    'FLOW_ALREADY_EXISTS',
    409,
    'a flow with the same name exists',
    async () => {
      await stored('twice');
      return answered('POST', '/flows', sampleFlow('twice'));
    },
  ],
  ['FLOW_INVALID_DATA', 400, 'flow data malformed or fields missing', () => answered('POST', '/flows', { flow: [] })],
  [
    'FLOW_STORAGE_ERROR',
    500,
    'file system error',
    () => {
      const file = path.join(folder, 'file');
      writeFileSync(file, '');
      return thrown(() => createJsonFolder(file).probe());
    },
  ],
  [
    'OPERATOR_CONFIGURATION_INVALID',
    400,
    'operator configuration invalid',
    () => embedding('local_api', { model_id: 5 }),
  ],
  [
    'OPERATOR_EXECUTION_FAILED',
    500,
    'operator execution failed',
    async () => {
      const context = { signal: never, progress: () => {} } as never;
      const { failed } = await chunk([{ id: '1', name: 'a', path: 'a' }], { chunk_type: 'simple' }, context);
      return ofRun({ code: failed?.[0]?.code as ErrorCode });
    },
  ],
  [
    'SQL_FILTER_ERROR',
    400,
    'SQL filter error',
    async () => {
      const sql = createSqlRunner();
      const rows = [{ id: '1', name: 'a', path: 'a' }];
      const options = { timeoutMs: 60_000, signal: never };
      const found = await thrown(() => sql.select(rows, 'SELECT nothing FROM input', options));
      await sql.close();
      return found;
    },
  ],
  [
    'LOCALMODEL_CONNECTION_FAILED',
    503,
    'cannot connect to the local model host',
    () => models('localmodel', { LOCALMODEL_HOST: closedUrl }),
  ],
  [
    'LOCALMODEL_MODEL_NOT_FOUND',
    404,
    'model not available on the local model host',
    () => embedding('local_api', { model_id: 'm', api_base: `${hostUrl}/404/v1`, max_retries: 0 }),
  ],
  [
    'HOSTEDMODEL_AUTH_FAILED',
    502,
    'authentication with the hosted model vendor failed',
    () => models('hostedmodel', { HOSTEDMODEL_API_BASE_URL: `${hostUrl}/401` }),
  ],
  [
    'HOSTEDMODEL_MODEL_NOT_FOUND',
    404,
    'model not found or not accessible at the hosted vendor',
    () => embedding('gateway', { model_id: 'm', api_base: `${hostUrl}/404/v1`, api_key: 'k', max_retries: 0 }),
  ],
  ['SEARCH_CONNECTION_FAILED', 503, 'cannot connect to the search index backend', () => searching(closedUrl)],
  ['SEARCH_INDEX_ERROR', 500, 'index operation failed', async () => searching(await failing(403))],
  ['INVALID_CONFIGURATION', 500, 'configuration error', () => thrown(() => readConfig({ DOCLOOM_PORT: 'none' }))],
  [
    'EXTERNAL_SERVICE_ERROR',
    502,
    'external service error',
    () => models('hostedmodel', { HOSTEDMODEL_API_BASE_URL: `${hostUrl}/500` }),
  ],
  [
    'HTTP_ERROR',
    502,
    'HTTP request failed',
    async () => {
      const client = createClient({ baseUrl: `${hostUrl}/502` });
      const error = (await client.flows.list().catch((reason: unknown) => reason)) as { code: string; status: number };
      return [error.code, error.status];
    },
  ],
  [
    'CONNECTION_ERROR',
    503,
    'network connection error',
    () => models('hostedmodel', { HOSTEDMODEL_API_BASE_URL: closedUrl }),
  ],
  [
    'INVALID_RESPONSE',
    502,
    'invalid response from a service',
    () => models('localmodel', { LOCALMODEL_HOST: `${hostUrl}/200` }),
  ],
];

describe('codes of the specification', () => {
  test.each(catalogue)('%s (%i): %s', async (code, status, _meaning, provoke) => {
    expect(errorCatalogue[code].status).toBe(status);
    expect(await provoke()).toEqual([code, status]);
  });
  test('prefect_flow_failed is the lower-case form of the engine’s', () => {
    expect(spellCode('PREFECT_FLOW_TASK_FAILED', 'lower')).toBe('prefect_flow_failed');
  });
  test('a run whose workflow was terminated is FLOW_EXECUTION_FAILED', async () => {
    const run = runRecord({ status: 'RUNNING' });
    api.state.runs.push(run);
    api.state.engine.set(run.job_run_id, 'TERMINATED');
    const { body } = await api.call('GET', `/api/v1/job_runs/${run.job_run_id}`, { user: alice });
    expect(body).toMatchObject({ status: 'CRASHED', message: expect.stringMatching(/^FLOW_EXECUTION_FAILED: /) });
  });
});

describe('HTTP statuses of the specification', () => {
  const status = async (route: string, init: RequestInit) => (await fetch(`${api.url}/api/v1${route}`, init)).status;
  const headers = () => ({ Authorization: `Bearer ${api.tokenOf(alice)}`, 'Content-Type': 'application/json' });
  test.each([
    ['missing', {}],
    ['invalid', { Authorization: 'Bearer a.b.c' }],
  ])('401: %s JWT', async (_name, input) => {
    expect(await status('/documents/x', { headers: input })).toBe(401);
  });
  test('404: document missing or user not authorized, both the same', async () => {
    expect(await status('/documents/missing', { headers: headers() })).toBe(404);
    expect(await status('/documents/of-bob', { headers: headers() })).toBe(404);
  });
  test.each(['POST', 'PUT', 'PATCH'])('413: %s body larger than 5 MB', async (method) => {
    const route = method === 'POST' ? '/flows' : '/flows/0b8c0f6e-0000-4000-8000-000000000000';
    const body = JSON.stringify({ description: 'x'.repeat(5 * 1024 * 1024) });
    expect(await status(route, { method, body, headers: headers() })).toBe(413);
  });
  test('422: invalid request parameters of a search', async () => {
    const init = { method: 'POST', body: '{"limit":0}', headers: headers() };
    expect(await status('/documents/search', init)).toBe(422);
  });
  test('503: the search index backend is unreachable', async () => {
    expect(await searching(closedUrl)).toEqual(['SEARCH_CONNECTION_FAILED', 503]);
  });
});

test('every code has a text and a status of an error, and no message of a 500 reaches a caller', async () => {
  for (const { status, text } of Object.values(errorCatalogue)) {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).toMatch(/\.$/);
  }
  const broken = await startApi({ models: { list: () => Promise.reject(new Error('secret')) } });
  const { body } = await broken.call('GET', '/api/v1/providers/localmodel/models', { user: alice });
  expect(JSON.stringify(body)).not.toContain('secret');
  await broken.close();
});
