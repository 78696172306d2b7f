import { randomBytes } from 'node:crypto';
import { createPageCursors } from './page-cursors';
import { createSealer } from './sealing/sealer';

const key = randomBytes(32).toString('base64');
const cursors = createPageCursors(createSealer(() => [key]));

test('a cursor leads back to its key, at its place only', () => {
  const cursor = cursors.seal('secret-document', 'list/bob');
  expect(cursors.open(cursor, 'list/bob')).toBe('secret-document');
  expect(cursors.open(cursor, 'list/eve')).toBeUndefined();
});

test('a cursor hides its key and differs each time', () => {
  const cursor = cursors.seal('secret-document', 'list/bob');
  expect(Buffer.from(cursor, 'base64url').toString()).not.toContain('secret');
  expect(cursors.seal('secret-document', 'list/bob')).not.toBe(cursor);
});

test.each(['', 'x', 'secret-document', Buffer.from('plain').toString('base64url')])('%j is not a cursor', (text) => {
  expect(cursors.open(text, 'list/bob')).toBeUndefined();
});

test('a cursor signed with another key is rejected', () => {
  const other = createPageCursors(createSealer(() => [randomBytes(32).toString('base64')]));
  expect(cursors.open(other.seal('a', 'list/bob'), 'list/bob')).toBeUndefined();
});
