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

test('the media type, for which the text may be decoded, is looked at only if the name tells nothing', () => {
  const looked = jest.fn();
  const spied = formats.map((format): Format => {
    return Object.defineProperty({ ...format }, 'mediaTypes', { get: () => (looked(), format.mediaTypes) });
  });
  const head = Buffer.from('Grüße', 'latin1');
  expect(detectFormat({ name: 'report.md', mimetype: 'text/plain', head }, spied)?.name).toBe('md');
  expect(looked).not.toHaveBeenCalled();
  expect(detectFormat({ name: 'report', mimetype: 'text/plain', head }, spied)?.name).toBe('text');
  expect(looked).toHaveBeenCalled();
});
