// Prints each failed and skipped test of a jest JSON report by name and, as the last line, `N passed, N failed, N skipped`.
// A suite that did not even load counts as one failure. Exits 1 when anything failed, or when there is no report.
'use strict';
const { readFileSync } = require('node:fs');
const path = require('node:path');

function summary(report, root) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const lines = [];
  for (const suite of report.testResults) {
    const file = path.relative(root, suite.name);
    if (suite.status === 'failed' && suite.assertionResults.every((test) => test.status !== 'failed')) {
      counts.failed += 1;
      lines.push(`failed: ${file}: ${(suite.message || 'the suite did not run').trim().split('\n')[0]}`);
    }
    for (const test of suite.assertionResults) {
      // jest says pending for `test.skip`, and todo or disabled for tests that it did not run either.
      const outcome = test.status === 'passed' || test.status === 'failed' ? test.status : 'skipped';
      counts[outcome] += 1;
      if (outcome !== 'passed') lines.push(`${outcome}: ${file}: ${test.fullName}`);
    }
  }
  // A global set-up that failed leaves no results at all, and must not look like success.
  const broken = !report.success && counts.failed === 0;
  if (broken) {
    counts.failed = 1;
    lines.push('failed: jest itself ended without success');
  }
  return {
    lines,
    last: `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`,
    failed: counts.failed > 0,
  };
}

function main([file]) {
  let report;
  try {
    report = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    process.stdout.write(`failed: no report of jest: ${error.message.split('\n')[0]}\n0 passed, 1 failed, 0 skipped\n`);
    return 1;
  }
  const { lines, last, failed } = summary(report, path.join(__dirname, '..'));
  process.stdout.write(`${[...lines, last].join('\n')}\n`);
  return failed ? 1 : 0;
}

module.exports = { summary };
if (require.main === module) process.exitCode = main(process.argv.slice(2));
