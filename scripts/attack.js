// `npm run attack`: carries the known attacks out against servers that the tests start on the loopback interface, and prints what got
// through. With names of files or titles as arguments, only those: `npm run attack -- logins`. With `--url`, attacks a running server:
// see `npm run attack -- --help`.
'use strict';
const { spawnSync } = require('node:child_process');
const { mkdtempSync, readFileSync, rmSync } = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const root = path.join(__dirname, '..');
/** Attacks over HTTP, and who may do what: every route for every role. */
const catalogue = ['test/security/', 'test/api/access-matrix', 'test/api/conversion/access', 'test/contract/compose'];

/** What a report of jest says: how many attacks were carried out, which got through, and which files could not be run. */
function summarize(report) {
  const results = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ status, fullName }) => ({ file: path.relative(root, name), status, title: fullName })),
  );
  const broken = report.testResults
    .filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0)
    .map(({ name }) => path.relative(root, name));
  return {
    count: results.filter(({ status }) => status === 'passed' || status === 'failed').length,
    through: results.filter(({ status }) => status === 'failed'),
    broken,
  };
}

function main(wanted) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-attack-'));
  const file = path.join(folder, 'report.json');
  try {
    const jest = path.join(root, 'node_modules', 'jest', 'bin', 'jest.js');
    const patterns = wanted.length > 0 ? wanted : catalogue;
    const args = [
      jest,
      '--selectProjects',
      'servers',
      '--json',
      `--outputFile=${file}`,
      '--testPathPatterns',
      ...patterns,
    ];
    const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    const { count, through, broken } = summarize(JSON.parse(readFileSync(file, 'utf8')));
    for (const { file: test, title } of through) process.stdout.write(`GOT THROUGH  ${test}: ${title}\n`);
    for (const test of broken) process.stdout.write(`NOT RUN      ${test}\n`);
    process.stdout.write(`${count} attacks carried out, ${through.length} got through.\n`);
    process.exitCode = count === 0 || status !== 0 || broken.length > 0 ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

module.exports = { summarize };

if (require.main === module) {
  const args = process.argv.slice(2);
  if (args.some((arg) => /^--(?:url|help)(?:=|$)/.test(arg))) require('../dist/test/attack/main.js');
  else main(args);
}
