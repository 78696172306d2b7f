import type { Row } from '../../model/flow/row';
import { contextFor, documentRow } from '../../test/support/operators/operator-test-support';
import { run } from './run';
import { merge, type MergeConfig } from './schema';

const merged = (config: MergeConfig, ...inputs: Row[][]) =>
  run(
    inputs.flat(),
    config,
    contextFor({}, { inputs: inputs.map((rows, index) => ({ name: `way ${index + 1}`, rows })) }),
  );
const a = documentRow('a', 'one');
const b = documentRow('b', 'two');
const c = documentRow('c', 'three');
const ids = (rows: readonly Row[]) => rows.map(({ id }) => id);

describe('by rows', () => {
  test('the rows of all inputs follow each other', async () => {
    const result = await merged({ merge_type: 'rows' }, [c], [a, b], []);
    expect(ids(result.rows)).toEqual(['c', 'a', 'b']);
    expect(result.failed).toEqual([]);
  });

  test('a row from two branches fails its document with both names, and the others continue', async () => {
    const chunk = (index: number) => documentRow(`d_${index}`, 'x', { document_id: 'd', chunk_index: index });
    const result = await merged({ merge_type: 'rows' }, [a, chunk(0), chunk(1)], [b, chunk(1)]);
    expect(ids(result.rows)).toEqual(['a', 'b']);
    expect(result.failed).toMatchObject([{ id: 'd', code: 'OPERATOR_EXECUTION_FAILED' }]);
    expect(result.failed?.[0]?.message).toContain("'way 1' and 'way 2' both return it");
    expect(result.metrics).toEqual({ duplicate_rows: 1 });
  });

  test('with on_duplicate first the row of the first input stays', async () => {
    const result = await merged({ merge_type: 'rows', on_duplicate: 'first' }, [a], [{ ...a, content: 'other' }, b]);
    expect(result.rows).toEqual([a, b]);
    expect(result.failed).toEqual([]);
  });
});

describe('by columns', () => {
  test('inner_join keeps the rows that every input has, with the columns of all', async () => {
    const result = await merged(
      { merge_type: 'columns', column_option: 'inner_join' },
      [{ ...a, words: 1 }, b],
      [{ ...a, language: 'en' }, c],
    );
    expect(result.rows).toEqual([{ ...a, words: 1, language: 'en' }]);
    expect(result.skipped?.map(({ id }) => id)).toEqual(['b', 'c']);
  });

  test('full_outer keeps all rows', async () => {
    const result = await merged({ merge_type: 'columns', column_option: 'full_outer' }, [a, b], [c, { ...b, x: 1 }]);
    expect(result.rows).toEqual([a, { ...b, x: 1 }, c]);
  });

  test('conflicting columns get the number of their input; identifying columns do not', async () => {
    const result = await merged(
      { merge_type: 'columns', column_option: 'inner_join' },
      [{ ...a, embeddings: [1, 2], path: '/one' }],
      [{ ...a, embeddings: [3, 4], path: '/two' }],
    );
    expect(result.rows).toEqual([{ ...a, path: '/one', embeddings: [1, 2], embeddings_2: [3, 4] }]);
  });

  test('the merged row can be read by those who may read it in every input', async () => {
    const result = await merged(
      { merge_type: 'columns', column_option: 'full_outer' },
      [{ ...a, allowed_users: ['alice', 'bob'] }],
      [{ ...a, allowed_users: ['bob', 'carol'] }],
    );
    expect(result.rows[0]?.allowed_users).toEqual(['bob']);
  });

  test('an input with a duplicate id fails the document', async () => {
    const result = await merged({ merge_type: 'columns', column_option: 'inner_join' }, [a, a, b], [a, b]);
    expect(ids(result.rows)).toEqual(['b']);
    expect(result.failed).toMatchObject([{ id: 'a', message: expect.stringContaining("'way 1' returns it twice") }]);
  });

  test('an input without rows in this part leaves an inner join empty', async () => {
    const flow = {
      flow_name: 'f',
      flow: [
        { type: 'noop', name: 'x' },
        { type: 'noop', name: 'y' },
        { type: 'merge', name: 'tested', depends_on: ['x', 'y'] },
      ],
    };
    const context = contextFor();
    const config = { merge_type: 'columns', column_option: 'inner_join' } as const;
    const { rows, skipped } = await run([a], config, { ...context, run: { ...context.run, flow } });
    expect(rows).toEqual([]);
    expect(skipped).toHaveLength(1);
  });
});

test('columns can be dropped, never those that a row must keep', async () => {
  const result = await merged({ merge_type: 'rows', features_to_drop: ['x', 'content'] }, [{ ...a, x: 1 }], [b]);
  expect(result.rows).toEqual([a, b]);
});

test.each([
  [{}, 'MERGE_TYPE_NOT_PROVIDED'],
  [{ merge_type: 'sideways' }, 'INVALID_MERGE_TYPE'],
  [{ merge_type: 'columns' }, 'MERGE_COLUMN_OPTION_NOT_PROVIDED'],
  [{ merge_type: 'columns', column_option: 'left' }, 'MERGE_INVALID_COLUMN_OPTION'],
  [{ merge_type: 'columns', column_option: 'full_outer' }, undefined],
])('%j gives %s', (config, code) => {
  expect(merge.validate(config)[0]?.messageCode).toBe(code);
});
