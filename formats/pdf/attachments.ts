import type { ReadOptions } from '../format';
import type { PdfAttachment } from './engine/attachments';
import { openReader } from './engine/reader';

/** The type name of streams with attached files. It is in clear text even in encrypted files (ISO 32000-1, 7.11.4). */
const typeName = Buffer.from('EmbeddedFile');

/** Returns the files attached to a PDF: those of the document in their order, then those of its pages. */
export async function listAttachments(
  bytes: Uint8Array,
  { name }: Pick<ReadOptions, 'name'>,
): Promise<PdfAttachment[]> {
  // Opening a PDF takes far longer than this.
  if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(typeName)) return [];
  const reader = await openReader(bytes, name);
  try {
    return await reader.readAttachments();
  } finally {
    reader.close();
  }
}
