import type { Row } from '../../model/flow/row';
import { restrictAccess, restoreIdentity } from './row-access';

const row = (id: string, more: Partial<Row> = {}): Row => ({ id, name: id, path: id, ...more });
const input = [
  row('d', {
    allowed_users: ['alice'],
    allowed_principals: ['g:login:staff'],
    denied_principals: ['u:eve'],
    required_lists: ['["g:login:board"]'],
  }),
  row('e', { allowed_users: ['bob'] }),
];

test('rows that keep their list stay the same objects', () => {
  const result = [input[0] as Row, row('d_1', { ...input[0], id: 'd_1', document_id: 'd' })];
  const kept = restrictAccess(input, result);
  expect(kept.map((row, index) => row === result[index])).toEqual([true, true]);
});

test('no operator can add readers or remove a denial, whatever it writes', () => {
  const list = { allowed_users: ['alice'], allowed_principals: ['g:login:staff'], denied_principals: ['u:eve'], required_lists: ['["g:login:board"]'] }; // prettier-ignore
  const changes: Partial<Row>[] = [
    { allowed_users: ['alice', 'mallory'] },
    { allowed_principals: ['g:login:staff', 'p:*'] },
    { denied_principals: [] },
    { denied_principals: undefined },
    { denied_principals: 'none' as never },
    { required_lists: undefined },
    { required_lists: {} as never },
  ];
  for (const change of changes) {
    const [kept] = restrictAccess(input, [{ ...(input[0] as Row), ...change }]);
    expect(kept).toEqual({ ...row('d'), ...list });
  }
});

test('a value that is not a list grants access to nobody', () => {
  const [kept] = restrictAccess(input, [{ ...(input[1] as Row), allowed_users: 'bob' as never }]);
  expect(kept?.allowed_users).toEqual([]);
});

test('an operator may restrict a row further', () => {
  const closed = { ...(input[1] as Row), allowed_users: [], denied_principals: ['p:*'] };
  expect(restrictAccess(input, [closed])).toEqual([closed]);
});

test('a row of no known document has no readers', () => {
  expect(restrictAccess(input, [row('x', { allowed_users: ['alice'], allowed_principals: ['p:*'] })])).toEqual([
    row('x', { allowed_users: [] }),
  ]);
});

describe('no operator can change which document a row is of', () => {
  const own = row('d', { source: 'file:/data', content_hash: 'h', document_ref: 'documents/job/d/h.json' });
  const plain = row('e');
  const rows = [own, plain];

  test('an input row keeps its place, whatever the operator writes', () => {
    const changes: Partial<Row>[] = [
      { document_id: 'of alice' },
      { path: '/data/of-alice' },
      { source: 'file:/of-alice' },
      { content_hash: 'of alice' },
      { parent_id: 'of alice' },
      { acl_hash: 'of alice' },
      { document_ref: 'documents/job/of-alice/h.json' },
      { document_ref: 7 as never },
    ];
    for (const change of changes)
      expect(
        restoreIdentity(rows, [
          { ...own, ...change },
          { ...plain, ...change },
        ]),
      ).toEqual(rows);
  });

  test('a new row is of a document of the input, or of none', () => {
    const chunk = row('d_1', { document_id: 'd', document_ref: own.document_ref as string });
    const foreign = row('x', { document_id: 'of alice', document_ref: 'documents/job/of-alice/h.json' });
    const [kept, other] = restoreIdentity(rows, [chunk, foreign]);
    expect(kept).toBe(chunk);
    expect(other).toEqual(row('x', { document_id: 'x' }));
    const borrowed = row('d_2', { document_id: 'd', document_ref: 'documents/job/e/h.json' });
    expect(restoreIdentity(rows, [borrowed])).toEqual([row('d_2', { document_id: 'd' })]);
  });

  test('a conversion gives a row its full form, and masking takes it away', () => {
    const converted = { ...plain, document_ref: 'documents/job/e/h.json' };
    const masked = row('d', { source: 'file:/data', content_hash: 'h' });
    expect(restoreIdentity(rows, [masked, converted])).toEqual([masked, converted]);
    expect(restoreIdentity(rows, [own])[0]).toBe(own);
  });
});
