import { listPrincipals, mayRead } from '../../../model/access-list';
import { unreadablePdf } from '../../attack/unreadable-pdf';
import { findLeaks } from '../../support/system/evidence';
import { samplePdf } from '../../support/system/sample-pdf';

/** The users whose documents, flows and searches the test mixes. */
export const users = ['alice', 'bob', 'carol'] as const;
export type Username = (typeof users)[number];

/** A document for each set of readers, each with one canary in its text and another in its name. */
export const readersOf: Readonly<Record<string, readonly Username[]>> = {
  a: ['alice'],
  b: ['bob'],
  c: ['carol'],
  ab: ['alice', 'bob'],
  bc: ['bob', 'carol'],
  ac: ['alice', 'carol'],
  abc: [...users],
};
export const getCanary = (document: string) => `zebra${document}quagga`;
/** The start of the name of the file. */
export const getName = (document: string) => `okapi${document}bongo`;

const getText = (document: string) => {
  const canary = getCanary(document);
  return [
    `# Of ${canary}`,
    `The ${canary} grazes at dawn, canary of the report. Write to ${canary}@example.org, or call the damn warden.`,
    `Animal: ${canary}`,
    `Invoice number: ${canary}`,
    `| animal | place |\n| --- | --- |\n| ${canary} | meadow |`,
  ].join('\n\n');
};

/** The files by name: most are Markdown, `b` is a PDF, `ab` waits in the review queue, and `ac` fails. */
export async function buildFiles(): Promise<Record<string, string | Uint8Array>> {
  const files: Record<string, string | Uint8Array> = {};
  for (const document of Object.keys(readersOf)) files[`${getName(document)}.md`] = getText(document);
  const asPdf = (document: string, bytes: Uint8Array) => {
    delete files[`${getName(document)}.md`];
    files[`${getName(document)}.pdf`] = bytes;
  };
  asPdf('b', await samplePdf([`Of ${getCanary('b')}`, `The ${getCanary('b')} grazes at dawn, canary of the report.`]));
  asPdf('ab', unreadablePdf(`The ${getCanary('ab')} grazes at dawn.`, 'This is not text'));
  asPdf('ac', Buffer.from(`%PDF-1.7\nThe ${getCanary('ac')} is not a document.`));
  return files;
}

/** The access list of each file. */
export function listReaders(files: Readonly<Record<string, unknown>>): Record<string, readonly Username[]> {
  return Object.fromEntries(Object.keys(files).map((file) => [file, readersOf[findDocument(file) ?? ''] ?? []]));
}

/** The document whose name a text begins with. */
export function findDocument(name: string): string | undefined {
  const [, document] = /^okapi([abc]+)bongo/.exec(name) ?? [];
  return document;
}

/** A text that somebody could have got, with those who could. Nobody may have what nobody could have. */
export interface Evidence {
  what: string;
  having: readonly Username[];
  text: string;
}

/** Content of evidence that its users may not have, except for a text. Users may see a canary if they are among its readers. */
export function findForbidden({ what, having, text }: Evidence, except = ''): string[] {
  const isFor = (readers: readonly Username[]) => having.length > 0 && having.every((user) => readers.includes(user));
  const foreign = except === '' ? text : text.replaceAll(except, '');
  return Object.entries(readersOf)
    .filter(([, readers]) => !isFor(readers))
    .flatMap(([document]) => [...findLeaks(foreign, getCanary(document)), ...findLeaks(foreign, getName(document))])
    .map((leak) => `${what}: ${leak}`);
}

/** Rows as evidence: each may hold only what all of its readers may read. A row without readers reaches nobody. */
export function listRowEvidence(what: string, rows: readonly Readonly<Record<string, unknown>>[]): Evidence[] {
  const listReadersOf = (row: Readonly<Record<string, unknown>>) =>
    users.filter((username) => mayRead({ username, principals: listPrincipals(username, []) }, row));
  return rows
    .map((row) => ({ what, having: listReadersOf(row), text: JSON.stringify(row) }))
    .filter(({ having }) => having.length > 0);
}

/** A custom operator that mixes rows and leaks its input in every possible way. */
export const mixing = `export const operator = {
  name: 'mixing', label: 'mixing', summary: 'Mixes rows.', category: 'Quality', scope: 'row', reads: ['content'], writes: [],
  config: { type: 'object', properties: { how: { type: 'string' } }, additionalProperties: false },
};
export async function run(rows, { how }) {
  const all = rows.map(({ name, content }) => name + ' ' + content).join(' ');
  const [first] = rows;
  if (how === 'throw') throw new Error(all);
  if (how === 'fail') return { rows: rows.slice(1), failed: [{ id: first.id, name: all, message: all }] };
  if (how === 'skip') return { rows: rows.slice(1), skipped: [{ id: first.id, name: all, reason: all }] };
  if (how === 'warn') return { rows, warnings: [all] };
  if (how === 'columns') return { rows: rows.map((row) => ({ ...row, ['of ' + all.slice(0, 200)]: 1, metadata: { all } })) };
  if (how === 'lists') return { rows: rows.map((row) => ({ ...row, content: all, allowed_users: ['alice', 'bob', 'carol'] })) };
  return { rows: rows.map((row) => ({ ...row, content: all, title: all })) };
}
`;
