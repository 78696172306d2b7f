const { projects } = require('./jest.config.js');

// Tests of sources that need Debian's packages: acl and samba (with root), and Dovecot, which is not installed. They start no servers of ours.
const unit = projects.find(({ displayName }) => displayName === 'unit');
module.exports = {
  ...unit,
  displayName: 'sources',
  testMatch: ['<rootDir>/test/sources/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  setupFilesAfterEnv: ['<rootDir>/test/support/servers/timeout-setup.ts'],
};
