import { isAccessField } from '../../model/access-list';
import { AppError } from '../../model/errors';

/** A field that requests may name. */
export interface SearchField {
  /** As the request has it. */
  given: string;
  /** In the index. */
  path: string;
  kind: 'keyword' | 'title' | 'date' | 'metadata';
}

/** Field to the set of its types over all indexes. */
export type FieldTypes = ReadonlyMap<string, ReadonlySet<string>>;

/** Fields outside metadata that requests may name; any other name is a key of metadata. */
const topFields: Record<string, SearchField['kind']> = {
  id: 'keyword',
  document_id: 'keyword',
  job_id: 'keyword',
  run_id: 'keyword',
  title: 'title',
  created_at: 'date',
  updated_at: 'date',
};
const contentProblems = {
  filters: "The content has no exact matches; search it by 'query', or by the conditions phrase and prefix.",
  boost: 'The content counts as it is.',
  facets: 'The content has no values to count; count those of title, a date or a key of metadata.',
};

/** The field of a name. VALIDATION_ERROR for the access list and for what has no values. */
export function searchField(member: keyof typeof contentProblems | 'sort', given: string): SearchField {
  const name = given.startsWith('metadata.') ? given : given.trim();
  const bare = name.replace(/^metadata\./, '');
  if (isAccessField(bare))
    throw createFieldError(
      member,
      `'${given}' cannot be named in ${member}: access lists are applied to every search and never shown.`,
      given,
    );
  if (bare === '' || given.length > 512)
    throw createFieldError(
      member,
      `${member} names the field ${excerpt(given)}; a name has 1 to 512 characters.`,
      given,
    );
  if (name === 'content') {
    if (member !== 'sort') throw createFieldError(member, contentProblems[member], given);
    return { given, path: 'content_start', kind: 'keyword' };
  }
  const kind = Object.hasOwn(topFields, name) ? topFields[name] : undefined;
  if (kind) return { given, path: name, kind };
  return { given, path: `metadata.${bare}`, kind: 'metadata' };
}

/** Where the exact text of a field's values is kept. */
export function exactPath(field: SearchField): string {
  return field.kind === 'keyword' || field.kind === 'date' ? field.path : `${field.path}.keyword`;
}

/** The VALIDATION_ERROR of one member of a search request. */
export function createFieldError(member: string, message: string, name?: string): AppError {
  const field = name === undefined ? member : `${member}.${name.slice(0, 512)}`;
  return new AppError('VALIDATION_ERROR', message, { target: { type: 'field', name: field } });
}

/** A value as messages quote it. */
export function excerpt(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
