import type { ReadOptions } from '../../format';
import { maxForwarded, parseMail } from './read';

/**
 * Returns the files attached to a message and to messages attached to it. Attached messages themselves and pictures shown in
 * the text are excluded, since they are part of the text.
 */
export async function readAttachments(
  bytes: Uint8Array,
  options: Pick<ReadOptions, 'name' | 'limits'>,
  depth = 0,
): Promise<{ name: string; bytes: Uint8Array }[]> {
  const files: { name: string; bytes: Uint8Array }[] = [];
  const { attachments } = await parseMail(bytes, options.name, options.limits.maxDepth);
  for (const [index, { filename, mimeType, content, related, disposition }] of attachments.entries()) {
    const inner = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
    if (mimeType === 'message/rfc822') {
      if (depth < maxForwarded) files.push(...(await readAttachments(inner, options, depth + 1)));
      continue;
    }
    const isShownInText = mimeType.startsWith('image/') && (related || disposition === 'inline');
    if (!isShownInText)
      files.push({ name: filename ?? `attachment-${index + 1}${extensions[mimeType] ?? ''}`, bytes: inner });
  }
  return files;
}

/** For attachments without a file name. */
const extensions: Readonly<Record<string, string>> = {
  'application/pdf': '.pdf',
  'text/plain': '.txt',
  'text/html': '.html',
  'text/csv': '.csv',
  'text/calendar': '.ics',
  'text/vcard': '.vcf',
};
