import type { Format } from '../format';

/** Web pages. Scripts and styles are not run, and nothing is fetched. */
export const html: Format = {
  name: 'html',
  label: 'HTML',
  mediaTypes: ['text/html', 'application/xhtml+xml'],
  extensions: ['html', 'htm', 'xhtml'],
  sniff: (head) =>
    /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[^])*-->\s*)*<(?:!doctype\s+html|html)[\s>]/i.test(
      Buffer.from(head.subarray(0, 4096))
        .toString('latin1')
        .replace(/^\u00ef\u00bb\u00bf/, ''),
    ),
  mayBeEmpty: true,
  overrides: ['text', 'xml'],
  load: () => import('./read'),
};
