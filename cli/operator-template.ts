/** The source of a new operator, which counts words. Its comments explain what else an operator can do. */
export function writeOperatorTemplate(name: string): string {
  return `/** Describes the operator; read without running it. 'config' is a JSON Schema; its defaults are filled in. */
export const operator = {
  name: '${name}',
  label: '${name.replaceAll('_', ' ')}',
  summary: 'Counts the words of each text.',
  // Extract, Functional, Quality or Storage.
  category: 'Quality',
  // 'row': called with each part of a run. 'table': called once with all rows.
  scope: 'row',
  // Permissions beyond computing; none by default. Paths are relative to this file.
  // permissions: { network: true, read: ['data/*'], write: [], processes: false, addons: false },
  // Columns that must exist, and columns that it adds.
  reads: ['content'],
  writes: ['${name}_words'],
  config: {
    type: 'object',
    properties: {
      least: { type: 'integer', minimum: 0, default: 0, description: 'Leave out texts with fewer words.' },
    },
    additionalProperties: false,
  },
};

/**
 * Returns new rows and leaves the given rows unchanged; the same rows give the same result. Access lists cannot be changed.
 * 'context' has 'signal' (stop when it is aborted), 'progress(done, total)', 'operator' (its name in the flow) and 'run'
 * ({runId, jobId, owner, startedAt}).
 */
export async function run(rows, config, context) {
  const kept = [];
  const skipped = [];
  const failed = [];
  for (const [index, row] of rows.entries()) {
    context.signal.throwIfAborted();
    context.progress(index, rows.length);
    if (typeof row.content !== 'string') {
      failed.push({ id: row.id, name: row.name, message: 'It has no text.' });
      continue;
    }
    const words = row.content.split(/\\s+/).filter(Boolean).length;
    if (words < config.least) skipped.push({ id: row.id, name: row.name, reason: \`It has \${words} words\` });
    else kept.push({ ...row, ${name}_words: words });
  }
  return { rows: kept, skipped, failed, warnings: [], metrics: { words_counted: kept.length } };
}
`;
}

/** The test of a new operator, for Node's test runner. */
export function writeOperatorTestTemplate(name: string): string {
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operator, run } from './${name}.mjs';

const context = { signal: new AbortController().signal, progress: () => undefined, operator: operator.name, run: {} };
const row = (id, content) => ({ id, name: id, path: id, content, allowed_users: ['alice'] });

test('words are counted, short texts are left out, rows without text fail', async () => {
  const rows = [row('a', 'one two three'), row('b', 'one'), row('c', undefined)];
  const before = structuredClone(rows);
  const result = await run(rows, { least: 2 }, context);
  assert.deepEqual(result.rows, [{ ...rows[0], ${name}_words: 3 }]);
  assert.deepEqual(result.skipped.map(({ id }) => id), ['b']);
  assert.deepEqual(result.failed.map(({ id }) => id), ['c']);
  assert.deepEqual(rows, before);
});
`;
}
