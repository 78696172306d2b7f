import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import levels from './asvs.json';

// docs/asvs.md has a row for each requirement of OWASP ASVS 5.0.0 of the levels 1 and 2; asvs.json has their ids and levels in the order
// of the standard.
const docs = path.join(__dirname, '..', '..', 'docs');
const read = (name: string) => readFileSync(path.join(docs, name), 'utf8');
const verdicts = ['holds', 'partly', 'does not hold', 'not applicable'];

interface Row {
  id: string;
  level: number;
  asks: string;
  verdict: string;
  cell: string;
}
const page = read('asvs.md');
const rows = [...page.matchAll(/^\| `(v5[^`]+)` \|(.+)\|$/gm)].map(([, id = '', rest = '']): Row => {
  const [level, asks = '', verdict = '', cell = ''] = rest.split('|').map((part) => part.trim());
  return { id, level: Number(level), asks, verdict, cell };
});
const listTests = ({ cell }: Row) => [...cell.matchAll(/\]\(([^)]+\.test\.ts)\)/g)].map(([, target = '']) => target);
/** What the cell says besides links to tests. */
const getReason = ({ cell }: Row) => cell.replaceAll(/\[[^\]]+\]\([^)]+\.test\.ts\)/g, '').replace(/^[\s,;.]+/, '');

test('the page has every requirement once, in the order of the standard, with its level', () => {
  expect(rows.map(({ id, level }) => [id, level])).toEqual(Object.entries(levels));
  expect([1, 2].map((level) => rows.filter((row) => row.level === level).length)).toEqual([70, 183]);
});

test.each(rows)('$id has a verdict, and tests or a reason', (row) => {
  expect(verdicts).toContain(row.verdict);
  expect(row.asks).not.toBe('');
  // A gap is explained, whatever tests there are.
  const isShown = row.verdict === 'holds' && listTests(row).length > 0;
  expect(isShown || getReason(row).length > 5).toBe(true);
});

test.each(rows.filter((row) => listTests(row).length > 0))('the tests of $id exist', (row) => {
  for (const target of listTests(row)) {
    const file = path.join(docs, target);
    expect({ target, exists: existsSync(file) }).toEqual({ target, exists: true });
    expect(readFileSync(file, 'utf8')).toMatch(/\b(test|it)(\.each)?\(/);
  }
});

test('the numbers of the verdicts are those of the rows', () => {
  const written = [...page.matchAll(/^\| ([a-z ]+) \| [^|]+ \| (\d+) \|$/gm)].map(([, name, count]) => [
    name,
    Number(count),
  ]);
  expect(written).toEqual(verdicts.map((name) => [name, rows.filter(({ verdict }) => verdict === name).length]));
});

test('the list of what is missing names what does not hold, and nothing that holds', () => {
  const named = new Set([...read('limits.md').matchAll(/`(v5\.0\.0-[\d.]+)`/g)].map(([, id]) => id));
  const missing = rows.filter(({ id, verdict }) => verdict === 'does not hold' && !named.has(id));
  const wrong = rows.filter(({ id, verdict }) => verdict === 'holds' && named.has(id));
  expect([missing, wrong].map((list) => list.map(({ id }) => id))).toEqual([[], []]);
});
