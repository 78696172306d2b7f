// Updates the pictures in docs/images: `npm run pictures` runs the tests that take a picture of each screen, and stores
// those that the documentation shows. With a folder as argument it uses the pictures in that folder.
'use strict';
const { spawnSync } = require('node:child_process');
const { existsSync, mkdtempSync, rmSync, statSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');

const root = path.join(__dirname, '..');
const mostBytes = 150_000;
const tests = ['test/e2e/first-run.test.ts', 'test/e2e/own-stack/temporal-ui.test.ts'];
/** Names of the pictures in the tests and in the documentation. */
const pictures = {
  'top-add-1440-light': 'add-documents',
  'top-run-1440-light': 'run',
  'top-search-1440-light': 'search',
  ...Object.fromEntries(
    ['stuck-list', 'stuck', 'failed', 'half-failed-list', 'half-failed'].map((name) => [
      `temporal-${name}`,
      `temporal-${name}`,
    ]),
  ),
};

async function main([given]) {
  const folder = given ?? mkdtempSync(path.join(tmpdir(), 'docloom-pictures-'));
  try {
    if (given === undefined) takePictures(folder);
    for (const [taken, shown] of Object.entries(pictures)) {
      const from = path.join(folder, `${taken}.png`);
      if (given !== undefined && !existsSync(from)) continue;
      const to = path.join(root, 'docs', 'images', `${shown}.png`);
      await store(from, to);
    }
  } finally {
    if (given === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function takePictures(folder) {
  const { status } = spawnSync('npx', ['jest', ...tests, '--selectProjects', 'servers'], {
    cwd: root,
    env: { ...process.env, DOCLOOM_SCREENSHOTS: folder },
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('A test failed, so there are no pictures.');
}

/** Screens have few colours, so a palette keeps them sharp and small. */
async function store(from, to) {
  const sharp = require('sharp');
  await sharp(from).resize({ width: 1200 }).png({ palette: true, colours: 128, effort: 10 }).toFile(to);
  const { size } = statSync(to);
  if (size > mostBytes) throw new Error(`${to} has ${size} bytes, more than ${mostBytes}.`);
  process.stdout.write(`${path.relative(root, to)}: ${Math.round(size / 1000)} kB\n`);
}

main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`pictures: ${error.message}\n`);
  process.exitCode = 1;
});
