import type { Format } from '../format';

/** Jupyter notebooks since format 3. Nothing is executed. */
export const ipynb: Format = {
  name: 'ipynb',
  label: 'Jupyter notebook',
  mediaTypes: ['application/x-ipynb+json'],
  extensions: ['ipynb'],
  sniff: (head) => {
    const text = Buffer.from(head).toString('latin1');
    return /^\s*\{/.test(text) && /"cells"\s*:\s*\[/.test(text) && /"cell_type"\s*:/.test(text);
  },
  load: () => import('./read'),
};
