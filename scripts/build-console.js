// Builds the console to dist/console/ when a source is newer, and compresses its files beside them, so that the api sends
// them as they are. Vite and the libraries of the console are development dependencies: an install without them keeps what
// is there, and says so if nothing is.
'use strict';
const { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const zlib = require('node:zlib');

const root = path.join(__dirname, '..');
const target = path.join(root, 'dist', 'console');
const sources = ['console', 'client', 'package.json', 'scripts/build-console.js'];
const compressible = /\.(js|css|html|svg|md)$/;

/** Builds if needed; returns what it did: built, current, or missing if the tools are not installed. */
async function buildConsole() {
  const built = path.join(target, 'index.html');
  if (!existsSync(path.join(root, 'console', 'index.html'))) return existsSync(built) ? 'current' : 'missing';
  if (existsSync(built) && statSync(built).mtimeMs >= newest()) return 'current';
  if (!existsSync(path.join(root, 'node_modules', 'vite'))) return existsSync(built) ? 'current' : 'missing';
  const { build } = await import('vite');
  const outDir = `${target}.${process.pid}`;
  await build({
    configFile: false,
    root: path.join(root, 'console'),
    base: '/console/',
    // Warnings are about directives of the libraries for another kind of server.
    logLevel: 'error',
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      // Data addresses are refused by the content security policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      license: { fileName: 'licenses.md' },
    },
  });
  for (const file of filesBelow(outDir).filter((name) => compressible.test(name))) {
    const bytes = readFileSync(file);
    writeFileSync(`${file}.br`, zlib.brotliCompressSync(bytes));
    writeFileSync(`${file}.gz`, zlib.gzipSync(bytes, { level: 9 }));
  }
  replaceFolder(outDir);
  return 'built';
}

/**
 * Puts the new files in place. Two builds may end at the same time, so the folder is moved as a whole and the later one
 * wins.
 */
function replaceFolder(outDir) {
  const before = `${target}.${process.pid}.before`;
  for (;;) {
    try {
      renameSync(target, before);
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
    rmSync(before, { recursive: true, force: true });
    try {
      return renameSync(outDir, target);
    } catch (error) {
      // Another build has put its files there in the meantime.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    }
  }
}

/** When the newest source was changed. */
function newest() {
  const files = sources.flatMap((name) => {
    const file = path.join(root, name);
    if (!existsSync(file)) return [];
    return statSync(file).isDirectory() ? filesBelow(file) : [file];
  });
  return Math.max(...files.map((file) => statSync(file).mtimeMs));
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(file) : [file];
  });
}

module.exports = { buildConsole };
if (require.main === module) {
  buildConsole().then(
    (outcome) => {
      if (outcome === 'built') process.stdout.write('build: the console\n');
      if (outcome === 'missing')
        process.stderr.write(
          'The console is not built: its tools are development dependencies. Run `npm ci`, then this again.\n',
        );
    },
    (error) => {
      process.stderr.write(`The console cannot be built: ${error.message}\n`);
      process.exitCode = 1;
    },
  );
}
