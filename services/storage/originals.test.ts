import { createOriginals } from './originals';

test.each([
  ['a Buffer', (text: string) => Buffer.from(text)],
  ['an array of bytes', (text: string) => new TextEncoder().encode(text)],
])('the copy of %s does not share memory with the original', (_name, make) => {
  const bytes = make('the original');
  const copy = createOriginals(1).copy(bytes);
  bytes.fill(0);
  expect(new TextDecoder().decode(copy)).toBe('the original');
});

test('a value over the configured limit is not copied, and with a limit of zero nothing is', () => {
  expect(createOriginals(1).copy(new Uint8Array(1024 * 1024 + 1))).toBeUndefined();
  expect(createOriginals(0).copy(new Uint8Array(1))).toBeUndefined();
});
