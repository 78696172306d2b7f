import { contextFor, documentRow } from '../../test/support/operators/operator-test-support';
import { run } from './run';
import { docIdHash } from './schema';

test('equal texts have equal hashes under any name', async () => {
  const { rows } = await run(
    [documentRow('a', 'text'), documentRow('b', 'text'), documentRow('c', 'Text')],
    {},
    contextFor(),
  );
  // sha256 of "text", as any tool prints it.
  expect(rows[0]?.['doc_id_hash']).toBe('982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1');
  expect(rows[1]?.['doc_id_hash']).toBe(rows[0]?.['doc_id_hash']);
  expect(rows[2]?.['doc_id_hash']).not.toBe(rows[0]?.['doc_id_hash']);
});

test('the configuration selects the columns, and a row without text has no id and causes a warning', async () => {
  const config = { doc_column: 'summary', doc_id_hash_column: 'key' };
  const { rows, warnings } = await run(
    [documentRow('a', 'x', { summary: '' }), documentRow('b', 'x')],
    config,
    contextFor(),
  );
  expect(rows[0]?.['key']).toHaveLength(64);
  expect(rows[1]).toEqual(documentRow('b', 'x'));
  expect(warnings).toEqual(['1 row without text in the column summary got no hash.']);
});

test('the hash cannot replace a column that rows must keep', () => {
  expect(docIdHash.validate({ doc_id_hash_column: 'content' })).toMatchObject([
    { severity: 'error', pointer: '/doc_id_hash_column' },
  ]);
  expect(docIdHash.validate({})).toEqual([]);
});
