import { fuse } from './ranking';

const hit = (id: string, index = 'a') => ({ id, index });
const ids = (hits: { id: string }[]) => hits.map(({ id }) => id);

describe('fuse', () => {
  test('one ranking keeps its order', () => {
    expect(ids(fuse([[hit('c'), hit('a'), hit('b')]]))).toEqual(['c', 'a', 'b']);
  });

  test('what is high in both comes before what is first in one', () => {
    expect(
      ids(
        fuse([
          [hit('x'), hit('both')],
          [hit('y'), hit('both')],
        ]),
      ),
    ).toEqual(['both', 'x', 'y']);
  });

  test('equal scores are ordered by id, whichever ranking comes first', () => {
    const one = [hit('b')];
    const other = [hit('a')];
    expect(ids(fuse([one, other]))).toEqual(['a', 'b']);
    expect(ids(fuse([other, one]))).toEqual(['a', 'b']);
  });

  test('records of the same id in two indexes are two', () => {
    expect(fuse([[hit('a', 'one')], [hit('a', 'two')]])).toHaveLength(2);
  });
});
