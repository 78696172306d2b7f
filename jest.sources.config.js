const { projects } = require('./jest.config.js');

// Tests of sources that need root and packages of the system: acl (Debian). They start no servers of ours.
const unit = projects.find(({ displayName }) => displayName === 'unit');
module.exports = {
  ...unit,
  displayName: 'sources',
  testMatch: ['<rootDir>/test/sources/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  setupFilesAfterEnv: ['<rootDir>/test/support/servers/timeout-setup.ts'],
};
