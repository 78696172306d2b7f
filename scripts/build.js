// Compiles the TypeScript folders to dist/, file by file, with the compiler that the Temporal worker brings along.
// It is incremental (a file is compiled when its source is newer) so that bin/docloom can call it at every start of a
// checkout. It needs no development dependency, so `npm ci --omit=dev` can run it.
'use strict';
const {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs');
const path = require('node:path');

const root = path.resolve(__dirname, '..');
const folders = [
  'api',
  'workflows',
  'activities',
  'operators',
  'model',
  'document',
  'formats',
  'graph',
  'services',
  'threads',
  'embedded',
  'client',
  'mcp',
  'cli',
  'bench',
  'samples',
  'test/support/documents',
  'test/support/operators',
  'test/attack',
];

/** What the package gives to others: the sources behind `exports` of package.json. */
const entries = new Set(['client', 'document', 'formats', 'graph'].map((folder) => path.join(folder, 'index.ts')));

const { sep } = path;
const dist = path.join(root, 'dist');

// Names are put together as text here: path.join for each of some thousand files takes longer than the system calls.
function* sources(folder) {
  for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
    const name = `${folder}${sep}${entry.name}`;
    if (entry.isDirectory()) yield* sources(name);
    else if (name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.endsWith('.d.ts')) yield name;
  }
}

function build() {
  let compiled = 0;
  let transform;
  for (const folder of folders.filter((name) => existsSync(path.join(root, name)))) {
    for (const name of sources(folder)) {
      const target = `${dist}${sep}${name.slice(0, -'.ts'.length)}.js`;
      const source = `${root}${sep}${name}`;
      if ((statSync(target, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= statSync(source).mtimeMs) continue;
      transform ??= loadCompiler();
      const { code, map } = transform(readFileSync(source, 'utf8'), {
        filename: source,
        sourceFileName: path.relative(path.dirname(target), source),
        sourceMaps: true,
        inlineSourcesContent: false,
        swcrc: false,
        jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
        // Names that a program of ES modules may import are told to Node.
        module: { type: 'commonjs', exportInteropAnnotation: entries.has(name) },
      });
      mkdirSync(path.dirname(target), { recursive: true });
      // The map is a file of its own: each process and thread would keep an inline one in memory with the code.
      replaceFile(`${target}.map`, map);
      replaceFile(target, `${code}//# sourceMappingURL=${path.basename(target)}.map\n`);
      compiled += 1;
    }
  }
  removeOrphans(dist, '');
  return compiled;
}

/** Other processes may read the file while it is written. */
function replaceFile(file, text) {
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, text);
  renameSync(temporary, file);
}

function loadCompiler() {
  try {
    return require('@swc/core').transformSync;
  } catch (error) {
    const message =
      'The compiler (@swc/core) has no binary for this platform here. It is an optional dependency, as is that of DuckDB; install with: npm ci --omit=dev';
    throw new Error(message, { cause: error });
  }
}

function removeOrphans(folder, prefix) {
  if (!existsSync(folder)) return;
  const source = path.join(root, prefix);
  const there = new Set(existsSync(source) ? readdirSync(source) : []);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const { name } = entry;
    if (entry.isDirectory()) {
      // The console has a build of its own.
      if (prefix !== '' || !name.startsWith('console')) removeOrphans(path.join(folder, name), path.join(prefix, name));
    } else if (
      /\.js(?:\.map)?$/.test(name) &&
      (prefix !== '' || !name.startsWith('bundle')) &&
      !there.has(name.replace(/\.js(?:\.map)?$/, '.ts'))
    )
      rmSync(path.join(folder, name), { force: true });
  }
}

module.exports = { build, folders };
if (require.main === module) {
  try {
    process.stdout.write(`build: ${build()} files compiled\n`);
  } catch (error) {
    // An install without optional dependencies must not fail here: it says what is missing, and bin/docloom says it again.
    if (!error.cause) throw error;
    process.stderr.write(`${error.message}\n`);
  }
}
