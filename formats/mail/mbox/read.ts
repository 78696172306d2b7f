import type { ReadDocument } from '../../format';
import { readMail } from '../eml/read';
import { type Mail, createMailboxDocument } from '../mail';
import { listMessages } from './messages';

/** Reads the messages in file order. Throws DOCUMENT_CORRUPT if one of them cannot be parsed. */
export const read: ReadDocument = async (bytes, options) => {
  const mails: Mail[] = [];
  for (const message of listMessages(bytes, options)) mails.push(await readMail(message, options, { allowBare: true }));
  return createMailboxDocument(mails, options);
};
