import type { DocumentReply } from '../../client';
import { foldRepeats, listDocumentIds } from './repeats';

const hit = (id: string, content: string, name = 'a.pdf', title = 'A'): DocumentReply => ({
  id,
  title,
  content,
  metadata: { name },
  created_at: '2026-11-01T00:00:00.000Z',
  updated_at: '2026-11-01T00:00:00.000Z',
});

test('hits that say the same are folded into the first, in the order of the search', () => {
  const folded = foldRepeats([hit('1', 'x'), hit('2', 'y'), hit('3', 'x'), hit('4', 'x')]);
  expect(folded.map(({ document, repeats }) => [document.id, ...repeats.map(({ id }) => id)])).toEqual([
    ['1', '3', '4'],
    ['2'],
  ]);
});

test('the same words in another file or below another title are another hit', () => {
  const folded = foldRepeats([hit('1', 'x'), hit('2', 'x', 'b.pdf'), hit('3', 'x', 'a.pdf', 'B')]);
  expect(folded.map(({ document }) => document.id)).toEqual(['1', '2', '3']);
});

test('a record that two indexes hold under one id is shown once, because its link opens the newest', () => {
  const folded = foldRepeats([hit('1', 'x'), hit('1', 'x'), hit('2', 'x'), hit('2', 'x')]);
  expect(folded.map(({ document, repeats }) => [document.id, ...repeats.map(({ id }) => id)])).toEqual([['1', '2']]);
});

test('a mark of a folded hit counts for each of its documents', () => {
  const of = (id: string, documentId: string) => ({ ...hit(id, 'x'), metadata: { document_id: documentId } });
  expect(listDocumentIds([of('a_0', 'a'), of('a_7', 'a'), of('b_0', 'b'), hit('c', 'x')])).toEqual(['a', 'b', 'c']);
});
