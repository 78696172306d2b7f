import { buildIndexParameters } from './milvus-index';

const spec = { name: 'x', engine: 'lucene' as const, spaceType: 'l2', m: 16, efConstruction: 100 };

test('each kind of index gets its own parameters only', () => {
  const all = { ...spec, lists: 64, cuts: 4, bits: 6 };
  expect(buildIndexParameters('HNSW', all, 8)).toEqual({ M: 16, efConstruction: 100 });
  expect(buildIndexParameters('IVF_FLAT', all, 8)).toEqual({ nlist: 64 });
  expect(buildIndexParameters('IVF_SQ8', spec, 8)).toEqual({ nlist: 128 });
  expect(buildIndexParameters('IVF_PQ', all, 8)).toEqual({ nlist: 64, m: 4, nbits: 6 });
  for (const kind of ['FLAT', 'DISKANN', 'AUTOINDEX']) expect(buildIndexParameters(kind, all, 8)).toEqual({});
});

test('without m a vector is cut into equal parts of about eight numbers', () => {
  const cuts = (dimension: number) => buildIndexParameters('IVF_PQ', spec, dimension)['m'];
  expect([1, 3, 8, 30, 384, 768, 1_009].map(cuts)).toEqual([1, 1, 1, 3, 48, 96, 1]);
});

test('an m that does not divide the dimension is a wrong configuration', () => {
  expect(() => buildIndexParameters('IVF_PQ', { ...spec, cuts: 3 }, 8)).toThrow(
    expect.objectContaining({ code: 'OPERATOR_CONFIGURATION_INVALID', message: expect.stringContaining('divisor') }),
  );
});
