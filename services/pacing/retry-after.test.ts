import { parseRetryAfterMs } from './retry-after';

describe('retryAfterMs', () => {
  const now = Date.parse('Wed, 21 Oct 2015 07:28:00 GMT');
  test.each([
    ['3', 3_000],
    ['0', 0],
    ['0.5', 500],
    ['Wed, 21 Oct 2015 07:28:10 GMT', 10_000],
    ['Wed, 21 Oct 2015 07:27:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s waits for %s ms', (header, expected) => {
    expect(parseRetryAfterMs(header, now)).toBe(expected);
  });
});
