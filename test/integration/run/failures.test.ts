import { randomUUID } from 'node:crypto';
import { createFailures } from '../../../services/run/failures';
import { createLedger, type LedgerEntry } from '../../../services/run/ledger';
import type { RunDocument } from '../../../services/run/run-record';
import { connectMongo, type Mongo } from '../../../services/storage/mongo';
import { alice, bob } from '../../support/api/server';
import { runRecord } from '../../support/system/run-record';
import { until } from '../../support/system/system';

let mongo: Mongo;
beforeAll(() => {
  const address = new URL(process.env['MONGODB_URL'] ?? 'mongodb://127.0.0.1:27017/docloom');
  address.pathname = `/failures_${randomUUID().slice(0, 8)}`;
  mongo = connectMongo(address.toString());
});
afterAll(() => mongo.close());

const failed = (id: string, code = 'DOCUMENT_CORRUPT'): RunDocument => ({
  id,
  name: `${id}.pdf`,
  code,
  message: `${id}.pdf is damaged.`,
  operator: 'extract',
  outcome: 'failed',
});
const entry = (id: string): LedgerEntry => ({
  id,
  name: `${id}.pdf`,
  size: 1,
  modified_time: '',
  content_hash: 'h',
  acl_hash: '',
  status: 'failed',
  indexes: {},
  plan_hash: 'p',
  run_id: 'r',
});
const page = { limit: 10, offset: 0 };

describe('failed documents over all runs', () => {
  test('each is listed once, from its last run, until it succeeds', async () => {
    const failures = createFailures(mongo);
    const [first, second] = [1, 2].map(() => runRecord({ job_id: 'j1', flow_id: 'j1', flow_name: 'One' }));
    if (!first || !second) throw new Error('two runs are needed');
    await failures.record(first, [failed('a'), failed('b')], ['c']);
    const [before] = (await failures.list(alice, { code: 'DOCUMENT_CORRUPT' }, page)).items;
    await failures.record(second, [failed('a', 'DOCUMENT_ENCRYPTED')], ['b']);
    await failures.record(second, [failed('a', 'DOCUMENT_ENCRYPTED')], ['b']);
    const { items, total } = await failures.list(alice, {}, page);
    expect(total).toBe(1);
    expect(items).toMatchObject([
      { document_id: 'a', code: 'DOCUMENT_ENCRYPTED', job_run_id: second.job_run_id, state: 'failed', owner: 'alice' },
    ]);
    expect(items[0]?.first_failed_at).toBe(before?.first_failed_at);
    await failures.forget('j1', ['a']);
    expect((await failures.list(alice, {}, page)).total).toBe(0);
  });

  test('they are counted by group, for their owner and for administrators', async () => {
    const failures = createFailures(mongo);
    const own = runRecord({ job_id: 'j2', flow_id: 'j2', flow_name: 'Two' });
    const others = runRecord({ job_id: 'j3', flow_id: 'j3', flow_name: 'Three', owner: 'bob' });
    await failures.record(own, [failed('a'), failed('b'), failed('c', 'DOCUMENT_ENCRYPTED')], []);
    await failures.record(others, [failed('a')], []);
    expect(await failures.countByGroup(alice, {}, 'code')).toEqual([
      { key: 'DOCUMENT_CORRUPT', name: 'DOCUMENT_CORRUPT', count: 2 },
      { key: 'DOCUMENT_ENCRYPTED', name: 'DOCUMENT_ENCRYPTED', count: 1 },
    ]);
    expect(await failures.countByGroup(alice, { everyone: true }, 'flow_id')).toEqual([
      { key: 'j2', name: 'Two', count: 3 },
      { key: 'j3', name: 'Three', count: 1 },
    ]);
    expect((await failures.list(bob, {}, page)).total).toBe(1);
    await failures.forgetJob('j2');
    await failures.forgetJob('j3');
    expect((await failures.list(alice, { everyone: true }, page)).total).toBe(0);
  });

  test('pages of any size contain every document once, latest failure first', async () => {
    const failures = createFailures(mongo);
    const run = runRecord({ job_id: 'j5', flow_id: 'j5', flow_name: 'Five' });
    for (const count of [3, 1, 5, 4]) {
      const documents = Array.from({ length: count }, () => failed(randomUUID(), count === 5 ? 'OTHER' : undefined));
      await failures.record(run, documents, []);
      const { failed_at: latest } = (await failures.list(alice, {}, page)).items[0] ?? {};
      await until('the clock has moved on', () => new Date().toISOString() !== latest);
    }
    const whole = (await failures.list(alice, {}, { limit: 100, offset: 0 })).items;
    const times = whole.map(({ failed_at }) => failed_at);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(new Set(times).size).toBe(4);
    for (const limit of [1, 2, 3, 4, 5, 6, 13, 20]) {
      const pages = [];
      for (let offset = 0; offset < 13; offset += limit) {
        const { items, total } = await failures.list(alice, {}, { limit, offset });
        expect(total).toBe(13);
        pages.push(...items);
      }
      expect(pages).toEqual(whole);
    }
    expect(await failures.list(alice, { code: 'OTHER' }, { limit: 3, offset: 3 })).toMatchObject({
      items: [{}, {}],
      total: 5,
    });
    expect(await failures.list(alice, {}, { limit: 5, offset: 13 })).toEqual({ items: [], total: 13 });
    await failures.forgetJob('j5');
  });

  test('excluded documents are noted in the ledger; unreadable ones and those of others are not', async () => {
    const failures = createFailures(mongo);
    const ledger = createLedger(mongo);
    const run = runRecord({ job_id: 'j4', flow_id: 'j4' });
    await ledger.record('j4', [entry('a')]);
    await failures.record(run, [failed('a'), failed('unread')], []);
    expect(await failures.setState(bob, { flow_id: 'j4' }, 'left_out')).toBe(0);
    expect(await failures.setState(alice, { flow_id: 'j4' }, 'left_out')).toBe(1);
    expect((await ledger.lookup('j4', ['a'])).get('a')?.status).toBe('left_out');
    expect((await failures.list(alice, { state: 'left_out' }, page)).items).toMatchObject([{ document_id: 'a' }]);
    expect(await failures.setState(alice, { flow_id: 'j4' }, 'failed')).toBe(1);
    expect((await ledger.lookup('j4', ['a'])).get('a')?.status).toBe('failed');
  });

  test('ignored ones stay ignored until they fail with another code; runs retry them', async () => {
    const failures = createFailures(mongo);
    const ledger = createLedger(mongo);
    const run = runRecord({ job_id: 'j5', flow_id: 'j5' });
    await ledger.record('j5', [entry('a')]);
    await failures.record(run, [failed('a')], []);
    expect(await failures.setIgnored(bob, { flow_id: 'j5' }, true)).toBe(0);
    expect(await failures.setIgnored(alice, { flow_id: 'j5' }, true)).toBe(1);
    expect((await ledger.lookup('j5', ['a'])).get('a')?.status).toBe('failed');
    await failures.record(run, [failed('a')], []);
    const states = async () => (await failures.list(alice, { flow_id: 'j5' }, page)).items.map(({ state }) => state);
    expect(await states()).toEqual(['ignored']);
    await failures.record(run, [{ ...failed('a'), code: 'DOCUMENT_TOO_LARGE' }], []);
    expect(await states()).toEqual(['failed']);
    expect(await failures.setIgnored(alice, { flow_id: 'j5' }, true)).toBe(1);
    expect(await failures.setIgnored(alice, { flow_id: 'j5' }, false)).toBe(1);
    expect(await states()).toEqual(['failed']);
  });
});
