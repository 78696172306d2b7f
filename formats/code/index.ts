import type { Format } from '../format';
import { codeExtensions, codeFileNames } from './extensions';

/** Source code and configuration in many languages. Nothing is executed. */
export const code: Format = {
  name: 'code',
  label: 'Source code',
  mediaTypes: [
    'text/x-script',
    'text/javascript',
    'application/javascript',
    'application/x-javascript',
    'text/css',
    'text/x-python',
    'text/x-c',
    'text/x-java-source',
    'application/x-sh',
    'application/sql',
    'application/yaml',
    'application/x-yaml',
    'application/toml',
  ],
  extensions: codeExtensions,
  fileNames: codeFileNames,
  sniff: (head) => /^#! ?\/[^\n\0]{2,120}\n/.test(Buffer.from(head.subarray(0, 256)).toString('latin1')),
  overrides: [],
  load: () => import('./read'),
};
