// `npm run quickstart` on a fresh clone: installs, compiles, and hands over to `docloom quickstart` with the same arguments.
'use strict';
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19) || major >= 24) {
  process.stderr.write(`Docloom needs Node 20.19 or later, below 24; this is ${process.versions.node}.\n`);
  process.exit(2);
}
const { spawn } = require('node:child_process');
const path = require('node:path');
const { ensureBuilt, ensureInstalled } = require('./ensure-installed.js');

ensureInstalled();
ensureBuilt().then(start, (error) => {
  process.stderr.write(`The build failed: ${error.message}\n`);
  process.exit(1);
});

function start() {
  const child = spawn(
    process.execPath,
    [path.join(__dirname, '..', 'bin', 'docloom'), 'quickstart', ...process.argv.slice(2)],
    { stdio: 'inherit' },
  );
  // Ctrl-C reaches the child by itself, as it is in the same process group; this process only has to outlive it.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
}
