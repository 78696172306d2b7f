const { readdirSync } = require('node:fs');

const transform = {
  '^.+\\.[cm]?[jt]sx?$': [
    '@swc/jest',
    { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
  ],
};
// These packages are ES modules only; jest on Node 20 must transform them.
const esmOnly = [
  'openid-client',
  'oidc-provider',
  'oauth4webapi',
  'jose',
  'parse5',
  'entities',
  'uuid',
  'markdown-it',
  'linkify-it',
  'mdurl',
  'uc.micro',
  'nanoid',
  'docx',
  'piscina',
  'libarchive.js',
];
/** Where tests and sources are. Jest reads every name below its roots at each start, and data folders may have millions of files. */
const roots = readdirSync(__dirname, { withFileTypes: true })
  .filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith('.') && !['node_modules', 'dist'].includes(entry.name),
  )
  .map(({ name }) => `<rootDir>/${name}`);
const base = {
  roots,
  testEnvironment: 'node',
  transform,
  transformIgnorePatterns: [`/node_modules/(?!(?:${esmOnly.join('|')})/)`],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.docloom/'],
};
module.exports = {
  maxWorkers: 2,
  // Modules of earlier test files are not released: without new workers, one runs out of memory after some 600 files.
  workerIdleMemoryLimit: '3000MB',
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: ['<rootDir>/*/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/', '<rootDir>/dist/'],
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
