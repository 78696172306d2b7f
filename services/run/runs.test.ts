import { randomBytes } from 'node:crypto';
import { createPayloadCodec } from '../temporal/payload-codec';
import { readOutages } from './runs';

const beating = (name: string, pulse: unknown) => ({
  activityType: { name },
  heartbeatDetails: { payloads: [{ data: Buffer.from(JSON.stringify(pulse)) }] },
});

describe('reasons for waiting', () => {
  test('are those that the activities send with their heartbeat, once per operator, earliest first', async () => {
    const message = 'OpenSearch at 127.0.0.1:9200 does not answer.';
    const until = '2026-01-03T12:03:00.000Z';
    const pulse = (since: string) => ({ done: 1, waitingFor: `SEARCH_CONNECTION_FAILED: ${message}`, since, until });
    const outages = await readOutages([
      beating('vectordb', pulse('2026-01-02T12:05:00.000Z')),
      beating('vectordb', pulse('2026-01-02T12:03:00.000Z')),
      beating('chunker', { done: 3, total: 5 }),
    ]);
    expect(outages).toEqual([
      { operator: 'vectordb', code: 'SEARCH_CONNECTION_FAILED', message, since: '2026-01-02T12:03:00.000Z', until },
    ]);
  });

  test('are absent if an activity has no heartbeat, sends something else, or waits no longer', async () => {
    const since = '2026-01-02T12:03:00.000Z';
    const beats = [{}, { activityType: { name: 'x' } }, beating('x', { since }), beating('y', 'text')];
    expect(await readOutages(beats)).toEqual([]);
  });

  test('is read where payloads are encrypted, and not without the key', async () => {
    const [codec, other] = [1, 2].map(() => createPayloadCodec([randomBytes(32).toString('base64')]));
    const pulse = { waitingFor: 'CONNECTION_ERROR: away', since: '2026-01-02T12:03:00.000Z' };
    const data = Buffer.from(JSON.stringify(pulse));
    const payloads = await codec!.encode([{ metadata: { encoding: Buffer.from('json/plain') }, data }]);
    const beats = [{ activityType: { name: 'x' }, heartbeatDetails: { payloads } }];
    expect(await readOutages(beats, [codec!])).toMatchObject([{ operator: 'x', code: 'CONNECTION_ERROR' }]);
    expect(await readOutages(beats, [other!])).toEqual([]);
    expect(await readOutages(beats)).toEqual([]);
  });
});
