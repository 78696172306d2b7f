// Makes the package docloom-convert: the command that converts files and the library behind it, without servers. It holds the compiled
// files that these reach, and needs only the packages that those files load. `node scripts/pack-convert.js [FOLDER]`
'use strict';
const { execFileSync } = require('node:child_process');
const {
  chmodSync,
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
const name = 'docloom-convert';

const entries = ['cli/convert/main.js', 'threads/conversion/entry.js', 'formats/index.js', 'document/index.js'];
/** Heavy packages that most conversions do not need. The code that loads them says what to install. */
const heavy = [
  '@tesseract.js-data/eng',
  'gpt-tokenizer',
  'libarchive.js',
  'libheif-js',
  'onnxruntime-node',
  'sharp',
  'tesseract.js',
];

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

function packConvert(folder = path.join(dist, 'packages', name)) {
  build();
  // Not beside the compiled files, where other programs would find them.
  const typed = mkdtempSync(path.join(tmpdir(), `${name}-types-`));
  try {
    const tsc = path.join(root, 'node_modules/.bin/tsc');
    execFileSync(process.execPath, [tsc, '-p', path.join(root, 'tsconfig.types.json'), '--outDir', typed], {
      cwd: root,
    });
    return writePackage(folder, typed);
  } finally {
    rmSync(typed, { recursive: true, force: true });
  }
}

function writePackage(folder, typed) {
  const code = trace(dist, entries, '.js');
  const types = trace(typed, ['formats/index.d.ts', 'document/index.d.ts'], '.d.ts');
  rmSync(folder, { recursive: true, force: true });
  for (const [base, files] of [
    [dist, code.files],
    [typed, types.files],
  ])
    for (const file of files) {
      const target = path.join(folder, 'dist', path.relative(base, file));
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, withoutMap(file).replaceAll(`${own.name}/package.json`, `${name}/package.json`));
    }
  const needed = [...new Set([...code.packages, ...types.packages])].filter((one) => !heavy.includes(one));
  const versions = { ...own.optionalDependencies, ...own.dependencies };
  const missing = needed.filter((one) => !(one in versions));
  if (missing.length > 0) throw new Error(`package.json has no version of ${missing.join(', ')}.`);
  const pick = (names) => Object.fromEntries(names.map((one) => [one, versions[one]]));
  const manifest = {
    name,
    version: own.version,
    description: 'Converts documents of some 40 formats to Markdown, JSON, HTML and text: a command and a library.',
    license: own.license,
    bin: { [name]: `bin/${name}` },
    type: 'commonjs',
    exports: {
      '.': { types: './dist/formats/index.d.ts', default: './dist/formats/index.js' },
      './formats': { types: './dist/formats/index.d.ts', default: './dist/formats/index.js' },
      './document': { types: './dist/document/index.d.ts', default: './dist/document/index.js' },
      './package.json': './package.json',
    },
    engines: own.engines,
    dependencies: pick(needed),
    peerDependencies: pick(heavy),
    peerDependenciesMeta: Object.fromEntries(heavy.map((one) => [one, { optional: true }])),
  };
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  mkdirSync(path.join(folder, 'bin'));
  cpSync(path.join(root, 'bin', name), path.join(folder, 'bin', name));
  chmodSync(path.join(folder, 'bin', name), 0o755);
  cpSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
  cpSync(path.join(root, 'docs', 'convert-package.md'), path.join(folder, 'README.md'));
  return { folder, manifest, files: code.files.length };
}

module.exports = { packConvert };
if (require.main === module) {
  if (process.argv[2]?.startsWith('-')) {
    process.stderr.write('Usage: npm run pack:convert -- [FOLDER]\n');
    process.exit(2);
  }
  const { folder, manifest, files } = packConvert(process.argv[2] && path.resolve(process.argv[2]));
  execFileSync('npm', ['pack', '--silent', '--pack-destination', path.dirname(folder)], {
    cwd: folder,
    stdio: 'inherit',
  });
  process.stdout.write(`${folder}: ${files} files, ${Object.keys(manifest.dependencies).length} dependencies\n`);
}
