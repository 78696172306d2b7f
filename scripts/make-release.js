// Makes what a release consists of: the packages, the list of their components, what is known about these, and the checksums.
// `npm run release [FOLDER]` (default: release)
'use strict';
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { makeSbom, runNpm, writeJson } = require('./make-sbom.js');
const { packClient } = require('./pack-client.js');
const { packConvert } = require('./pack-convert.js');

const root = path.join(__dirname, '..');
const lists = { sbom: 'sbom.cdx.json', audit: 'audit.json', checksums: 'SHA256SUMS' };

/** Writes the files into a folder, which it empties first, and returns what is known about vulnerabilities. */
function makeRelease(folder) {
  if (existsSync(folder) && readdirSync(folder).some((name) => !isOfRelease(name)))
    throw new Error(`${folder} has files that are not those of a release; name another folder.`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // The server first: its `prepack` builds everything, and it must not contain the packages of the others.
  rmSync(path.join(root, 'dist', 'packages'), { recursive: true, force: true });
  for (const make of [() => root, () => packClient().folder, () => packConvert().folder])
    runNpm(['pack', '--silent', '--pack-destination', folder], make());
  writeJson(path.join(folder, lists.sbom), makeSbom());
  const audit = readAudit();
  writeJson(path.join(folder, lists.audit), audit);
  writeFileSync(path.join(folder, lists.checksums), formatChecksums(folder));
  return audit;
}

function isOfRelease(name) {
  return name.endsWith('.tgz') || Object.values(lists).includes(name);
}

/** What the registry knows about vulnerabilities of the locked versions; `unavailable` if it does not say. */
function readAudit() {
  try {
    return JSON.parse(runNpm(['audit', '--omit', 'dev', '--json'], root));
  } catch ({ stdout = '', message }) {
    // It also fails if there are vulnerabilities.
    const said = parseJson(stdout);
    return said?.metadata?.vulnerabilities ? said : { unavailable: said?.message ?? message };
  }
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** In the format of `sha256sum --check`. */
function formatChecksums(folder) {
  const names = readdirSync(folder).filter((name) => name !== lists.checksums);
  return names
    .toSorted()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(path.join(folder, name)))
          .digest('hex')}  ${name}\n`,
    )
    .join('');
}

module.exports = { formatChecksums, makeRelease, readAudit };
if (require.main === module) {
  const folder = path.resolve(process.argv[2] ?? path.join(root, 'release'));
  const { unavailable, metadata } = makeRelease(folder);
  process.stdout.write(readFileSync(path.join(folder, lists.checksums), 'utf8'));
  if (unavailable) process.stderr.write(`Not checked for known vulnerabilities: ${unavailable}\n`);
  const { high = 0, critical = 0 } = metadata?.vulnerabilities ?? {};
  if (high + critical > 0) {
    process.stderr.write(
      `${high + critical} components have known vulnerabilities, high or critical: ${folder}/${lists.audit}\n`,
    );
    process.exitCode = 1;
  }
}
