// Makes a package of its own of a part of Docloom: the compiled files that its entries reach, and the packages that those files load.
// scripts/pack-convert.js and scripts/pack-client.js describe the packages.
'use strict';
const { execFileSync } = require('node:child_process');
const {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs');
const { isBuiltin } = require('node:module');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { build } = require('./build.js');

const root = path.join(__dirname, '..');
const dist = path.join(root, 'dist');
const own = require('../package.json');

const imports = {
  '.js': /\brequire\(["']([^"']+)["']\)/g,
  '.d.ts': /(?:from |import\()["']([^"']+)["']/g,
};

/** All files that the entries reach by relative imports, and the names of the packages that they load. */
function trace(base, files, kind) {
  const found = new Set();
  const packages = new Set();
  const visit = (file) => {
    if (found.has(file)) return;
    found.add(file);
    if (!file.endsWith(kind)) return;
    for (const [, target] of withoutMap(file).matchAll(imports[kind])) {
      if (target.startsWith('.')) visit(resolveFile(path.resolve(path.dirname(file), target), kind));
      else if (!isBuiltin(target)) packages.add(target.split('/', target.startsWith('@') ? 2 : 1).join('/'));
    }
  };
  for (const file of files) visit(path.join(base, file));
  packages.delete(own.name);
  return { files: [...found], packages: [...packages].toSorted((a, b) => (a < b ? -1 : 1)) };
}

function resolveFile(base, kind) {
  const file = [base, base + kind, path.join(base, `index${kind}`)].find(
    (one) => existsSync(one) && statSync(one).isFile(),
  );
  if (!file) throw new Error(`${base} is not there.`);
  return file;
}

/** The text of a file without the name of its source map, which is not packed. */
function withoutMap(file) {
  return readFileSync(file, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
}

/**
 * Builds the package in `folder`: `entries` of its code and `types`, `readme`, members of its package.json in `manifest`, and
 * packages in `optional` that it does not install.
 */
function makePackage(description, folder = path.join(dist, 'packages', description.manifest.name)) {
  build();
  // Not beside the compiled files, where other programs would find them.
  const typed = mkdtempSync(path.join(tmpdir(), `${description.manifest.name}-types-`));
  try {
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [tsc, '-p', path.join(root, 'tsconfig.types.json'), '--outDir', typed], {
      cwd: root,
    });
    return writePackage(description, folder, typed);
  } finally {
    rmSync(typed, { recursive: true, force: true });
  }
}

function writePackage(description, folder, typed) {
  const code = trace(dist, description.entries, '.js');
  const types = trace(typed, description.types, '.d.ts');
  const manifest = describePackage(description, [...code.packages, ...types.packages]);
  rmSync(folder, { recursive: true, force: true });
  for (const [base, files] of [
    [dist, code.files],
    [typed, types.files],
  ])
    for (const file of files) {
      const target = path.join(folder, 'dist', path.relative(base, file));
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, withoutMap(file).replaceAll(`${own.name}/package.json`, `${manifest.name}/package.json`));
    }
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
  cpSync(path.join(root, description.readme), path.join(folder, 'README.md'));
  return { folder, manifest, files: code.files.length };
}

function describePackage({ manifest, optional }, packages) {
  const needed = [...new Set(packages)].filter((one) => !optional.includes(one));
  const versions = { ...own.optionalDependencies, ...own.dependencies };
  const missing = needed.filter((one) => !(one in versions));
  if (missing.length > 0) throw new Error(`package.json has no version of ${missing.join(', ')}.`);
  const pick = (names) => Object.fromEntries(names.map((one) => [one, versions[one]]));
  const peers = {
    peerDependencies: pick(optional),
    peerDependenciesMeta: Object.fromEntries(optional.map((one) => [one, { optional: true }])),
  };
  return {
    version: own.version,
    license: own.license,
    type: 'commonjs',
    engines: own.engines,
    ...manifest,
    dependencies: pick(needed),
    ...(optional.length > 0 ? peers : {}),
  };
}

/** Builds the package as the command of package.json does, and packs it: `npm run SCRIPT -- [FOLDER]`. */
function runPack(script, make) {
  if (process.argv[2]?.startsWith('-')) {
    process.stderr.write(`Usage: npm run ${script} -- [FOLDER]\n`);
    process.exit(2);
  }
  const { folder, manifest, files } = make(process.argv[2] && path.resolve(process.argv[2]));
  execFileSync('npm', ['pack', '--silent', '--pack-destination', path.dirname(folder)], {
    cwd: folder,
    stdio: 'inherit',
  });
  process.stdout.write(`${folder}: ${files} files, ${Object.keys(manifest.dependencies).length} dependencies\n`);
}

module.exports = { makePackage, runPack };
