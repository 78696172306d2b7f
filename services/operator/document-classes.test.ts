import { DocumentClass } from '../../model/entity/document-class';
import { listProblems } from '../../model/validate';
import { listDocumentClasses } from './document-classes';

const classes = listDocumentClasses();

test('at least 36 classes exist, each with a unique name', () => {
  expect(classes.length).toBeGreaterThanOrEqual(36);
  expect(new Set(classes.map(({ document_type }) => document_type)).size).toBe(classes.length);
  expect(classes.map(({ document_type }) => document_type)).toEqual(
    expect.arrayContaining([
      'invoice',
      'receipt',
      'purchase_order',
      'bank_statements',
      'contract',
      'resume',
      'passport',
    ]),
  );
});

test('a member that is not in the schema is a problem', () => {
  expect(listProblems(DocumentClass, { ...classes[0], colour: 'red' })).toHaveLength(1);
});

describe.each(classes.map((item) => [item.document_type, item] as const))('%s', (_name, candidate) => {
  const nested = candidate.fields.flatMap(({ name, fields = [] }) => fields.map((field) => [name, field.name]));
  const leaves = new Set(
    [...candidate.fields.filter(({ fields }) => !fields).map(({ name }) => [name]), ...nested].map((path) =>
      path.join('.'),
    ),
  );

  test('names each field once, and every leaf has examples', () => {
    expect(leaves.size).toBe(candidate.fields.filter(({ fields }) => !fields).length + nested.length);
    const flat = candidate.fields.flatMap((field) => field.fields ?? [field]);
    expect(flat.filter(({ examples }) => examples.length === 0)).toEqual([]);
  });

  test('examples of a choice are among its options', () => {
    const flat = candidate.fields.flatMap((field) => field.fields ?? [field]);
    const unlisted = flat.flatMap(({ examples, available_options: options }) =>
      options ? examples.filter((example) => !options.includes(example)) : [],
    );
    expect(unlisted).toEqual([]);
  });

  test('columns come from existing fields, with unique names, and dates are normalized', () => {
    for (const { columns } of candidate.target_tables) {
      expect(new Set(columns.map(({ name }) => name)).size).toBe(columns.length);
      for (const { source, type } of columns) {
        const { value } = 'transform' in source ? (source.transform.arguments[0] ?? { value: '' }) : { value: source };
        const path = typeof value === 'object' ? value.field.join('.') : '';
        expect([...leaves]).toContain(path);
        const transform = 'transform' in source ? source.transform.transform_name : undefined;
        expect(transform === 'make_date_uniform').toBe(type === 'date');
      }
    }
  });
});
