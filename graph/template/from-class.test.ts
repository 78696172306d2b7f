import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { DocumentClass } from '../../model/entity/document-class';
import { runPipeline } from '../index';
import { classHints } from './class-hints';
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
    nodes: [...graph.nodes.values()],
    relations: [...graph.edges.values()].map(({ attributes }) => attributes['label'] as string),
  };
}

test('every hint is of a class that exists, and every class has one', () => {
  expect(Object.keys(classHints).toSorted()).toEqual(classes.map(({ document_type: type }) => type).toSorted());
});

describe.each(classes.map((one) => [one.document_type, one] as const))('the template of %s', (type, one) => {
  const hint = classHints[type]!;

  test('names only fields of the class, and survives writing and reading', () => {
    const names = one.fields.map(({ name }) => name);
    for (const name of [...hint.ids, ...Object.keys(hint.things ?? {}), ...Object.keys(hint.parts ?? {})])
      expect(names).toContain(name);
    const file = templateToFile(templateOfClass(one));
    expect(templateToFile(templateFrom(file))).toEqual(file);
  });

  test('finds the document, what it names, and its parts in a document with the examples of its fields', async () => {
    const template = templateOfClass(one);
    const isList = (name: string) =>
      template.classes.get(hint.root)?.fields.find((field) => field.name === name)?.isList;
    const { nodes, relations } = await getGraph(
      type,
      getDocument(one, (name) => isList(name) === true),
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
