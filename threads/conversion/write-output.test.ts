import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildPartPath, writeOutput } from './write-output';

const folder = mkdtempSync(path.join(tmpdir(), 'docloom-output-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('an output exists only when it is complete; the previous one stays until then', () => {
  const file = path.join(folder, 'sub', 'a.md');
  expect(writeOutput(file, 'before')).toBe(6);
  function* pieces() {
    yield Buffer.from('half');
    expect([readFileSync(file, 'utf8'), readdirSync(path.dirname(file)).length]).toEqual(['before', 2]);
    throw new Error('the writer failed');
  }
  expect(() => writeOutput(file, pieces())).toThrow('the writer failed');
  expect([readFileSync(file, 'utf8'), readdirSync(path.dirname(file))]).toEqual(['before', ['a.md']]);
  expect(writeOutput(file, [Buffer.from('a'), Buffer.from('fter')])).toBe(5);
  expect(readFileSync(file, 'utf8')).toBe('after');
});

test('a temporary file is next to its output, whatever its name, and different for each', () => {
  const long = path.join(folder, 'x'.repeat(250));
  writeFileSync(buildPartPath(long), '');
  expect(path.dirname(buildPartPath(long))).toBe(folder);
  expect(buildPartPath(long)).not.toBe(buildPartPath(path.join(folder, 'y')));
});
