// Lists the components that run, in the CycloneDX format: `npm run --silent sbom > sbom.json`
'use strict';
const { execFileSync } = require('node:child_process');
const { mkdirSync, mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');
const own = require('../package.json');
const lock = require('../package-lock.json');

const maxOutputBytes = 256 * 1024 * 1024;

/**
 * Npm makes the list, of a package without development dependencies: its option `--omit dev` also leaves out components that run and
 * that a tool for development uses too. The lock file has the components of every platform.
 */
function makeSbom() {
  const parent = mkdtempSync(path.join(tmpdir(), 'docloom-sbom-'));
  // Npm takes the name of the folder for that of the application.
  const folder = path.join(parent, own.name);
  try {
    mkdirSync(folder);
    writeJson(path.join(folder, 'package.json'), omitDevelopment(own));
    writeJson(path.join(folder, 'package-lock.json'), {
      ...lock,
      packages: Object.fromEntries(
        Object.entries(lock.packages)
          .filter(([, { dev }]) => !dev)
          .map(([place, entry]) => [place, omitDevelopment(entry)]),
      ),
    });
    return JSON.parse(
      runNpm(['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'], folder),
    );
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

function omitDevelopment(entry) {
  const { devDependencies, ...rest } = entry;
  return devDependencies ? rest : entry;
}

/** The output of a command of npm. Throws if it fails. */
function runNpm(options, cwd) {
  // In a script of npm, its own file is known; Windows has only a command file for it.
  const file = process.env.npm_execpath;
  const [program, first] = file?.endsWith('.js') ? [process.execPath, [file]] : ['npm', []];
  return execFileSync(program, [...first, ...options], {
    cwd,
    encoding: 'utf8',
    maxBuffer: maxOutputBytes,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

module.exports = { makeSbom, runNpm, writeJson };
if (require.main === module) process.stdout.write(`${JSON.stringify(makeSbom(), null, 2)}\n`);
