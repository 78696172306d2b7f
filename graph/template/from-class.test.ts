import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { DocumentClass } from '../../model/entity/document-class';
import { runPipeline } from '../index';
import { classHints } from './class-hints';
import { classLabels } from './class-labels';
import { templateToFile } from './file';
import { templateOfClass } from './from-class';
import { templateFrom } from './template';

const root = path.join(__dirname, '..', '..');
const folder = path.join(root, 'model', 'entity', 'classes');
const classes = readdirSync(folder).map(
  (file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as DocumentClass,
);
const find = (type: string) => classes.find((one) => one.document_type === type)!;
const title = (name: string) => name.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase());

/** A document of the class that holds the first example of each field: labelled values, sections, and tables. */
function getDocument({ document_type, fields }: DocumentClass, hasList: (name: string) => boolean): string {
  const example = ({ examples }: { examples: readonly string[] }) => examples[0] ?? '';
  const lines = [`# ${title(document_type)}`, ''];
  for (const field of fields) if (!field.fields) lines.push(`${title(field.name)}: ${example(field)}`, '');
  for (const { name, fields: parts } of fields) {
    if (!parts) continue;
    if (hasList(name))
      lines.push(
        `| ${parts.map((part) => title(part.name)).join(' | ')} |`,
        `|${' --- |'.repeat(parts.length)}`,
        `| ${parts.map(example).join(' | ')} |`,
        '',
      );
    else lines.push(`## ${title(name)}`, '', ...parts.flatMap((part) => [`${title(part.name)}: ${example(part)}`, '']));
  }
  return lines.join('\n');
}

/** The result of the rules: the label and attributes of each node, and the labels of the relations. */
async function getGraph(type: string, source: string) {
  const template = templateOfClass(find(type));
  const { graph } = await runPipeline({ source, template, options: { backend: 'rules' } });
  return {
    // Dates and decimals as in files.
    nodes: JSON.parse(JSON.stringify([...graph.nodes.values()])) as Record<string, unknown>[],
    relations: [...graph.edges.values()].map(({ attributes }) => attributes['label'] as string),
  };
}

test('every hint is of a class that exists, and every class has one', () => {
  expect(Object.keys(classHints).toSorted()).toEqual(classes.map(({ document_type: type }) => type).toSorted());
});

describe.each(classes.map((one) => [one.document_type, one] as const))('the template of %s', (type, value) => {
  const hint = classHints[type]!;

  test('names only fields of the class, and survives writing and reading', () => {
    const names = value.fields.map(({ name }) => name);
    for (const name of [...hint.ids, ...Object.keys(hint.things ?? {}), ...Object.keys(hint.parts ?? {})])
      expect(names).toContain(name);
    const file = templateToFile(templateOfClass(value));
    expect(templateToFile(templateFrom(file))).toEqual(file);
  });

  test('finds the document, what it names, and its parts in a document with the examples of its fields', async () => {
    const template = templateOfClass(value);
    const isList = (name: string) =>
      template.classes.get(hint.root)?.fields.find((field) => field.name === name)?.isList;
    const { nodes, relations } = await getGraph(
      type,
      getDocument(value, (name) => isList(name) === true),
    );
    const own = nodes.filter(({ label }) => label === hint.root);
    expect(own).toHaveLength(1);
    for (const id of hint.ids) expect(own[0]).toHaveProperty(id);
    const wanted = [
      ...Object.values(hint.things ?? {}).map(([, relation]) => relation),
      ...Object.values(hint.parts ?? {}).map(({ relation }) => relation),
    ];
    expect(relations.toSorted()).toEqual(wanted.toSorted());
  });
});

const sample = (name: string) => readFileSync(path.join(root, 'samples', 'paperwork', name), 'utf8');

test('an invoice of the samples: its parties and lines', async () => {
  const { nodes, relations } = await getGraph('invoice', sample('invoice-bw-2025-014.md'));
  expect(nodes).toContainEqual(expect.objectContaining({ label: 'Invoice', invoice_number: 'BW-2025-014' }));
  expect(relations).toEqual(expect.arrayContaining(['SOLD_BY', 'SOLD_TO', 'CONTAINS']));
});

test('the same in German', async () => {
  const { nodes, relations } = await getGraph('invoice', sample('rechnung-bw-2025-016.md'));
  expect(nodes).toContainEqual(expect.objectContaining({ label: 'Invoice', invoice_number: 'BW-2025-016' }));
  expect(relations).toEqual(expect.arrayContaining(['SOLD_BY', 'SOLD_TO', 'CONTAINS']));
});

test('an order of the samples: who ordered from whom', async () => {
  const { nodes, relations } = await getGraph('purchase_order', sample('purchase-order-po-7719.txt'));
  expect(nodes).toContainEqual(expect.objectContaining({ label: 'PurchaseOrder', order_number: 'PO-7719' }));
  expect(relations).toEqual(expect.arrayContaining(['ORDERED_BY', 'ORDERED_FROM']));
});

describe('labels', () => {
  test('are of classes and fields that exist', () => {
    for (const [type, labels] of Object.entries(classLabels)) {
      const { classes: templateClas, root: name } = templateOfClass(find(type));
      for (const key of Object.keys(labels)) {
        const [first = '', part] = key.split('.');
        const field = templateClas.get(name)?.fields.find((templateField) => templateField.name === first);
        const owner = part === undefined ? undefined : templateClas.get(field?.model ?? '');
        expect([
          type,
          key,
          part === undefined ? field?.name : owner?.fields.find((templateField) => templateField.name === part)?.name,
        ]).toEqual([type, key, part ?? first]);
      }
    }
  });

  test('a number sign is not left out: `Employee` is not `Employee #`', async () => {
    const { nodes } = await getGraph(
      'pay_slip',
      'Employee: Priya Nair\n\nEmployee #: 0442\n\nPeriod ending: 31 May 2025\n',
    );
    expect(nodes).toContainEqual(expect.objectContaining({ label: 'PaySlip', employee_number: '0442' }));
  });

  test('if a document has two labels, the name of the field takes precedence over a general label', async () => {
    const form = 'Date: 2 May 2025\n\nIssue date: 1 May 2025\n\nQuote no.: Q-1\n';
    expect((await getGraph('quotation', form)).nodes).toContainEqual(
      expect.objectContaining({ issue_date: '2025-05-01' }),
    );
  });

  test('a period is two dates, and an amount may have words after it', async () => {
    const lease = 'Premises: 18 Shore Road\n\nLease term: 1 September 2025 to 31 August 2026\n\nRent: £950 per month\n';
    expect((await getGraph('lease_agreement', lease)).nodes).toContainEqual(
      expect.objectContaining({
        start_date: '2025-09-01',
        end_date: '2026-08-31',
        monthly_rent: 950,
      }),
    );
  });

  test('a choice is found among a few words, unless they negate it', async () => {
    const loan = (product: string) => `Loan no: 1\n\nProduct: ${product}\n`;
    const [fixed] = (await getGraph('mortgage_lending_document', loan('Fixed rate'))).nodes;
    const [none] = (await getGraph('mortgage_lending_document', loan('Not fixed'))).nodes;
    expect([fixed?.['rate_type'], none?.['rate_type'] ?? null]).toEqual(['fixed', null]);
  });

  test('a longer label takes precedence over a shorter one that it begins with', async () => {
    const { relations } = await getGraph(
      'meeting_minutes',
      '# Council\n\nDate: 2025-06-03\n\nChairperson: Lena Brandt\n',
    );
    expect(relations).toEqual(['CHAIRED_BY']);
  });

  test('a label may name a tenant, and the heading a title', async () => {
    const lease = await getGraph(
      'lease_agreement',
      'Premises: 18 Shore Road\n\nStart date: 2025-09-01\n\nTenant: Ewan Grant\n',
    );
    expect(lease.relations).toEqual(['LET_TO']);
    const { nodes } = await getGraph('client_success_case_study', '# Halved waiting times\n\nIndustry: Healthcare\n');
    expect(nodes).toContainEqual(expect.objectContaining({ label: 'CaseStudy', title: 'Halved waiting times' }));
  });
});
