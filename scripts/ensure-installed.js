// Before the tests, and by quickstart: installs what package-lock.json says when node_modules is missing or older, then
// compiles what changed. Needs nothing but Node and npm.
'use strict';
const { spawnSync } = require('node:child_process');
const { existsSync, statSync } = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '..');

function ensureInstalled() {
  // npm writes this file at the end of an install, so an install that was interrupted counts as missing.
  const installed = path.join(root, 'node_modules', '.package-lock.json');
  const lock = path.join(root, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  process.stderr.write('Installing dependencies with npm ci (one or two minutes) …\n');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { status, error } = spawnSync(npm, ['ci', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    // npm 11 does not run the script that downloads binaries for CUDA (allowScripts in package.json); npm 10 does.
    env: { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' },
    shell: process.platform === 'win32',
  });
  if (error || status !== 0) {
    process.stderr.write(
      `npm ci failed${error ? `: ${error.message}` : ` with exit code ${status}`}. Its output above says why.\n`,
    );
    process.exit(1);
  }
}

async function ensureBuilt() {
  require('./build.js').build();
  await require('./build-console.js').buildConsole();
}

module.exports = { ensureInstalled, ensureBuilt };
if (require.main === module) {
  ensureInstalled();
  ensureBuilt().catch((error) => {
    process.stderr.write(`The build failed: ${error.message}\n`);
    process.exitCode = 1;
  });
}
