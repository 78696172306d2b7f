import { outagesOf } from './runs';

const beating = (name: string, pulse: unknown) => ({
  activityType: { name },
  heartbeatDetails: { payloads: [{ data: Buffer.from(JSON.stringify(pulse)) }] },
});

describe('what a run waits for', () => {
  test('is what its activities beat, once per operator, from the earliest on', () => {
    const message = 'OpenSearch at 127.0.0.1:9200 does not answer.';
    const pulse = (since: string) => ({ done: 1, waitingFor: `SEARCH_CONNECTION_FAILED: ${message}`, since });
    const outages = outagesOf([
      beating('vectordb', pulse('2026-01-02T12:05:00.000Z')),
      beating('vectordb', pulse('2026-01-02T12:03:00.000Z')),
      beating('chunker', { done: 3, total: 5 }),
    ]);
    expect(outages).toEqual([
      { operator: 'vectordb', code: 'SEARCH_CONNECTION_FAILED', message, since: '2026-01-02T12:03:00.000Z' },
    ]);
  });

  test('is nothing where an activity has not beaten, beats something else, or waits no more', () => {
    const since = '2026-01-02T12:03:00.000Z';
    expect(outagesOf([{}, { activityType: { name: 'x' } }, beating('x', { since }), beating('y', 'text')])).toEqual([]);
  });
});
