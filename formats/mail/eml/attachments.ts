import type { ReadOptions } from '../../format';
import { parseMail } from './read';

/**
 * The files attached to a message, including those of attached messages, which are part of its text. Pictures shown in the text
 * are excluded.
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
    } else if (!(mimeType.startsWith('image/') && (related || disposition === 'inline')))
      files.push({ name: filename ?? `attachment-${index + 1}${getExtensionOfType(mimeType)}`, bytes: inner });
  }
  return files;
}

/** The same depth at which messages are read. */
const maxForwarded = 10;

const extensions: Readonly<Record<string, string>> = {
  'application/pdf': '.pdf',
  'text/plain': '.txt',
  'text/html': '.html',
  'text/csv': '.csv',
  'text/calendar': '.ics',
  'text/vcard': '.vcf',
};

function getExtensionOfType(mediaType: string): string {
  return extensions[mediaType] ?? '';
}
