import { findDifferences, getVersionContent } from './versions';

const base = {
  flow_name: 'invoices',
  flow_version: '2.0',
  global_config: { force_ingest: true },
  flow: [
    { type: 'ingest_source', name: 'ingest', config: { provider: 'filesystem' } },
    { type: 'chunker', name: 'chunk', depends_on: ['ingest'], config: { chunk_size: 500, nested: { deep: [1, 2] } } },
  ],
};
const [ingest, chunk] = base.flow as [(typeof base.flow)[0], (typeof base.flow)[0]];
const differ = (change: object) => findDifferences(getVersionContent(base), getVersionContent({ ...base, ...change }));

test('a flow equals itself, regardless of the order of members and of missing defaults', () => {
  expect(differ({})).toEqual([]);
  expect(differ({ edges: [], tags: [], description: null })).toEqual([]);
  expect(
    differ({ flow: [{ name: 'ingest', config: { provider: 'filesystem' }, type: 'ingest_source' }, chunk] }),
  ).toEqual([]);
});

test('a changed member names its operator, with both values', () => {
  expect(differ({ flow: [ingest, { ...chunk, config: { chunk_size: 800, nested: { deep: [1] } } }] })).toEqual([
    { path: '/flow/chunk/config/chunk_size', kind: 'changed', before: 500, after: 800 },
    { path: '/flow/chunk/config/nested/deep', kind: 'changed', before: [1, 2], after: [1] },
  ]);
});

test('an operator that was added, removed or renamed is reported as a whole', () => {
  expect(differ({ flow: [ingest] })).toEqual([
    { path: '/flow/chunk', kind: 'removed', before: expect.objectContaining({ type: 'chunker' }) },
  ]);
  expect(differ({ flow: [ingest, { ...chunk, name: 'a/b' }] }).map(({ path, kind }) => `${kind} ${path}`)).toEqual([
    'removed /flow/chunk',
    'added /flow/a~1b',
  ]);
});

test('a different order of the same operators is one difference', () => {
  expect(differ({ flow: [chunk, ingest] })).toEqual([
    { path: '/flow', kind: 'changed', before: ['ingest', 'chunk'], after: ['chunk', 'ingest'] },
  ]);
});

test('secrets are masked, so a changed secret alone is not a difference', () => {
  const withKey = (api_key: string) =>
    getVersionContent({ ...base, flow: [{ ...chunk, config: { provider_config: { api_key } } }] });
  expect(JSON.stringify(withKey('sk-first'))).not.toContain('sk-first');
  expect(findDifferences(withKey('sk-first'), withKey('sk-second'))).toEqual([]);
});

test('long values are omitted, and a drawing is one difference without values', () => {
  const long = { ...base, description: 'x'.repeat(10_001), elyra: { definition: { pipelines: [{ x: 1 }] } } };
  expect(findDifferences(getVersionContent(base), getVersionContent(long))).toEqual([
    { path: '/description', kind: 'changed', before: null },
    { path: '/definition', kind: 'added' },
  ]);
  const moved = { ...long, elyra: { definition: { pipelines: [{ x: 2 }] } } };
  expect(findDifferences(getVersionContent(long), getVersionContent(moved))).toEqual([
    { path: '/definition', kind: 'changed' },
  ]);
});
