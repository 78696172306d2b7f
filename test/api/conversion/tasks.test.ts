import { createErrorDetail } from '../../../api/conversion/http/error-detail';
import { AppError } from '../../../model/errors';
import { type ConversionApi, inline, startConversion } from '../../support/api/conversion-client';
import { toFailure } from '../../support/api/conversion-services';
import { alice } from '../../support/api/server';

let service: ConversionApi;
beforeAll(async () => {
  service = await startConversion({ maxSyncWaitMs: 1_000 });
});
afterAll(() => service.close());
beforeEach(() => {
  service.memory.atOnce = false;
  service.memory.cleared.length = 0;
});
const getKey = (user: typeof alice) => ({ Authorization: `Bearer ${service.api.tokenOf(user)}` });
const unknown = '0b8c0f6e-0000-4000-8000-000000000000';
const send: ConversionApi['send'] = (...args) => service.send(...args);

/** Resolves when the next watch starts. */
async function waitForWatch(): Promise<void> {
  const before = service.memory.watches;
  while (service.memory.watches === before) await new Promise((resolve) => setImmediate(resolve));
}

/** Submits a task that waits. */
async function submit(headers: Record<string, string> = {}): Promise<string> {
  const { body } = await send('POST', '/v1/convert/source/async', { json: { sources: [inline('a.md')] }, headers });
  return (body as { task_id: string }).task_id;
}

describe('GET /v1/status/poll/{task_id}', () => {
  test('returns the current state of the task', async () => {
    const id = await submit();
    expect((await send('GET', `/v1/status/poll/${id}`)).body).toMatchObject({ task_id: id, task_status: 'pending' });
    service.memory.change(id, { task_status: 'started', task_position: null });
    expect((await send('GET', `/v1/status/poll/${id}`)).body).toMatchObject({
      task_status: 'started',
      task_position: null,
    });
    service.memory.finish(id);
    expect((await send('GET', `/v1/status/poll/${id}`)).body).toMatchObject({ task_status: 'success' });
  });

  test('with `wait`, replies as soon as the state changes', async () => {
    const id = await submit();
    const started = Date.now();
    const answer = send('GET', `/v1/status/poll/${id}?wait=20`);
    await waitForWatch();
    service.memory.change(id, { task_status: 'started', task_position: null });
    expect((await answer).body).toMatchObject({ task_status: 'started' });
    expect(Date.now() - started).toBeLessThan(5_000);
  });

  test('progress does not end a wait', async () => {
    const id = await submit();
    const answer = send('GET', `/v1/status/poll/${id}?wait=0.3`);
    const meta = { num_docs: 2, num_processed: 1, num_succeeded: 1, num_partially_succeeded: 0, num_failed: 0 };
    await waitForWatch();
    service.memory.change(id, { task_meta: meta });
    expect((await answer).body).toMatchObject({ task_status: 'pending', task_meta: meta });
  });

  test.each(['0.0123', '1e-310', '-1'])('a wait of %s seconds is accepted', async (wait) => {
    const { status, body } = await send('GET', `/v1/status/poll/${await submit()}?wait=${wait}`);
    expect([status, body]).toEqual([200, expect.objectContaining({ task_status: 'pending' })]);
  });

  test('a finished task is reported at once', async () => {
    const id = await submit();
    service.memory.finish(id);
    const started = Date.now();
    await send('GET', `/v1/status/poll/${id}?wait=20`);
    expect(Date.now() - started).toBeLessThan(5_000);
  });

  test('an unknown task is 404 with exactly this body', async () => {
    const { status, text, headers } = await send('GET', `/v1/status/poll/${unknown}`);
    expect(status).toBe(404);
    expect(text).toBe('{"detail":"Task not found."}');
    expect(headers.get('Content-Type')).toBe('application/json');
    expect((await send('GET', '/v1/status/poll/no-uuid')).text).toBe(text);
  });

  test('wait must be a number', async () => {
    const { status, body } = await send('GET', `/v1/status/poll/${unknown}?wait=soon`);
    expect(status).toBe(422);
    expect(body).toMatchObject({ detail: [{ type: 'float_parsing', loc: ['query', 'wait'] }] });
  });

  test('the shorter address returns the same', async () => {
    const id = await submit();
    expect((await send('GET', `/v1/status/${id}`)).body).toMatchObject({ task_id: id });
  });
});

describe('GET /v1/result/{task_id}', () => {
  test('returns the result any number of times', async () => {
    const id = await submit();
    service.memory.finish(id);
    const first = await send('GET', `/v1/result/${id}`);
    const second = await send('GET', `/v1/result/${id}`);
    expect(first.status).toBe(200);
    expect(second.body).toEqual(first.body);
  });

  test('a result with missing files is truncated, and never looks complete', async () => {
    const id = await submit();
    service.memory.finish(id);
    for (const key of service.memory.stored.keys())
      if (key.startsWith(`conversions/${id}/`)) service.memory.stored.delete(key);
    await expect(send('GET', `/v1/result/${id}`)).rejects.toThrow(/terminated|fetch failed/);
  });

  test('without a result: 404 with the text that clients look for', async () => {
    const id = await submit();
    const { status, text } = await send('GET', `/v1/result/${id}`);
    expect(status).toBe(404);
    expect(text).toBe('{"detail":"Task result not found. Please wait for a completion status."}');
  });

  test('a failed task: 404 with the same start of the text, and the reason', async () => {
    const id = await submit();
    service.memory.fail(id, toFailure({ message: 'Document exceeds service limits.', category: 'policy' }));
    const { status, body } = await send('GET', `/v1/result/${id}`);
    expect(status).toBe(404);
    expect(body).toEqual({
      detail: 'Task result not found. The task failed: Document exceeds service limits.',
    });
    expect((await send('GET', `/v1/status/poll/${id}`)).body).toMatchObject({
      task_status: 'failure',
      error_message: 'Document exceeds service limits.',
      failure: { category: 'policy', retryable: false, phase: 'execution' },
    });
  });

  test('404 for an unknown task', async () => {
    expect((await send('GET', `/v1/result/${unknown}`)).text).toBe('{"detail":"Task not found."}');
  });
});

describe('GET /v1/tasks', () => {
  test('lists newest first, by state, in pages', async () => {
    const tenant = { ...getKey(alice), 'X-Tenant-Id': 'lists' };
    const ids = [await submit(tenant), await submit(tenant), await submit(tenant)];
    service.memory.finish(ids[0] ?? '');
    const all = (await send('GET', '/v1/tasks', { headers: tenant })).body as {
      tasks: { task_id: string; document_name?: string; created_at: string }[];
    };
    // Clients that compare whole descriptors see no further members elsewhere.
    const polled = (await send('GET', `/v1/status/poll/${ids[0]}`, { headers: tenant })).body;
    expect(all.tasks[2]).toMatchObject({ ...(polled as object), document_name: expect.any(String) as string });
    expect(Object.keys(polled as object)).not.toContain('document_name');
    expect(all).toMatchObject({ total: 3, limit: 100, offset: 0 });
    expect(all.tasks.map(({ task_id }) => task_id)).toEqual(ids.toReversed());
    expect((await send('GET', '/v1/tasks?state=success', { headers: tenant })).body).toMatchObject({
      total: 1,
      tasks: [{ task_id: ids[0] }],
    });
    expect((await send('GET', '/v1/tasks?limit=1&offset=1', { headers: tenant })).body).toMatchObject({
      total: 3,
      tasks: [{ task_id: ids[1] }],
    });
    expect((await send('GET', '/v1/tasks?state=lost', { headers: tenant })).status).toBe(422);
  });
});

describe('DELETE /v1/tasks/{task_id}', () => {
  test('cancels a waiting task; a finished one does not change', async () => {
    const id = await submit();
    expect((await send('DELETE', `/v1/tasks/${id}`)).body).toMatchObject({
      task_id: id,
      task_status: 'failure',
      error_message: 'The task was cancelled by request.',
    });
    const done = await submit();
    service.memory.finish(done);
    expect((await send('DELETE', `/v1/tasks/${done}`)).body).toMatchObject({ task_status: 'success' });
    expect((await send('DELETE', `/v1/tasks/${unknown}`)).status).toBe(404);
  });
});

describe('tenants', () => {
  test('a task of another tenant is hidden', async () => {
    const id = await submit({ 'X-Tenant-Id': 'one' });
    service.memory.finish(id);
    const other = { headers: { 'X-Tenant-Id': 'two' } };
    for (const [method, path] of [
      ['GET', `/v1/status/poll/${id}`],
      ['GET', `/v1/result/${id}`],
      ['DELETE', `/v1/tasks/${id}`],
    ] as const) {
      expect((await send(method, path, other)).text).toBe('{"detail":"Task not found."}');
      expect((await send(method, path)).status).toBe(404);
      expect((await send(method, path, { headers: { 'x-tenant-id': 'one' } })).status).toBe(200);
    }
  });
});

describe('GET /v1/clear', () => {
  test('/results accepts older_then in seconds, one hour by default, and clears its own tenant only', async () => {
    const headers = getKey(alice);
    const id = await submit(headers);
    service.memory.finish(id);
    expect((await send('GET', '/v1/clear/results?older_then=0', { headers })).text).toBe('{"status":"ok"}');
    await send('GET', '/v1/clear/results', { headers: { ...headers, 'X-Tenant-Id': 'one' } });
    expect(service.memory.cleared).toEqual([
      { tenant: 'user/alice/default', seconds: 0 },
      { tenant: 'user/alice/one', seconds: 3_600 },
    ]);
    expect((await send('GET', `/v1/result/${id}`, { headers })).text).toBe('{"detail":"Task not found."}');
    expect((await send('GET', '/v1/clear/results?older_then=x')).status).toBe(422);
  });

  test('/converters replies', async () => {
    expect((await send('GET', '/v1/clear/converters')).text).toBe('{"status":"ok"}');
  });
});

describe('POST /v1/callback/task/progress', () => {
  const progress = { kind: 'set_num_docs', num_docs: 1 };
  test('acknowledges progress of a known task', async () => {
    const id = await submit();
    expect((await send('POST', '/v1/callback/task/progress', { json: { task_id: id, progress } })).text).toBe(
      '{"status":"ack"}',
    );
  });

  test('404 for another tenant, 400 for invalid progress', async () => {
    expect((await send('POST', '/v1/callback/task/progress', { json: { task_id: unknown, progress } })).text).toBe(
      '{"detail":"Task not found."}',
    );
    for (const json of [{}, { task_id: unknown }, { task_id: unknown, progress: 1 }, [], 'x']) {
      const { status, body } = await send('POST', '/v1/callback/task/progress', { json });
      expect(status).toBe(400);
      expect(body).toEqual({ detail: 'Invalid progress payload.' });
    }
  });
});

describe('a synchronous call', () => {
  const json = { sources: [inline('a.md')] };

  test('over the limit is 504 with the task id, and the task continues', async () => {
    const { status, body, headers } = await send('POST', '/v1/convert/source', { json });
    expect(status).toBe(504);
    expect(body).toEqual({
      detail: 'Conversion is taking too long. The maximum wait time is configure as DOCLING_SERVE_MAX_SYNC_WAIT=1.',
    });
    const id = headers.get('X-Task-Id') ?? '';
    expect(headers.get('Location')).toBe(`/v1/status/poll/${id}`);
    service.memory.finish(id);
    expect((await send('GET', `/v1/result/${id}`)).status).toBe(200);
  });

  test('is answered as soon as the work is done', async () => {
    const started = Date.now();
    const answer = send('POST', '/v1/convert/source', { json });
    const id = await waitForRequest();
    service.memory.finish(id);
    expect((await answer).status).toBe(200);
    expect(Date.now() - started).toBeLessThan(900);
  });

  test('cancels its task when the client disconnects', async () => {
    const gone = new AbortController();
    const answer = fetch(`${service.url}/v1/convert/source`, {
      method: 'POST',
      body: JSON.stringify(json),
      headers: { 'Content-Type': 'application/json' },
      signal: gone.signal,
    });
    const id = await waitForRequest();
    gone.abort();
    await expect(answer).rejects.toThrow(/abort/i);
    const { body } = await send('GET', `/v1/status/poll/${id}?wait=10`);
    expect(body).toMatchObject({ task_status: 'failure', error_message: 'The task was cancelled by request.' });
  });

  test.each([
    ['policy', false, 422, null],
    ['backend_failure', false, 422, null],
    ['source_unavailable', true, 503, '1'],
    ['target_unavailable', false, 502, null],
    ['timeout', true, 504, null],
    ['internal', false, 500, null],
  ] as const)('of a task that failed (%s) says why', async (category, retryable, status, retryAfter) => {
    const answer = send('POST', '/v1/convert/source', { json });
    const id = await waitForRequest();
    service.memory.fail(id, toFailure({ category, retryable, message: `because of ${category}` }));
    const reply = await answer;
    expect(reply.status).toBe(status);
    expect(reply.body).toEqual({ detail: `because of ${category}` });
    expect(reply.headers.get('Retry-After')).toBe(retryAfter);
    expect(reply.headers.get('X-Task-Id')).toBe(id);
  });

  /** The id of the task that is submitted next. */
  async function waitForRequest(): Promise<string> {
    const before = service.memory.requests.length;
    while (service.memory.requests.length === before) await new Promise((resolve) => setImmediate(resolve));
    return service.memory.requests.at(-1)?.id ?? '';
  }
});

describe('an unavailable service', () => {
  test.each([
    ['WORKFLOW_ENGINE_UNAVAILABLE', 503, '1'],
    ['DATABASE_UNAVAILABLE', 503, '1'],
    ['STORAGE_ERROR', 503, '1'],
    ['INTERNAL_ERROR', 500, null],
  ] as const)('%s', async (code, status, retryAfter) => {
    const broken = await startConversion();
    broken.memory.services.tasks.submit = () => Promise.reject(new AppError(code, `secret of ${code}`));
    const {
      body,
      headers,
      status: actual,
    } = await broken.send('POST', '/v1/convert/source', {
      json: { sources: [inline('a.md')] },
    });
    expect(actual).toBe(status);
    expect(headers.get('Retry-After')).toBe(retryAfter);
    const { detail } = body as { detail: string };
    const opaque = `Internal Server Error (trace ${headers.get('X-Transaction-ID')}).`;
    expect(detail).toBe(status === 500 ? opaque : `secret of ${code}`);
    expect(broken.memory.stored.size).toBe(0);
    await broken.close();
  });

  test('the files of a request that may be repeated stay, because its task may be stored', async () => {
    const broken = await startConversion();
    broken.memory.services.tasks.submit = () => Promise.reject(new AppError('DATABASE_UNAVAILABLE', 'away'));
    const json = { sources: [inline('a.md')] };
    const { status } = await broken.send('POST', '/v1/convert/source', { json, headers: { 'Idempotency-Key': 'k' } });
    expect([status, broken.memory.stored.size]).toEqual([503, 1]);
    broken.memory.services.tasks.submit = () => Promise.reject(new AppError('CONFLICT', 'another request'));
    const refused = await broken.send('POST', '/v1/convert/source', { json, headers: { 'Idempotency-Key': 'k' } });
    expect([refused.status, broken.memory.stored.size]).toEqual([409, 1]);
    await broken.close();
  });

  test('an unexpected error reveals nothing about itself', () => {
    expect(createErrorDetail(new TypeError('secret'), 't1')).toMatchObject({
      status: 500,
      detail: 'Internal Server Error (trace t1).',
    });
  });
});
