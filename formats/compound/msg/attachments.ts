import type { FieldsData } from '@kenjiuno/msgreader';
import { createReader, maxForwarded } from './read';

/** Returns the files attached to an Outlook message and to its attached messages, except pictures that the text shows. */
export function listAttachments(bytes: Uint8Array, name: string): { name: string; bytes: Uint8Array }[] {
  const { reader, mail } = createReader(bytes, name);
  const files: { name: string; bytes: Uint8Array }[] = [];
  const visit = (message: FieldsData, depth: number): void => {
    for (const attachment of message.attachments ?? []) {
      const inner = attachment.innerMsgContentFields;
      if (inner) {
        if (depth < maxForwarded) visit(inner, depth + 1);
        continue;
      }
      if (attachment.attachmentHidden === true || attachment.dataId === undefined) continue;
      const { fileName, content } = reader.getAttachment(attachment);
      files.push({ name: fileName || `attachment-${files.length + 1}`, bytes: content });
    }
  };
  visit(mail, 0);
  return files;
}
