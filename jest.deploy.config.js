const { projects } = require('./jest.config.js');

// Tests of what is deployed, with tools that take minutes to get (helm, kubernetes-validate, Prometheus) and servers of several nodes.
const servers = projects.find(({ displayName }) => displayName === 'servers');
module.exports = {
  ...servers,
  displayName: 'deploy',
  testMatch: ['<rootDir>/test/deploy/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
};
