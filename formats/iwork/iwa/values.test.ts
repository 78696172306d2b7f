import { formatDate } from './date-format';
import { formatDuration } from './duration-format';
import { Message } from './message';

const moment = Date.UTC(2014, 11, 5, 14, 3, 9);

test.each([
  [undefined, '2014-12-05 14:03:09'],
  ['y-MM-dd', '2014-12-05'],
  ['d. MMMM yyyy, h:mm a', '5. December 2014, 2:03 PM'],
  ["EEE d/M/yy 'o''clock' H.mm.ss", "Fri 5/12/14 o'clock 14.03.09"],
])('a date with the pattern %s', (pattern, text) => {
  expect(formatDate(moment, pattern).text).toBe(text);
});

test('a long pattern does not make every cell as long', () => {
  expect(formatDate(moment, 'y'.repeat(1_000_000)).text).toBe('2014-12-05 14:03:09');
});

/** Fields below 16 with values below 128, and the automatic units. */
const format = (...fields: [number, number][]) =>
  new Message(
    Uint8Array.from(
      fields.flatMap(([field, value]) =>
        field < 16 ? [field * 8, value] : [((field * 8) & 0x7f) | 0x80, field >> 4, value],
      ),
    ),
  );

test.each([
  ['automatic units', 5_400, format([7, 1], [40, 1]), '1h 30m'],
  ['colons', 3_725, format([7, 0], [15, 4], [16, 16]), '1:02:05'],
  ['words', -90, format([7, 2], [15, 8], [16, 16]), '-1 minute 30 seconds'],
  ['a fraction of the smallest unit', 90, format([7, 1], [15, 8], [16, 8]), '1.5m'],
  ['nothing', 0, undefined, '0h 0m'],
])('a duration with %s', (_, seconds, value, text) => {
  expect(formatDuration(seconds, value)).toEqual({ text, value: seconds });
});
