import type { ReadDocument } from '../../format';
import { mailOf } from '../eml/read';
import { type Mail, mailboxDocument } from '../mail';
import { messagesIn } from './messages';

/** Reads the messages in file order. A message that cannot be parsed is skipped and counted. */
export const read: ReadDocument = async (bytes, options) => {
  const mails: Mail[] = [];
  for (const message of messagesIn(bytes, options)) mails.push(await mailOf(message, options, { allowBare: true }));
  return mailboxDocument(mails, options);
};
