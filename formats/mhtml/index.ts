import type { Format } from '../format';

/** Web pages saved with their pictures in one file by browsers and wikis (RFC 2557). Nothing is fetched. */
export const mhtml: Format = {
  name: 'mhtml',
  label: 'Web archive',
  mediaTypes: ['multipart/related', 'application/x-mimearchive'],
  extensions: ['mht', 'mhtml'],
  sniff: (head) => {
    const fields = Buffer.from(head)
      .toString('latin1')
      .trimStart()
      .split(/\r?\n\r?\n/)[0]!;
    if (!/^[A-Za-z-]+:/.test(fields)) return false;
    const isSaved = /^from:\s*["<]?saved by /im.test(fields) || /^(?:x-)?snapshot-content-location:/im.test(fields);
    if (isSaved) return /^content-type:\s*(?:multipart\/|text\/html)/im.test(fields);
    // Exported pages have no sender, messages do.
    return /^content-type:\s*multipart\/related/im.test(fields) && !/^(?:from|to|received|sender):/im.test(fields);
  },
  load: () => import('./read'),
};
