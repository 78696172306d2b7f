import { alice, bob, startApi, type TestApi } from '../../support/api/server';
import { runRecord } from '../../support/system/run-record';

let api: TestApi;
let runId: string;
let projectId: string;
beforeEach(async () => {
  api = await startApi();
  const project = await api.call('POST', '/api/v1/projects', { user: alice, body: { name: 'p', members: ['bob'] } });
  projectId = (project.body as { project_id: string }).project_id;
  const run = runRecord({ status: 'RUNNING', started_at: new Date().toISOString(), project_id: projectId });
  runId = run.job_run_id;
  api.state.runs.push(run);
  api.state.engine.set(runId, 'RUNNING');
});
afterEach(() => api.close());

const streams = [
  ['events', 'events', 'event: progress'],
  ['the log', 'log?follow=true', '\n'],
] as const;

describe.each(streams)('a stream of %s', (_name, path, first) => {
  /** Reads the whole stream of bob, and acts after its first part. */
  const read = async (act: (token: string) => Promise<unknown>): Promise<string> => {
    const token = api.tokenOf(bob);
    const response = await fetch(`${api.url}/api/v1/job_runs/${runId}/${path}`, {
      headers: { Authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(20_000),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/; charset=utf-8$/);
    let text = '';
    for await (const part of response.body ?? []) {
      if (text === '') await act(token);
      text += Buffer.from(part).toString();
    }
    expect(text).toContain(first);
    return text;
  };
  const send = (method: string, route: string, token: string, body?: object) =>
    fetch(`${api.url}${route}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });

  test('ends when its user leaves the project', async () => {
    const text = await read(() =>
      send('PATCH', `/api/v1/projects/${projectId}`, api.tokenOf(alice), { members: [], roles: [] }),
    );
    expect(text).not.toContain('event: end');
  }, 30_000);

  test('ends when its user logs out', async () => {
    const text = await read((token) => send('POST', '/auth/logout', token));
    expect(text).not.toContain('event: end');
  }, 30_000);

  test('goes on for a member until the run has ended', async () => {
    let ended = 0;
    const start = Date.now();
    await read(async () => {
      setTimeout(() => {
        ended = Date.now();
        for (const run of api.state.runs)
          Object.assign(run, { status: 'COMPLETED', ended_at: new Date().toISOString() });
      }, 6_000);
    });
    expect(ended - start).toBeGreaterThanOrEqual(6_000);
  }, 30_000);
});
