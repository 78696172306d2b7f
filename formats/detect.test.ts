import { detectFormat } from './detect';
import type { Format } from './format';
import { formats } from './list';

const nothing = new Uint8Array();

test('a listing, which knows only names, does not look for signs in content that it has not read', () => {
  // The result is the same: no format claims a file without bytes.
  expect(formats.filter(({ sniff }) => sniff?.(nothing)).map(({ name }) => name)).toEqual([]);
  const sniff = jest.fn(() => false);
  const spied: Format[] = formats.map((format) => ({ ...format, sniff }));
  expect(detectFormat({ name: 'report.md', head: nothing }, spied)?.name).toBe(
    detectFormat({ name: 'report.md', head: nothing })?.name,
  );
  expect(sniff).not.toHaveBeenCalled();
  detectFormat({ name: 'report.md', head: new Uint8Array([1]) }, spied);
  expect(sniff).toHaveBeenCalled();
});
