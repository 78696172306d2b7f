import { expandBzz } from './bzz';
import { stream } from './djvu-test-support';

const ignore = () => undefined;

test('a stream of one block, and one of four', () => {
  expect(expandBzz(stream('short'), ignore).toString()).toBe('Sand and shingle.');
  const sizes: number[] = [];
  const text = expandBzz(stream('blocks'), (size) => void sizes.push(size)).toString();
  expect(text).toBe('The tide rises twice a day. '.repeat(1200));
  expect(sizes).toEqual([10240, 10240, 10240, 2884]);
});

test('the size of a block is reported before the block is expanded', () => {
  const refuse = () => {
    throw new RangeError('enough');
  };
  expect(() => expandBzz(stream('blocks'), refuse)).toThrow('enough');
});

test('every cut and every changed byte ends', () => {
  const bytes = stream('short');
  for (let at = 0; at < bytes.length; at += 1)
    for (const changed of [bytes.subarray(0, at), Buffer.from(bytes).fill(bytes[at]! ^ 0x55, at, at + 1)]) {
      let code = 'none';
      try {
        expandBzz(changed, ignore);
      } catch (error) {
        code = (error as { code: string }).code;
      }
      expect(['none', 'DOCUMENT_CORRUPT']).toContain(code);
    }
});

test('a block that is too large or has no end is damage; no bytes are no blocks', () => {
  for (const bytes of [Buffer.alloc(4), stream('blocks').subarray(0, 20)])
    expect(() => expandBzz(bytes, ignore)).toThrow(expect.objectContaining({ code: 'DOCUMENT_CORRUPT' }));
  expect(expandBzz(Buffer.alloc(0), ignore)).toHaveLength(0);
});
