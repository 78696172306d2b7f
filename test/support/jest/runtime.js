'use strict';
const path = require('node:path');
const { compileFunction } = require('node:vm');
const { default: Runtime } = require('jest-runtime');
const { folders } = require('../../../scripts/build.js');

const root = path.resolve(__dirname, '..', '..', '..');
const sep = path.sep;
const packages = `${sep}node_modules${sep}`;
/** Packages that Jest loads for each test file, since they keep the state of its tests. */
const ofJest = /[\\/]node_modules[\\/](?:@jest|jest(?:-[a-z-]+)?|expect|pretty-format)[\\/]/;
const compiled = folders.map((folder) => path.join(root, folder) + sep);

/**
 * Loads packages and the compiled sources once per worker process, as the product does, and only tests and their own helpers per
 * test file. Loading everything for each of some 900 test files costs more than the tests. Modules therefore keep what they hold
 * from one test file to the next: a test that needs a fresh one starts a process. `jest.mock` has no effect on them.
 */
module.exports = class SharedRuntime extends Runtime {
  constructor(...parameters) {
    super(...parameters);
    // Not part of Jest's public interface: it compiles a module for a context, here for the one of the process.
    const names = this.executor.injectedModuleParameters;
    this.executor.compile = (source, filename) => compileFunction(source, names, { filename });
  }

  requireModule(from, moduleName, options, isActual) {
    if (moduleName !== undefined && !options?.isInternalModule && !this._resolution.isCoreModule(moduleName)) {
      const shared = this.findShared(from, moduleName);
      if (shared !== undefined) return require(shared);
    }
    return super.requireModule(from, moduleName, options, isActual);
  }

  /** The file to load once per process. */
  findShared(from, moduleName) {
    const file = this._resolution.resolveCjs(from, moduleName);
    if (file.includes(packages)) return ofJest.test(file) ? undefined : file;
    if (!file.endsWith('.ts') || file.endsWith('.test.ts') || !compiled.some((folder) => file.startsWith(folder)))
      return;
    return path.join(root, 'dist', `${file.slice(root.length + 1, -'.ts'.length)}.js`);
  }
};
