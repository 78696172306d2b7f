import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

interface Summary {
  count: number;
  through: { file: string; title: string }[];
  broken: string[];
}
const { summarize } = require('./attack.js') as { summarize: (report: unknown) => Summary };
const name = (file: string) => path.join(__dirname, '..', 'test', 'security', file);

test('an attack that succeeded, was skipped or could not run is reported', () => {
  const of = (status: string, fullName: string) => ({ status, fullName });
  const summary = summarize({
    testResults: [
      { name: name('a.test.ts'), status: 'failed', assertionResults: [of('passed', 'one'), of('failed', 'two')] },
      { name: name('b.test.ts'), status: 'passed', assertionResults: [of('pending', 'three'), of('passed', 'four')] },
      { name: name('c.test.ts'), status: 'failed', assertionResults: [] },
    ],
  });
  expect(summary.count).toBe(3);
  expect(summary.through).toMatchObject([{ file: 'test/security/a.test.ts', title: 'two' }]);
  expect(summary.broken).toEqual(['test/security/c.test.ts']);
});

test('the build compiles everything that the attack on a running server imports', () => {
  const folder = path.join(__dirname, '..', 'test', 'attack');
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(5);
  const outside = files.flatMap((file) =>
    [...readFileSync(path.join(folder, file), 'utf8').matchAll(/from '(\.[^']+)'/g)]
      .map(([, name = '']) => path.relative(path.join(__dirname, '..'), path.resolve(folder, name)))
      // Of the tests, `scripts/build.js` compiles these folders only.
      .filter((name) => name.startsWith('test/') && !/^test\/(attack|support\/(documents|operators))\//.test(name)),
  );
  expect(outside).toEqual([]);
});
