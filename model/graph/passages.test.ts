import { buildPassage, joinPassages, joinUnderHeadings } from './passages';

const chunk = (chunk_index: number, content: string, headings: unknown, start_index?: number) =>
  buildPassage(content, 'a.md', { chunk_index, headings, start_index });

test('chunks stand under the headings that change before them', () => {
  const passages = [
    chunk(2, 'City: Leith', ['Order', 'Supplier']),
    chunk(0, 'Date: today', ['Order']),
    chunk(1, 'Name: Acme', ['Order', 'Supplier']),
    chunk(3, 'Name: Board', ['Order', 'Buyer\nand payer']),
  ];
  expect(joinUnderHeadings(passages)).toBe(
    '# Order\n\nDate: today\n\n## Supplier\n\nName: Acme\n\nCity: Leith\n\n## Buyer and payer\n\nName: Board',
  );
});

test('headings that a chunk repeats before its text are joined once', () => {
  const passages = [chunk(0, 'Order\nSupplier\nName: Acme', ['Order', 'Supplier']), chunk(1, 'Order\nSupplier\nCity: Leith', ['Order', 'Supplier'])]; // prettier-ignore
  expect(joinUnderHeadings(passages)).toBe('# Order\n\n## Supplier\n\nName: Acme\n\nCity: Leith');
});

test('chunks with an offset contain their headings, so none are added', () => {
  const passages = [chunk(0, 'Supplier\nName: Ac', ['Supplier'], 0), chunk(1, 'Acme', ['Supplier'], 15)];
  expect([joinUnderHeadings(passages), joinPassages(passages)]).toEqual([
    'Supplier\nName: Acme',
    'Supplier\nName: Acme',
  ]);
});

test('headings that are no list of texts are ignored', () => {
  for (const headings of [undefined, null, 'Order', [1, null], []])
    expect(joinUnderHeadings([chunk(0, 'text', headings)])).toBe('text');
});
