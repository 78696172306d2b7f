import { findCurrentTrace, parseTraceparent, buildTraceHeaders, formatTraceparent, runInTrace } from './trace-context';

const header = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('a traceparent is read and written', () => {
  const context = parseTraceparent(header);
  expect(context).toEqual({
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    isSampled: true,
  });
  expect(context && formatTraceparent(context)).toBe(header);
  expect(parseTraceparent(header.replace(/01$/, '00'))?.isSampled).toBe(false);
  // A later version may have more members.
  expect(parseTraceparent(`cc${header.slice(2)}-more`)?.traceId).toBe(context?.traceId);
});

test.each([
  undefined,
  '',
  'x'.repeat(10_000),
  header.toUpperCase(),
  header.slice(0, -3),
  `ff${header.slice(2)}`,
  header.replace('0af7651916cd43dd8448eb211c80319c', '0'.repeat(32)),
  header.replace('b7ad6b7169203331', '0'.repeat(16)),
  `${header}\r\nX-Evil: 1`,
])('an invalid traceparent is ignored: %#', (value) => expect(parseTraceparent(value)).toBeUndefined());

test('work knows its current span, even after waiting', async () => {
  const context = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true };
  expect([findCurrentTrace(), buildTraceHeaders()]).toEqual([undefined, {}]);
  await runInTrace(context, async () => {
    await new Promise(setImmediate);
    expect(buildTraceHeaders()).toEqual({ traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` });
  });
  expect(findCurrentTrace()).toBeUndefined();
});
