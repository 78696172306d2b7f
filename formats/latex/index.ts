import type { Format } from '../format';

/** LaTeX documents; what they input is read where the caller gives the files beside them. */
export const latex: Format = {
  name: 'latex',
  label: 'LaTeX',
  mediaTypes: ['application/x-tex', 'text/x-tex', 'application/x-latex', 'text/x-latex'],
  extensions: ['tex', 'latex', 'ltx'],
  sniff: (head) => /^(?:\s|%.*\n)*\\documentclass\b/.test(Buffer.from(head.subarray(0, 4096)).toString('latin1')),
  load: () => import('./read'),
};
