import type { TemplateClass, TemplateField } from '../template/model';

/** A label without case, accents, spaces and marks. `Invoice #`, `Invoice №` and `Invoice number` are the same as `Invoice no.`, which differs from `Invoice`. */
export const normalizeLabel = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('_', ' ')
    .replace(/#|\u2116|\bn(?:\u00b0|$)|\b(?:number|nr|num)\b/g, ' no ')
    .replace(/[^\p{L}\p{N}]/gu, '');

/** The normalized labels of a field: its name, its description, its other labels, and each of these after the name of the class. */
export function collectLabels(templateClass: TemplateClass, field: TemplateField): Set<string> {
  const labels = [field.name, ...(field.description ? [field.description] : []), ...(field.labels ?? [])];
  return new Set(labels.flatMap((label) => [label, `${templateClass.name} ${label}`]).map(normalizeLabel));
}

/** The label without the letter or number of its item on a form: `b Employer's name`, `2a. Tax-exempt interest`. */
export const omitItem = (title: string): string => title.replace(/^(?:\d{1,2}[a-z]?|[a-z])[.)]?\s+/, '');

const firstName = /^(?:\p{L}{1,20}s|your)?(?:first|given|fore)names?(?:s|andinitial|andmiddleinitial)?$/u;
const lastName = /^(?:\p{L}{1,20}s|your)?(?:last|family|sur)names?$/u;

/** First and last name of the only person whose names are labelled as such; undefined if there are several. */
export function findFullName(pairs: readonly { label: string; value: string }[]): string | undefined {
  const parts = [firstName, lastName].map(
    (part) => new Set(pairs.flatMap(({ label, value }) => (value !== '' && part.test(label) ? [value] : []))),
  );
  return parts.every(({ size }) => size === 1) ? parts.flatMap((part) => [...part]).join(' ') : undefined;
}

/** Longer values are neither ranges nor amounts, and longer cells are not column heads. */
export const maxValueLength = 200;

/** The label without the note after it: `Date of birth (DD/MM/YYYY)`. */
export const omitNote = (title: string): string =>
  title.length > maxValueLength ? title : title.replace(/\s*\([^)]*\)\s*:?$/, '');
