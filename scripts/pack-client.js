// Makes the package docloom-client: the typed HTTP client for programs in TypeScript and JavaScript, without the server.
// `node scripts/pack-client.js [FOLDER]`
'use strict';
const { makePackage, runPack } = require('./make-package.js');

const description = {
  entries: ['client/index.js'],
  types: ['client/index.d.ts'],
  readme: 'docs/client-package.md',
  optional: [],
  manifest: {
    name: 'docloom-client',
    description: 'The client of Docloom for TypeScript and JavaScript: a typed method for every route.',
    exports: {
      '.': { types: './dist/client/index.d.ts', default: './dist/client/index.js' },
      './package.json': './package.json',
    },
  },
};

const packClient = (folder) => makePackage(description, folder);

module.exports = { packClient };
if (require.main === module) runPack('pack:client', packClient);
