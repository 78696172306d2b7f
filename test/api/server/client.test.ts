import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, createClient, etagOf } from '../../../client';
import { alice, bob, sampleFlow, startApi, type TestApi } from '../../support/api/server';

let api: TestApi;
let client: Client;
beforeAll(async () => {
  api = await startApi();
  client = createClient({ baseUrl: `${api.url}/`, token: api.tokenOf(alice) });
});
afterAll(() => api.close());

test('a flow is validated, created, found, run, cancelled and its run deleted', async () => {
  expect(await client.flows.validate(sampleFlow('client'))).toMatchObject({ status: 'SUCCEEDED' });
  const { flow_id } = await client.flows.create(sampleFlow('client'));
  expect(await client.flows.get(flow_id)).toMatchObject({ flow_name: 'client' });
  expect(await client.flows.list({ name: 'CLI', tags: ['finance', 'x'], limit: 1 })).toMatchObject({
    total_count: 1,
    limit: 1,
  });
  const { job_run_id } = await client.jobRuns.create({ flow_id });
  expect(await client.jobRuns.get(job_run_id)).toMatchObject({ job_run_id, status: 'QUEUED' });
  expect(await client.jobRuns.list({ job_id: flow_id, status: 'queued' })).toMatchObject({ total: 1 });
  expect(await client.jobRuns.flowDefinition(job_run_id)).toMatchObject({ flow: { flow_name: 'client' } });
  expect(await client.jobRuns.documents(job_run_id, { outcome: 'failed' })).toMatchObject({ total: 0 });
  expect(await client.jobRuns.cancel(job_run_id)).toMatchObject({ status: 'CANCELING' });
  await expect(client.jobRuns.remove(job_run_id, { force: true })).resolves.toBeUndefined();
});

test('flows and projects are changed and removed', async () => {
  const { project_id } = await client.projects.create({ name: 'of the client', members: ['bob'] });
  expect(await client.projects.patch(project_id, { description: 'd' })).toMatchObject({ description: 'd' });
  expect(await client.projects.replace(project_id, { name: 'renamed' })).toMatchObject({
    name: 'renamed',
    members: [],
  });
  const { flow_id } = await client.flows.create({ ...sampleFlow('in a project'), project_id });
  expect(await client.flows.patch(flow_id, { tags: ['x'] })).toMatchObject({ tags: ['x'] });
  expect(await client.flows.replace(flow_id, sampleFlow('replaced'))).toMatchObject({
    flow_name: 'replaced',
    project_id,
  });
  expect(await client.projects.flows(project_id, { name: 'REPL' })).toMatchObject({ total_count: 1 });
  expect(await client.projects.get(project_id)).toMatchObject({ flow_count: 1 });
  expect(await client.projects.list({ name: 'renamed' })).toMatchObject({ total_count: 1 });
  const drawn = await client.flows.createElyra({ name: 'drawn' });
  expect(await client.flows.getElyra(drawn.flow_id)).toEqual(drawn);
  expect(await client.flows.get(drawn.flow_id)).toMatchObject({ flow_name: 'drawn', flow: [] });
  expect(await client.flows.removeMany([drawn.flow_id, flow_id])).toMatchObject({ total_deleted: 2 });
  await expect(client.flows.remove(flow_id)).rejects.toMatchObject({ code: 'FLOW_NOT_FOUND' });
  await expect(client.projects.remove(project_id, { force: true })).resolves.toBeUndefined();
});

test('a change with an outdated ETag is rejected', async () => {
  const { flow_id } = await client.flows.create(sampleFlow('conditional'));
  const read = await client.flows.get(flow_id);
  const stale = { ifMatch: etagOf(read) };
  expect(stale.ifMatch).toMatch(/^"\d+"$/);
  const changed = await client.flows.patch(flow_id, { tags: ['first'] }, stale);
  const refused = { status: 412, code: 'PRECONDITION_FAILED' };
  await expect(client.flows.patch(flow_id, { tags: ['second'] }, stale)).rejects.toMatchObject(refused);
  await expect(client.flows.replace(flow_id, sampleFlow('x'), stale)).rejects.toMatchObject(refused);
  await expect(client.flows.remove(flow_id, stale)).rejects.toMatchObject(refused);
  await expect(client.flows.remove(flow_id, { ifMatch: etagOf(changed) })).resolves.toBeUndefined();
  const project = await client.projects.create({ name: 'conditional' });
  const { project_id } = project;
  const old = { ifMatch: etagOf(project) };
  expect(await client.projects.patch(project_id, { tags: ['x'] }, old)).toMatchObject({ tags: ['x'] });
  await expect(client.projects.replace(project_id, { name: 'y' }, old)).rejects.toMatchObject(refused);
  await expect(client.projects.remove(project_id, old)).rejects.toMatchObject(refused);
  expect(etagOf({})).toBeUndefined();
});

test('document sets and libraries are created, filled, shown and removed', async () => {
  const set = await client.documentSets.create({ name: 'of-the-client', metadata: { year: 2026 } });
  expect(await client.documentSets.get(set.id)).toEqual(set);
  expect(await client.documentSets.list({ name: 'CLIENT', limit: 1 })).toMatchObject({ total: 1, items: [set] });
  expect(await client.documentSets.patch(set.id, { description: 'd' })).toMatchObject({ description: 'd' });
  expect(await client.documentSets.preview(set.id, { columns: [], limit: 5 })).toMatchObject({ data: [], limit: 5 });
  const file: Uint8Array[] = [];
  for await (const chunk of client.documentSets.export(set.id, { format: 'parquet' })) file.push(chunk);
  expect(Buffer.concat(file).subarray(0, 4).toString()).toBe('PAR1');
  const library = await client.documentLibraries.create({ name: 'Of the client', tags: ['t'] });
  const { library_id: id } = library;
  expect(await client.documentLibraries.get(id)).toEqual(library);
  expect(await client.documentLibraries.list({ tags: ['t'] })).toMatchObject({ total: 1 });
  expect(await client.documentLibraries.patch(id, { purpose: 'p' })).toMatchObject({ purpose: 'p' });
  await client.documentLibraries.addSets(id, [set.id]);
  expect(await client.documentLibraries.sets(id)).toMatchObject({ document_sets: [{ id: set.id }], total: 1 });
  await client.documentLibraries.removeSets(id, [set.id]);
  await client.documentLibraries.remove(id);
  await client.documentSets.remove(set.id, { delete_data: true });
  await expect(client.documentSets.get(set.id)).rejects.toMatchObject({ code: 'DOCUMENT_SET_NOT_FOUND' });
});

test('operators, search and login answer', async () => {
  expect(Object.keys(await client.operators())).toContain('vectordb');
  expect(await client.documents.search({ query: 'x' })).toMatchObject({ total: 1 });
  expect(await client.documents.search()).toMatchObject({ documents: [{ id: 'of-alice' }] });
  expect(await client.documents.get('of-alice')).toMatchObject({ title: 'title' });
  const { access_token } = await createClient({ baseUrl: api.url }).login('alice', 'right');
  expect(await createClient({ baseUrl: api.url, token: access_token }).me()).toMatchObject({ username: 'alice' });
});

test('a rejection is an ApiError with code, status, trace and all problems', async () => {
  await expect(
    createClient({ baseUrl: api.url, token: api.tokenOf(bob) }).flows.get('0b8c0f6e-0000-4000-8000-000000000000'),
  ).rejects.toMatchObject({
    name: 'ApiError',
    code: 'FLOW_NOT_FOUND',
    status: 404,
    trace: expect.stringMatching(/^[0-9a-f-]{36}$/),
    entries: [{ code: 'FLOW_NOT_FOUND' }],
  });
  await expect(createClient({ baseUrl: api.url }).me()).rejects.toMatchObject({ code: 'UNAUTHORIZED', status: 401 });
});

test('a document id is one path segment, whatever it contains', async () => {
  await expect(client.documents.get('a/b?c#d%')).rejects.toMatchObject({ code: 'DOCUMENT_NOT_FOUND' });
});

test('a missing answer is a CONNECTION_ERROR with the address', async () => {
  await expect(createClient({ baseUrl: 'http://127.0.0.1:1' }).me()).rejects.toMatchObject({
    code: 'CONNECTION_ERROR',
    status: 0,
    message: expect.stringContaining('http://127.0.0.1:1'),
  });
});

test('an answer of a foreign server is distinguished from ours', async () => {
  const other = createServer((request, response) => {
    response.statusCode = request.url === '/auth/me' ? 502 : 200;
    response.end('<html>');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const foreign = createClient({ baseUrl: `http://127.0.0.1:${(other.address() as AddressInfo).port}` });
  await expect(foreign.me()).rejects.toMatchObject({ code: 'HTTP_ERROR', status: 502 });
  await expect(foreign.operators()).rejects.toMatchObject({ code: 'INVALID_RESPONSE', status: 200 });
  await new Promise((resolve) => other.close(resolve));
});

test('an aborted call rejects with the abort, not with a connection error', async () => {
  const controller = new AbortController();
  controller.abort();
  await expect(client.jobRuns.get('0b8c0f6e-0000-4000-8000-000000000000', controller.signal)).rejects.toMatchObject({
    name: 'AbortError',
  });
});
