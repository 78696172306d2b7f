import { embedByHashing, hashText } from './hashing';

const never = new AbortController().signal;
const dot = (a: number[], b: number[]) => a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
const length = (vector: number[]) => Math.sqrt(dot(vector, vector));

describe('hashText', () => {
  test('the formula gives these vectors (computed by a second program), so that an index stays comparable', () => {
    const rounded = (text: string, dimension: number) =>
      hashText(text, dimension).map((value) => Number(value.toFixed(6)));
    expect(rounded('Hello, world', 8)).toEqual([0, 0.57735, 0, 0, 0.57735, 0, 0.57735, 0]);
    expect(rounded('a a', 16)).toEqual([0, 0, 0, -0.861037, 0, 0, 0, 0, 0, -0.508542, 0, 0, 0, 0, 0, 0]);
  });

  test.each([
    'short',
    'a longer text with many words, and words again',
    '数据库 检索',
    'ไทย',
    '',
    '   ',
    '!!! ---',
    '\u0000',
    '😀',
  ])('%j gives a vector of length 1', (text) => {
    expect(hashText(text, 384)).toHaveLength(384);
    expect(length(hashText(text, 384))).toBeCloseTo(1, 6);
  });

  test('a text without words gives equal components', () => {
    expect(hashText(' ?! ', 4)).toEqual([0.5, 0.5, 0.5, 0.5]);
  });

  test('case, width and punctuation do not matter; the order of words does', () => {
    expect(hashText('Ｔｈｅ Invoice!', 384)).toEqual(hashText('the, invoice', 384));
    expect(hashText('a b', 384)).not.toEqual(hashText('b a', 384));
  });

  test('texts that share words are nearer to each other than texts that do not', () => {
    const invoice = hashText('The invoice was paid by the customer in March', 384);
    const similar = hashText('A customer paid an invoice in April', 384);
    const other = hashText('Penguins swim under thick polar ice', 384);
    expect(dot(invoice, similar)).toBeGreaterThan(dot(invoice, other) + 0.2);
  });

  test('a text of ASCII has the features that the Unicode rule finds', () => {
    const text = 'The 2nd quarter: net_sales rose by 3.5 % (see "Annex B-12")...  x\n';
    const separate =
      text
        .toLowerCase()
        .match(/[a-z0-9]+/g)
        ?.join(' ') ?? '';
    expect(hashText(text, 384)).toEqual(hashText(separate, 384));
    // A full-width character takes the other code path, and becomes the same letter.
    expect(hashText(text.replace('T', 'Ｔ'), 384)).toEqual(hashText(text, 384));
  });

  test('characters of scripts without blanks are words', () => {
    expect(dot(hashText('数据库系统', 384), hashText('数据库检索', 384))).toBeGreaterThan(0.3);
  });
});

describe('embedByHashing', () => {
  test('vectors have the order of the texts, and progress ends at their number', async () => {
    const done: number[] = [];
    const texts = Array.from({ length: 50 }, (_, index) => `text ${index} ${'word '.repeat(500)}`);
    const vectors = await embedByHashing(texts, 32, never, (count) => done.push(count));
    expect(vectors).toEqual(texts.map((text) => hashText(text, 32)));
    expect(done.at(-1)).toBe(50);
  });

  test('an abort ends it between texts', async () => {
    const controller = new AbortController();
    const texts = Array.from({ length: 100 }, () => 'word '.repeat(20_000));
    const work = embedByHashing(
      texts,
      32,
      controller.signal,
      (done) => done >= 2 && controller.abort(new Error('stop')),
    );
    await expect(work).rejects.toThrow('stop');
  });

  test('no texts give no vectors', async () => {
    await expect(embedByHashing([], 384, never)).resolves.toEqual([]);
  });
});
