// Makes the package docloom-convert: the command that converts files and the library behind it, without servers. It holds the compiled
// files that these reach, and needs only the packages that those files load. `node scripts/pack-convert.js [FOLDER]`
'use strict';
const { chmodSync, cpSync, mkdirSync } = require('node:fs');
const path = require('node:path');
const { makePackage, runPack } = require('./make-package.js');

const name = 'docloom-convert';
const description = {
  entries: ['cli/convert/main.js', 'threads/conversion/entry.js', 'formats/index.js', 'document/index.js'],
  types: ['formats/index.d.ts', 'document/index.d.ts'],
  readme: 'docs/convert-package.md',
  /** Heavy packages that most conversions do not need. The code that loads them says what to install. */
  optional: [
    '@tesseract.js-data/eng',
    'gpt-tokenizer',
    'libarchive.js',
    'libheif-js',
    'onnxruntime-node',
    'sharp',
    'tesseract.js',
  ],
  manifest: {
    name,
    description: 'Converts documents of some 40 formats to Markdown, JSON, HTML and text: a command and a library.',
    bin: { [name]: `bin/${name}` },
    exports: {
      '.': { types: './dist/formats/index.d.ts', default: './dist/formats/index.js' },
      './formats': { types: './dist/formats/index.d.ts', default: './dist/formats/index.js' },
      './document': { types: './dist/document/index.d.ts', default: './dist/document/index.js' },
      './package.json': './package.json',
    },
  },
};

function packConvert(given) {
  const made = makePackage(description, given);
  const bin = path.join(made.folder, 'bin');
  mkdirSync(bin);
  cpSync(path.join(__dirname, '..', 'bin', name), path.join(bin, name));
  chmodSync(path.join(bin, name), 0o755);
  return made;
}

module.exports = { packConvert };
if (require.main === module) runPack('pack:convert', packConvert);
