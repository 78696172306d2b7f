import type { Conversion } from '../../../model/review/conversion';
import { createReviews } from '../../../services/review/reviews';
import { alice, bob } from '../../support/api/server';
import { openDatabase } from '../../support/system/database';
import { runRecord } from '../../support/system/run-record';

const mongo = openDatabase();
afterAll(() => mongo.close());

const doubtful = (id: string, change: Partial<Conversion> = {}): Conversion => ({
  id,
  name: `${id}.pdf`,
  version: 'v1',
  pages: 2,
  confidence: 0.4,
  doubts: [{ code: 'low_confidence', message: 'one page', pages: [2] }],
  isCorrected: false,
  ...change,
});
const page = { limit: 10, offset: 0 };

describe('the review queue', () => {
  test('a decision applies until the content changes; a confident conversion leaves the queue', async () => {
    const reviews = createReviews(mongo);
    const run = runRecord({ job_id: 'j1', flow_id: 'f1' });
    await reviews.record(run, 'extract', [doubtful('a'), doubtful('b'), doubtful('c', { doubts: [] })]);
    const { items } = await reviews.list(alice, { state: 'open' }, page);
    expect(items.map(({ name }) => name).toSorted()).toEqual(['a.pdf', 'b.pdf']);
    const a = items.find(({ name }) => name === 'a.pdf');
    if (!a) throw new Error('a is missing');
    expect(await reviews.decide(bob, { ids: [a.id], state: 'open' }, 'accepted')).toBe(0);
    expect(await reviews.decide(alice, { ids: [a.id], state: 'open' }, 'accepted')).toBe(1);
    await reviews.record(run, 'extract', [doubtful('a'), doubtful('b', { doubts: [] })]);
    expect(await reviews.list(alice, {}, page)).toMatchObject({
      total: 1,
      items: [{ state: 'accepted', decided_by: 'alice' }],
    });
    await reviews.record(run, 'extract', [doubtful('a', { version: 'v2' })]);
    expect(await reviews.get(alice, a.id)).toMatchObject({ state: 'open', decided_by: null, version: 'v2' });
    expect(await reviews.get(bob, a.id)).toBeUndefined();
  });

  test('a corrected document stays corrected, and its last run is known', async () => {
    const reviews = createReviews(mongo);
    const [first, second] = [1, 2].map(() => runRecord({ job_id: 'j2', flow_id: 'f2' }));
    if (!first || !second) throw new Error('two runs are needed');
    await reviews.record(first, 'extract', [doubtful('a')]);
    const [{ id } = { id: '' }] = (await reviews.list(alice, { flow_id: 'f2' }, page)).items;
    expect(await reviews.decide(alice, { ids: [id], version: 'v0' }, 'corrected')).toBe(0);
    await reviews.decide(alice, { ids: [id], version: 'v1' }, 'corrected');
    await reviews.record(second, 'extract', [doubtful('a', { doubts: [], isCorrected: true })]);
    expect(await reviews.get(alice, id)).toMatchObject({ state: 'corrected', job_run_id: second.job_run_id });
    expect((await reviews.list(alice, { flow_id: 'f2', code: 'pages_unread' }, page)).total).toBe(0);
    expect(await reviews.forget('j2', ['a', 'z'])).toBe(1);
    await reviews.record(first, 'extract', [doubtful('a')]);
    await reviews.forgetJob('f2');
    expect((await reviews.list(alice, { flow_id: 'f2' }, page)).total).toBe(0);
  });
});
