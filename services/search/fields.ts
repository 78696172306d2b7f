import { isAccessField } from '../../model/access-list';
import { AppError } from '../../model/errors';

/** A field that requests may name. */
export interface SearchField {
  /** The name in the request. */
  given: string;
  /** The name in the index. */
  path: string;
  kind: 'keyword' | 'title' | 'date' | 'metadata';
}

/**
 * The types of a field in records that the user may read. `onlyIn` names the indexes of these records if the field has another
 * type elsewhere: a condition on the type must be limited to them, because errors and results would reveal the other type.
 */
export type HeldTypes = ReadonlySet<string> & { readonly onlyIn?: readonly string[] };

/** The types of each field in readable records. */
export type FieldTypes = ReadonlyMap<string, HeldTypes>;

const maxFieldNameLength = 512;
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
  boost: 'The content cannot be boosted; boost title or a key of metadata.',
  facets: 'The content has no values to count; count those of title, a date or a key of metadata.',
};

/** Returns the field with this name. Throws VALIDATION_ERROR for access lists and fields without values. */
export function findSearchField(member: keyof typeof contentProblems | 'sort', value: string): SearchField {
  const name = value.startsWith('metadata.') ? value : value.trim();
  const bare = name.replace(/^metadata\./, '');
  if (isAccessField(bare))
    throw createFieldError(
      member,
      `'${value}' cannot be named in ${member}: access lists are applied to every search and never shown.`,
      value,
    );
  if (bare === '' || value.length > maxFieldNameLength)
    throw createFieldError(
      member,
      `${member} names the field ${cutExcerpt(value)}; a name has 1 to ${maxFieldNameLength} characters.`,
      value,
    );
  if (name === 'content') {
    if (member !== 'sort') throw createFieldError(member, contentProblems[member], value);
    return { given: value, path: 'content_start', kind: 'keyword' };
  }
  const kind = Object.hasOwn(topFields, name) ? topFields[name] : undefined;
  if (kind) return { given: value, path: name, kind };
  return { given: value, path: `metadata.${bare}`, kind: 'metadata' };
}

/** The path of the exact text of a field's values. */
export function getExactPath(field: SearchField): string {
  return field.kind === 'keyword' || field.kind === 'date' ? field.path : `${field.path}.keyword`;
}

/** The VALIDATION_ERROR for one member of a search request. */
export function createFieldError(member: string, message: string, name?: string): AppError {
  const field = name === undefined ? member : `${member}.${name.slice(0, maxFieldNameLength)}`;
  return new AppError('VALIDATION_ERROR', message, { target: { type: 'field', name: field } });
}

/** The value as quoted in messages. */
export function cutExcerpt(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
