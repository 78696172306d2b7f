interface Summary {
  lines: string[];
  last: string;
  failed: boolean;
}
const { summary } = require('./ci-summary.js') as { summary: (report: unknown, root: string) => Summary };
const suite = (name: string, status: string, tests: [string, string][], message = '') => ({
  name: `/root/${name}`,
  status,
  message,
  assertionResults: tests.map(([outcome, fullName]) => ({ status: outcome, fullName })),
});

test('tests are counted, and failed or skipped tests are listed', () => {
  const report = {
    success: false,
    testResults: [
      suite('a.test.ts', 'failed', [
        ['passed', 'one'],
        ['failed', 'two'],
        ['pending', 'three'],
        ['todo', 'four'],
      ]),
    ],
  };
  expect(summary(report, '/root')).toEqual({
    lines: ['failed: a.test.ts: two', 'skipped: a.test.ts: three', 'skipped: a.test.ts: four'],
    last: '1 passed, 1 failed, 2 skipped',
    failed: true,
  });
});

test('a suite that did not load is a failure, with the first line of its message', () => {
  const report = { success: false, testResults: [suite('a.test.ts', 'failed', [], 'Cannot find module\nat x')] };
  expect(summary(report, '/root')).toMatchObject({
    lines: ['failed: a.test.ts: Cannot find module'],
    last: '0 passed, 1 failed, 0 skipped',
  });
});

test('a run without success and without results is a failure', () => {
  expect(summary({ success: false, testResults: [] }, '/root')).toMatchObject({
    last: '0 passed, 1 failed, 0 skipped',
    failed: true,
  });
});

test('all passed is not a failure', () => {
  const report = { success: true, testResults: [suite('a.test.ts', 'passed', [['passed', 'one']])] };
  expect(summary(report, '/root')).toEqual({ lines: [], last: '1 passed, 0 failed, 0 skipped', failed: false });
});
