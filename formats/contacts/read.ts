import { createDocument, type DocumentBuilder } from '../../document/builder';
import { AppError } from '../../model/errors';
import {
  type ContentLine,
  type LineComponent,
  readComponents,
  decodeValue,
  listValues,
} from '../calendar/content-lines';
import { type ReadDocument, getStem } from '../format';

/** Lines of a contact in output order, with their labels. */
const labels: Readonly<Record<string, string>> = {
  NICKNAME: 'Nickname',
  ORG: 'Organization',
  TITLE: 'Title',
  ROLE: 'Role',
  TEL: 'Phone',
  EMAIL: 'E-mail',
  IMPP: 'Messenger',
  ADR: 'Address',
  URL: 'Link',
  BDAY: 'Birthday',
  ANNIVERSARY: 'Anniversary',
  RELATED: 'Related',
  CATEGORIES: 'Categories',
  LANG: 'Language',
};
/** Properties with several components, separated by semicolons. */
const structured: ReadonlySet<string> = new Set(['ORG', 'ADR', 'N']);

/** Reads contacts: the name as heading, a line for each number and address, notes as paragraphs. */
export const read: ReadDocument = (bytes, options) => {
  const cards = readComponents(bytes, options).filter(({ name }) => name === 'VCARD');
  if (cards.length === 0)
    throw new AppError('DOCUMENT_CORRUPT', `'${options.name}' contains no contacts: it has no BEGIN:VCARD.`);
  const builder = createDocument(getStem(options.name));
  for (const card of cards) {
    addCard(builder, card);
    for (const { name } of card.lines)
      if (/^(?:PHOTO|LOGO|SOUND|KEY)$/.test(name)) options.recordOmission?.('attachment');
  }
  return builder.document;
};

function addCard(builder: DocumentBuilder, card: LineComponent): void {
  const [formattedName] = listValues(card, 'FN');
  const [familyName = '', givenName = '', middleNames = '', prefix = '', suffix = ''] = listMembers(
    card.lines.find(({ name }) => name === 'N')?.value ?? '',
  );
  const joinedName = [prefix, givenName, middleNames, familyName, suffix].filter((part) => part !== '').join(' ');
  builder.heading(1, (formattedName ?? joinedName).replaceAll(/\s+/g, ' ') || '(no name)');
  for (const [name, label] of Object.entries(labels)) {
    for (const line of card.lines.filter((property) => property.name === name)) {
      const text = formatValue(line);
      const kinds = joinKinds(line);
      if (text !== '') builder.text('text', `${label}${kinds === '' ? '' : ` (${kinds})`}: ${text}`);
    }
  }
  for (const note of listValues(card, 'NOTE')) builder.text('text', note);
}

function formatValue({ name, value }: ContentLine): string {
  if (!structured.has(name))
    return decodeValue(value)
      .replace(/^(?:tel|mailto):/i, '')
      .replaceAll(/\s*\n\s*/g, ', ');
  return listMembers(value)
    .filter((member) => member !== '')
    .join(', ');
}

/** Splits a value at unescaped semicolons. */
function listMembers(value: string): string[] {
  return (value.match(/(?:\\[\s\S]|[^;\\])*(?:;|$)/g) ?? []).map((member) =>
    decodeValue(member.replace(/;$/, '')).replaceAll(/\s*\n\s*/g, ', '),
  );
}

/** Returns the meaningful kinds, joined: `work, cell`. */
function joinKinds({ parameters }: ContentLine): string {
  const kinds = (parameters.get('TYPE') ?? '').toLowerCase().split(',');
  return [...new Set(kinds)].filter((kind) => !['', 'pref', 'internet', 'voice', 'x400'].includes(kind)).join(', ');
}
