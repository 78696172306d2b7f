const { readdirSync } = require('node:fs');
const { build } = require('./scripts/build.js');

const transform = {
  '^.+\\.[cm]?[jt]sx?$': [
    '@swc/jest',
    { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
  ],
};
// Modules of the product are loaded from dist/.
build();
/** Where tests and sources are. Jest reads every name below its roots at each start, and data folders may have millions of files. */
const roots = readdirSync(__dirname, { withFileTypes: true })
  .filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith('.') && !['node_modules', 'dist'].includes(entry.name),
  )
  .map(({ name }) => `<rootDir>/${name}`);
const base = {
  roots,
  testEnvironment: '<rootDir>/test/support/jest/environment.js',
  runtime: require.resolve('./test/support/jest/runtime.js'),
  transform,
};
module.exports = {
  maxWorkers: 2,
  // What a test file leaves in memory is not all released, and collecting garbage in a large heap takes longer than the tests.
  workerIdleMemoryLimit: '700MB',
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: ['<rootDir>/*/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/'],
      setupFilesAfterEnv: ['<rootDir>/test/support/unit-timeout-setup.ts'],
    },
    {
      ...base,
      displayName: 'servers',
      roots: ['<rootDir>/test'],
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      // npm run test:deploy, npm run test:sources
      testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/deploy/', '<rootDir>/test/sources/'],
      setupFilesAfterEnv: ['<rootDir>/test/support/servers/timeout-setup.ts'],
      globalSetup: '<rootDir>/test/support/servers/servers-setup.ts',
      globalTeardown: '<rootDir>/test/support/servers/servers-teardown.ts',
    },
  ],
};
