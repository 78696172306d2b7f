import { randomUUID } from 'node:crypto';
import { operators } from '../../../operators';
import {
  type Answer,
  type Body,
  makeUnique,
  type Reference,
  startReference,
  toError,
  unknownId,
} from '../../support/api/reference-client';
import { runRecord } from '../../support/system/run-record';

let reference: Reference;
beforeAll(async () => {
  reference = await startReference();
});
afterAll(() => reference.api.close());
const call: Reference['call'] = (...args) => reference.call(...args);

describe('flows', () => {
  const authoring = (more: Body = {}) => ({
    flow_name: makeUnique('flow'),
    flow: [
      { type: 'ingest_source', name: 'ingest', config: { connection_params: { paths: ['./docs'] } } },
      { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
    ],
    ...more,
  });
  const drawn = (more: Body = {}) => ({ name: makeUnique('drawn'), ...more });
  const create = (body: unknown, isElyra = false) => call(`POST /flows${isElyra ? '?is_elyra=true' : ''}`, body);
  const getId = ({ body }: Answer) => String(body['flow_id']);

  test('a whole drawing: 201, all members echoed, with flow_id, times and href', async () => {
    const whole = drawn({
      description: 'd',
      tags: ['a'],
      container_kind: 'project',
      container_id: randomUUID(),
      job_id: randomUUID(),
    });
    const { status, body } = await create(whole, true);
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...whole, flow_id: expect.any(String), created_on: expect.any(String) });
    expect(body['href']).toBe(`/api/v1/flows/${String(body['flow_id'])}`);
  });
  test('a name alone: description null, tags [], not hidden, version 2.0, a definition', async () => {
    expect((await create(drawn(), true)).body).toMatchObject({
      description: null,
      tags: [],
      is_hidden: false,
      flow_version: '2.0',
      definition: expect.any(Object),
    });
  });
  test.each([
    ['an empty name', { name: '' }],
    ['an invalid container_kind', { container_kind: 'shelf' }],
    ['a container_id that is not a UUID', { container_id: 'x' }],
    ['a job_id that is not a UUID', { job_id: 'x' }],
  ])('a drawing with %s: 400', async (_name, more) => {
    expect(toError(await create(drawn(more), true))[0]).toBe(400);
  });
  test('an authoring flow with branches: 201', async () => {
    const flow = [
      ...authoring().flow,
      { type: 'branching', name: 'route', depends_on: ['extract'], config: { branches: {} } },
      { type: 'noop', name: 'a', depends_on: ['route.long'] },
    ];
    expect((await create(authoring({ flow }))).status).toBe(201);
  });
  test('repeated tags are kept once', async () => {
    expect((await create(drawn({ tags: ['a', 'b', 'a', 'c'] }), true)).body['tags']).toEqual(['a', 'b', 'c']);
  });
  test('an empty list of operators: 400 that mentions flow', async () => {
    const answer = await create(authoring({ flow: [] }));
    expect(toError(answer)).toEqual([400, 'flow_invalid_data']);
    expect(JSON.stringify(answer.body)).toContain("'flow'");
  });
  test('a duplicate name: 409 with the name in the message', async () => {
    const body = authoring();
    await create(body);
    const answer = await create(body);
    expect(toError(answer)).toEqual([409, 'flow_already_exists']);
    expect(JSON.stringify(answer.body)).toContain(body.flow_name);
  });
  test.each(['no-uuid', '0b8c0f6e'])('GET of %s: 400 validation_error', async (id) => {
    expect(toError(await call(`GET /flows/${id}`))).toEqual([400, 'validation_error']);
  });
  test('GET, PUT, PATCH, DELETE of an unknown flow: 404 flow_not_found with the id', async () => {
    for (const [method, body] of [['GET'], ['PUT', authoring()], ['PATCH', { tags: [] }], ['DELETE']] as const) {
      const answer = await call(`${method} /flows/${unknownId}`, body);
      expect(toError(answer)).toEqual([404, 'flow_not_found']);
      expect(JSON.stringify(answer.body)).toContain(unknownId);
    }
  });
  test('list: total_count, offset 0, limit 100; filters by part of the name and by tag; next', async () => {
    const tag = makeUnique('tag');
    for (const name of ['Invoice A', 'Invoice B', 'Other'])
      await create(authoring({ flow_name: `${name} ${tag}`, tags: [tag] }));
    expect((await call(`GET /flows?tags=${tag}`)).body).toMatchObject({ total_count: 3, offset: 0, limit: 100 });
    expect((await call(`GET /flows?tags=${tag}&name=Invoice`)).body['total_count']).toBe(2);
    expect((await call(`GET /flows?tags=${tag}&limit=2`)).body['next']).toContain('offset=2');
    expect((await call(`GET /flows?tags=${makeUnique('tag')}`)).body).toMatchObject({ flows: [], total_count: 0 });
  });
  test.each(['limit=0', 'limit=1001', 'offset=-1'])('list with %s: 400 validation_error', async (query) => {
    expect(toError(await call(`GET /flows?${query}`))).toEqual([400, 'validation_error']);
  });
  test.each([false, true])(
    'PUT (drawing: %s): 200, modified_on changes, and it lasts; an empty name is 400',
    async (isElyra) => {
      const query = isElyra ? '?is_elyra=true' : '';
      const body = isElyra ? drawn() : authoring();
      const id = getId(await create(body, isElyra));
      const changed = await call(`PUT /flows/${id}${query}`, { ...body, description: 'changed' });
      expect(changed).toMatchObject({ status: 200, body: { description: 'changed' } });
      expect((await call(`GET /flows/${id}`)).body).toMatchObject({ description: 'changed' });
      const nameless = isElyra ? { ...body, name: '' } : { ...body, flow_name: '' };
      expect(toError(await call(`PUT /flows/${id}${query}`, nameless))[0]).toBe(400);
    },
  );
  test('PATCH: one or many members, others stay; {} and tags that are not a list are 400', async () => {
    const id = getId(await create(authoring({ description: 'stays' })));
    expect((await call(`PATCH /flows/${id}`, { tags: ['x'] })).body).toMatchObject({
      description: 'stays',
      tags: ['x'],
    });
    expect((await call(`PATCH /flows/${id}`, { tags: [] })).body).toMatchObject({ tags: [] });
    expect(toError(await call(`PATCH /flows/${id}`, {}))[0]).toBe(400);
    const answer = await call(`PATCH /flows/${id}`, { tags: 'x' });
    expect(toError(answer)[0]).toBe(400);
    expect(JSON.stringify(answer.body)).toContain('tags');
  });
  test('DELETE: 204 without a body, then 404', async () => {
    const id = getId(await create(authoring()));
    expect(await call(`DELETE /flows/${id}`)).toMatchObject({ status: 204, body: '' });
    expect((await call(`GET /flows/${id}`)).status).toBe(404);
    expect((await call(`DELETE /flows/${id}`)).status).toBe(404);
    expect(toError(await call('DELETE /flows/no-uuid'))[0]).toBe(400);
  });
  test('bulk deletion: three of three; one of two; without ids 400', async () => {
    const ids = [];
    for (let i = 0; i < 4; i += 1) ids.push(getId(await create(authoring())));
    expect((await call(`DELETE /flows?flow_ids=${ids.slice(0, 3).join(',')}`)).body).toMatchObject({
      total_deleted: 3,
    });
    expect((await call(`DELETE /flows?flow_ids=${ids[3]},${unknownId}`)).body).toMatchObject({
      total_deleted: 1,
      total_failed: 1,
    });
    expect(toError(await call('DELETE /flows'))[0]).toBe(400);
  });
  test.each([
    ['malformed JSON', '{"flow_name":'],
    ['a missing field', { flow: [] }],
    ['a wrong type', { flow_name: 5, flow: 'x' }],
  ])('%s: 400 with errors', async (_name, body) => {
    expect(toError(await call('POST /flows', body))[0]).toBe(400);
  });
});

describe('job runs', () => {
  const flow = async () => {
    const ingest = { type: 'ingest_source', name: 'ingest', config: { connection_params: { paths: ['/d'] } } };
    return String((await call('POST /flows', { flow_name: makeUnique('run'), flow: [ingest] })).body['flow_id']);
  };
  const bodies: [string, (id: string) => unknown][] = [
    ['enterprise', (id) => ({ entity: { job: { asset_ref: id }, job_run: { configuration: { user_id: 'u' } } } })],
    ['legacy', (flow_id) => ({ flow_id, flow_name: 'x', configuration: {} })],
  ];
  test.each(bodies)('the %s body: 201, Starting, successfully', async (_form, bodyOf) => {
    expect(await call('POST /job_runs', bodyOf(await flow()))).toMatchObject({
      status: 201,
      body: {
        status: expect.stringMatching(/^(starting|running)$/i),
        message: expect.stringContaining('successfully'),
      },
    });
  });
  test('without asset_ref: 404 that mentions it', async () => {
    const answer = await call('POST /job_runs', { entity: { job: {} } });
    expect(toError(answer)).toEqual([404, 'flow_not_found']);
    expect(JSON.stringify(answer.body)).toContain('asset_ref');
  });
  test('list: list, count, total; filters by job_id, status and limit', async () => {
    const run = runRecord({ job_id: randomUUID(), status: 'COMPLETED_WITH_ERRORS' });
    reference.state.runs.push(run);
    for (const status of ['CompletedWithErrors', 'completed_with_errors', 'COMPLETED_WITH_ERRORS'])
      expect((await call(`GET /job_runs?job_id=${run.job_id}&status=${status}&limit=50`)).body).toMatchObject({
        list: [{ job_run_id: run.job_run_id }],
        count: 1,
        total: 1,
      });
  });
  test.each(['GET', 'DELETE'])('%s of an unknown run: 404', async (method) => {
    expect(toError(await call(`${method} /job_runs/${unknownId}`))).toEqual([404, 'job_run_not_found']);
  });
  test('cancel: 202, Canceling, cancellation requested; unknown 404', async () => {
    const { body } = await call('POST /job_runs', { flow_id: await flow() });
    expect(await call(`POST /job_runs/${String(body['job_run_id'])}/cancel`)).toMatchObject({
      status: 202,
      body: { status: 'CANCELING', message: expect.stringMatching(/cancellation requested/i) },
    });
    expect(toError(await call(`POST /job_runs/${unknownId}/cancel`))[0]).toBe(404);
  });
  test('delete: 204 without a body', async () => {
    const run = runRecord({ status: 'COMPLETED' });
    reference.state.runs.push(run);
    expect(await call(`DELETE /job_runs/${run.job_run_id}`)).toMatchObject({ status: 204, body: '' });
  });
});

describe('validation', () => {
  const validate = async (flow: Body[], query = '') =>
    (await call(`POST /validation/validate_flow${query}`, { [query === '' ? 'flow_name' : 'name']: 'v', flow })).body;
  const ingest = { type: 'ingest_source', name: 'ingest', config: { connection_params: { paths: ['/d'] } } };
  test('always the keys status, message, errors, warnings; several errors with code and message', async () => {
    const verdict = await validate([{ type: 'chunker', name: 'c', config: { chunk_type: 'x' } }, ingest]);
    expect(Object.keys(verdict).toSorted()).toEqual(['errors', 'message', 'status', 'warnings']);
    expect(verdict['status']).toBe('FAILED');
    const errors = verdict['errors'] as Body[];
    expect(errors.length).toBeGreaterThan(1);
    for (const error of errors)
      for (const member of ['code', 'message', 'message_code', 'node_id', 'node_name', 'operator'])
        expect(error).toHaveProperty(member);
    expect(errors[0]).toHaveProperty('code', 'flow_validation_failed');
  });
  test('warnings alone: SUCCEEDED_WITH_WARNINGS', async () => {
    expect(await validate([ingest])).toMatchObject({ status: 'SUCCEEDED_WITH_WARNINGS', errors: [] });
  });
  test('is_elyra=true accepts a drawing', async () => {
    expect(await validate([], '?is_elyra=true')).toMatchObject({ status: 'FAILED' });
  });
});

test('operators: an object by short name, each with label, category, description, features, required_features', async () => {
  const { status, body, headers } = await call('GET /operators/metadata');
  expect(status).toBe(200);
  expect(headers.get('Content-Type')).toMatch(/^application\/json/);
  expect(Object.keys(body).toSorted()).toEqual(operators.map(({ name }) => name).toSorted());
  for (const operator of Object.values(body))
    expect(operator).toMatchObject({
      label: expect.any(String),
      category: expect.any(String),
      description: expect.any(String),
      features: expect.any(Object),
      required_features: expect.any(Array),
    });
});
