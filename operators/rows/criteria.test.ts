import { AppError } from '../../model/errors';
import { writeCriteria, writeList, listVariables } from './criteria';

const leaf = (operator: string, value?: unknown) => writeCriteria({ variable: 'size', operator, value });

test.each([
  ['=', 5, '("size" = 5)'],
  ['==', 'x', `("size" = 'x')`],
  ['!=', true, '("size" <> TRUE)'],
  ['<>', false, '("size" <> FALSE)'],
  ['>', -1.5, '("size" > -1.5)'],
  ['<', 1e21, '("size" < 1e+21)'],
  ['>=', 0, '("size" >= 0)'],
  ['<=', 0, '("size" <= 0)'],
  ['LIKE', '%a_', `("size" LIKE '%a_')`],
  ['Not  Like', 'a', `("size" NOT LIKE 'a')`],
  ['in', [1, "o'x"], `("size" IN (1, 'o''x'))`],
  ['NOT IN', ['a'], `("size" NOT IN ('a'))`],
  ['is null', undefined, '("size" IS NULL)'],
  ['IS NOT NULL', 'ignored', '("size" IS NOT NULL)'],
  ['between', [1, 2], '("size" BETWEEN 1 AND 2)'],
])('%s becomes SQL', (operator, value, sql) => {
  expect(leaf(operator, value)).toBe(sql);
});

test('groups keep their structure', () => {
  const criteria = {
    logical_operator: 'or',
    criteria_list: [
      { variable: 'a', operator: '=', value: 1 },
      {
        logical_operator: 'AND',
        criteria_list: [
          { variable: 'b', operator: '>', value: 2 },
          { variable: 'c', operator: 'is null' },
        ],
      },
    ],
  };
  expect(writeCriteria(criteria)).toBe('(("a" = 1) OR (("b" > 2) AND ("c" IS NULL)))');
  expect(listVariables(criteria)).toEqual(['a', 'b', 'c']);
});

test('names and values cannot end their quotes', () => {
  expect(writeCriteria({ variable: 'a" = 1) OR (1=1 --', operator: '=', value: `'; DROP TABLE input; --` })).toBe(
    `("a"" = 1) OR (1=1 --" = '''; DROP TABLE input; --')`,
  );
});

test.each([
  [{ variable: '', operator: '=', value: 1 }, '/criteria_json/variable'],
  [{ variable: 'a', operator: 'matches', value: 1 }, '/criteria_json/operator'],
  [{ variable: 'a', operator: 'constructor', value: 1 }, '/criteria_json/operator'],
  [{ variable: 'a', value: 1 }, '/criteria_json/operator'],
  [{ variable: 'a', operator: '=' }, '/criteria_json/value'],
  [{ variable: 'a', operator: '=', value: null }, '/criteria_json/value'],
  [{ variable: 'a', operator: '=', value: { x: 1 } }, '/criteria_json/value'],
  [{ variable: 'a', operator: '=', value: 'a\0b' }, '/criteria_json/value'],
  [{ variable: 'a', operator: 'in', value: [] }, '/criteria_json/value'],
  [{ variable: 'a', operator: 'in', value: ' ' }, '/criteria_json/value'],
  [{ variable: 'a', operator: 'in', value: 'x,' }, '/criteria_json/value'],
  [{ variable: 'a', operator: 'between', value: '1 and 2 and 3' }, '/criteria_json/value'],
  [{ variable: 'a', operator: 'in', value: [1, null] }, '/criteria_json/value/1'],
  [{ variable: 'a', operator: 'between', value: [1] }, '/criteria_json/value'],
  [{ criteria_list: [] }, '/criteria_json/criteria_list'],
  [{ criteria_list: ['a = 1'] }, '/criteria_json/criteria_list/0'],
  [
    { logical_operator: 'XOR', criteria_list: [{ variable: 'a', operator: 'is null' }] },
    '/criteria_json/logical_operator',
  ],
])('%j is rejected with its position', (criteria, pointer) => {
  expect(() => writeCriteria(criteria)).toThrow(
    expect.objectContaining({
      code: 'OPERATOR_CONFIGURATION_INVALID',
      details: { target: { type: 'field', name: pointer } },
    }) as AppError,
  );
});

test('an endless tree is rejected', () => {
  let criteria: object = { variable: 'a', operator: 'is null' };
  for (let depth = 0; depth < 10_000; depth += 1) criteria = { criteria_list: [criteria] };
  expect(() => writeCriteria(criteria)).toThrow(/more than 50 groups deep/);
});

test('fragments are joined in parentheses', () => {
  expect(writeList(['a = 1', 'b = 2 OR c = 3 -- why'], 'or')).toBe('(\na = 1\n) OR (\nb = 2 OR c = 3 -- why\n)');
  expect(writeList(['a'])).toBe('(\na\n)');
});

test.each(['1=1) OR (1=1', '(a = 1', `name = 'x`, 'a = 1; DROP TABLE input', '', '-- nothing', 'a /* open'])(
  'the fragment %j is rejected',
  (fragment) => {
    expect(() => writeList(['a = 1', fragment])).toThrow(
      expect.objectContaining({
        code: 'OPERATOR_CONFIGURATION_INVALID',
        message: expect.stringContaining('/criteria_list/1') as string,
      }) as AppError,
    );
  },
);

test('lists may be written as texts', () => {
  expect(writeCriteria({ variable: 'a', operator: 'in', value: 'x, \'y z\' ,"w"' })).toBe(`("a" IN ('x', 'y z', 'w'))`);
  expect(writeCriteria({ variable: 'a', operator: 'between', value: '2024-01-01 AND 2024-12-31' })).toBe(
    `("a" BETWEEN '2024-01-01' AND '2024-12-31')`,
  );
  expect(writeCriteria({ variable: 'a', operator: 'between', value: '1, 5' })).toBe(`("a" BETWEEN '1' AND '5')`);
});
