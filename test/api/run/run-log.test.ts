import { createClient } from '../../../client';
import type { RunState } from '../../../model/run/run';
import type { RunLogEntry, RunLogPage } from '../../../model/run/wire-log';
import { alice, bob, carol, startApi, type TestApi } from '../../support/api/server';
import { runRecord } from '../../support/system/run-record';

const run = runRecord({
  status: 'RUNNING',
  started_at: '2026-01-02T03:04:05.000Z',
  created_at: '2026-01-02T03:04:04.000Z',
  warnings: ['one is odd', 'secret.pdf: another one'],
});
run.snapshot.plan.stages = [
  { scope: 'row', operators: [{ name: 'index', type: 'vectordb', queue: 'io', inputs: ['ingest'] }] },
];
const time = '2026-01-02T03:05:00.000Z';
let api: TestApi;
beforeEach(async () => {
  api = await startApi({}, { adminGroups: ['admins'] });
  api.state.runs.push({ ...run });
  api.state.engine.set(run.job_run_id, 'RUNNING');
  api.state.results = [
    {
      id: '1',
      name: 'secret.pdf',
      status: 'Failed',
      reason: 'DOCUMENT_CORRUPT: secret.pdf is damaged',
      time,
      pages: 0,
      seconds: 0,
    },
    { id: '2', name: 'good.pdf', status: 'Completed', reason: '', time, pages: 3, seconds: 0.5 },
  ];
});
afterEach(() => api.close());

const end = (status: RunState = 'COMPLETED_WITH_ERRORS') => {
  api.state.runs = api.state.runs.map((runRecord) => ({ ...runRecord, status, ended_at: '2026-01-02T03:06:00.000Z' }));
};
const path = (query = '') => `/api/v1/job_runs/${run.job_run_id}/log${query}`;
const get = async (query = '', user = alice) =>
  (await api.call('GET', path(query), { user })).body as unknown as RunLogPage;

test('entries are in chronological order: run, operators with duration and counts, documents with outcome', async () => {
  end();
  const { entries, next } = await get();
  expect(next).toBeNull();
  expect(entries.map(({ event }) => event)).toEqual([
    'run_created',
    'run_started',
    'operator_started',
    'operator_started',
    'document_failed',
    'warning',
    'operator_finished',
    'document_finished',
    'document_finished',
    'warning',
    'run_ended',
  ]);
  expect(entries.find(({ event }) => event === 'document_failed')).toMatchObject({
    level: 'error',
    operator: 'ingest',
    document_name: 'a.pdf',
    code: 'SOURCE_UNREADABLE',
  });
  expect(entries.find(({ event }) => event === 'operator_finished')).toMatchObject({
    seconds: 0.25,
    rows: { in: 3, out: 2, failed: 1, skipped: 0 },
  });
  expect(entries.at(-1)).toMatchObject({ level: 'error', message: 'The run is COMPLETED_WITH_ERRORS.' });
});

test('pages continue where the previous one ended, and filters by level and document apply', async () => {
  end();
  const all = (await get()).entries;
  const paged: RunLogEntry[] = [];
  for (let after: string | null = ''; after !== null;) {
    const page: RunLogPage = await get(`?limit=2&after=${after}`);
    paged.push(...page.entries);
    after = page.next;
  }
  expect(paged).toEqual(all);
  expect((await get('?level=warning')).entries.map(({ level }) => level)).not.toContain('info');
  expect((await get('?document_id=2')).entries).toMatchObject([
    { event: 'document_finished', document_name: 'good.pdf', outcome: 'completed', pages: 3, seconds: 0.5 },
  ]);
  expect((await api.call('GET', path('?level=loud'), { user: alice })).status).toBe(400);
});

test('administrators see codes without names or messages; others see no log in any format', async () => {
  end();
  for (const query of ['', '?follow=true', '?document_id=1']) {
    const { status, body } = await api.call('GET', path(query), { user: carol });
    expect(status).toBe(200);
    const text = typeof body === 'string' ? (body as string) : JSON.stringify(body);
    expect(text).not.toMatch(/secret|good\.pdf|a\.pdf|odd/);
    expect(text).toContain('DOCUMENT_CORRUPT');
    expect((await api.call('GET', path(query), { user: bob })).status).toBe(404);
  }
});

test('lines of JSON contain the same entries; a followed log returns each entry once and ends with the run', async () => {
  const client = createClient({ baseUrl: api.url, token: api.tokenOf(alice) });
  const followed: RunLogEntry[] = [];
  for await (const entry of client.jobRuns.followLog(run.job_run_id)) {
    followed.push(entry);
    if (entry.event === 'document_finished' && entry.document_id === '2') end();
  }
  expect(followed).toEqual((await get()).entries);
  const headers = { Accept: 'application/x-ndjson' };
  const reply = await api.call('GET', path(), { user: alice, headers });
  expect(reply.headers.get('Content-Type')).toContain('application/x-ndjson');
  const lines = String(reply.body).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as RunLogEntry)).toEqual(followed);
});

test('the beginning of an operator that is tried again is sent once to a reader who follows the log', async () => {
  const client = createClient({ baseUrl: api.url, token: api.tokenOf(alice) });
  const started: string[] = [];
  for await (const { event, operator = '', document_id: id } of client.jobRuns.followLog(run.job_run_id)) {
    if (event === 'operator_started') started.push(operator);
    if (id !== '2') continue;
    api.state.partsStartedAt = '2026-01-02T03:04:05.500Z';
    end();
  }
  expect((await get()).entries.map(({ time: at }) => at)).toContain('2026-01-02T03:04:05.500Z');
  expect(started.toSorted()).toEqual(['index', 'ingest']);
});

test('also if it is tried again more than a minute later', async () => {
  const client = createClient({ baseUrl: api.url, token: api.tokenOf(alice) });
  const started: string[] = [];
  for await (const { event, operator = '', document_id: id } of client.jobRuns.followLog(run.job_run_id)) {
    if (event === 'operator_started') started.push(operator);
    if (id === '2') {
      const [first] = api.state.results;
      if (first) api.state.results.push({ ...first, id: '3', time: '2026-01-02T03:05:40.000Z' });
    }
    if (id !== '3') continue;
    api.state.partsStartedAt = '2026-01-02T03:05:50.000Z';
    end();
  }
  expect(started.toSorted()).toEqual(['index', 'ingest']);
});

test('a place that no page has named is refused', async () => {
  for (const after of ['zzz', '%25', Buffer.from('2026 !').toString('base64url')])
    for (const query of [`?after=${after}`, `?follow=true&after=${after}`]) {
      const { status, body } = await api.call('GET', path(query), { user: alice });
      expect(status).toBe(400);
      expect(body).toMatchObject({ errors: [{ target: { type: 'parameter', name: 'after' } }] });
    }
});

test('a log that is followed from a place gives nothing from before it again', async () => {
  const { entries, next } = await get('?limit=4');
  const client = createClient({ baseUrl: api.url, token: api.tokenOf(alice) });
  const followed: RunLogEntry[] = [];
  for await (const entry of client.jobRuns.followLog(run.job_run_id, { after: next ?? '' })) {
    followed.push(entry);
    end();
  }
  expect([...entries, ...followed]).toEqual((await get()).entries);
});
