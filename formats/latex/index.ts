import type { Format } from '../format';

/** LaTeX documents. Input files are read if the caller provides the files next to the document. */
export const latex: Format = {
  name: 'latex',
  label: 'LaTeX',
  mediaTypes: ['application/x-tex', 'text/x-tex', 'application/x-latex', 'text/x-latex'],
  extensions: ['tex', 'latex', 'ltx'],
  sniff: (head) => /^(?:\s|%.*\n)*\\documentclass\b/.test(Buffer.from(head.subarray(0, 4096)).toString('latin1')),
  mayBeEmpty: true,
  load: () => import('./read'),
};
