import type { Format } from '../../format';

const header =
  /^(?:from|to|cc|subject|date|message-id|mime-version|received|return-path|delivered-to|reply-to|content-type):/gim;

/** Messages in Internet format (RFC 5322 with MIME). */
export const eml: Format = {
  name: 'eml',
  label: 'E-mail',
  mediaTypes: ['message/rfc822'],
  extensions: ['eml'],
  sniff: (head) => {
    const text = Buffer.from(head.subarray(0, 4096)).toString('latin1');
    if (!/^[A-Za-z][A-Za-z0-9-]*:[ \t]/.test(text)) return false;
    // At least four known fields before the first empty line: a text may start with one or two of them.
    const fields = text.split(/\r?\n\r?\n/)[0]!.match(header) ?? [];
    return new Set(fields.map((field) => field.toLowerCase())).size >= 4;
  },
  serviceName: 'email',
  overrides: ['text'],
  holds: 'document',
  load: () => import('./read'),
};
