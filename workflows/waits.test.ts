import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { createPayloadCodec } from '../services/temporal/payload-codec';
import { summarizeWaits } from './waits';

/** Of a payload with all that belongs to it. */
const maxSummaryBytes = 400;

/** In the encoding of protobuf: two bytes before each part, three before the long one. */
function measure({ metadata, data }: Payload): number {
  const entries = Object.entries(metadata ?? {}).map(([name, value]) => 6 + name.length + value.length);
  return entries.reduce((sum, bytes) => sum + bytes, 3 + (data?.length ?? 0));
}

test('a summary of waits for many servers is one that Temporal accepts, encrypted too', async () => {
  const codes = ['DATABASE_UNAVAILABLE', 'STORAGE_ERROR', 'SEARCH_CONNECTION_FAILED', 'LOCALMODEL_CONNECTION_FAILED'];
  const waiting = codes.map((code) => ({ operator: 'vectordb', part: '1', code, since: '2026-03-01T12:00:00.000Z' }));
  const summary = summarizeWaits({ waiting });
  expect(summary).toMatch(/^Waiting since 2026-03-01 12:00 UTC \(DATABASE_UNAVAILABLE\); waiting since /);
  const encoded = await createPayloadCodec([Buffer.alloc(32).toString('base64')]).encode([
    defaultPayloadConverter.toPayload(summary),
  ]);
  for (const payload of encoded) expect(measure(payload)).toBeLessThanOrEqual(maxSummaryBytes);
  for (const code of codes) expect(summary).toContain(`(${code})`);
  expect(summarizeWaits({ waiting: waiting.slice(0, 1) })).toBe(
    'Waiting since 2026-03-01 12:00 UTC: The database cannot be reached. (DATABASE_UNAVAILABLE)',
  );
});
