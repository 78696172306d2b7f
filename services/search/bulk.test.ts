import { listRequests } from './bulk';

const action = (id: string, bytes: number) => ({ id, lines: ['x'.repeat(bytes - 1)] });
const sizes = (lengths: number[]) =>
  listRequests(lengths.map((bytes, index) => action(String(index), bytes))).map((request) => request.length);
const mega = 1024 * 1024;

describe('requestsOf', () => {
  test('a request holds at most 5 MB', () => {
    expect(sizes([2 * mega, 2 * mega, mega, 1 + mega])).toEqual([3, 1]);
  });
  test('an action that is larger than a request is sent alone', () => {
    expect(sizes([10, 6 * mega, 10, 10])).toEqual([1, 1, 2]);
  });
  test('a request holds at most 1,000 actions, in their order', () => {
    expect(sizes(Array.from({ length: 2_001 }, () => 10))).toEqual([1_000, 1_000, 1]);
    const requests = listRequests(Array.from({ length: 1_500 }, (_, index) => action(String(index), 10)));
    expect(requests.flat().map(({ id }) => Number(id))).toEqual(Array.from({ length: 1_500 }, (_, index) => index));
  });
  test('bytes are counted, not characters', () => {
    expect(
      listRequests([
        { id: 'a', lines: ['€'.repeat(mega)] },
        { id: 'b', lines: ['€'.repeat(mega)] },
      ]),
    ).toHaveLength(2);
  });
  test('no actions make no request', () => {
    expect(listRequests([])).toEqual([]);
  });
});
