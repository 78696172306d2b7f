import { gridOf } from './grid';
import { formatPythonLiteral } from './literal';
import type { Annotation, Meta, NodeItem, TableData } from './model';
import { escapeFully, writeHtmlRows, type MarkdownDialect } from './write/markdown-dialect';
import { pipeCell, pipeTable } from './write/markdown-table';

/** Additional information about an item: a text, or the table of a chart. */
export interface MetaField {
  /** The name of the member of `meta`. */
  name: string;
  text?: string;
  table?: TableData;
  /** A program that draws the picture. */
  code?: string;
}

/** Returns the fields in output order. Old annotations are used only if there is no `meta`. */
export function listMetaFields(node: NodeItem): MetaField[] {
  // Most nodes have no metadata.
  if (!node.meta && !(node as { annotations?: unknown[] }).annotations?.length) return [];
  const meta = getMeta(node);
  const texts: MetaField[] = [
    { name: 'summary', text: meta.summary?.text },
    { name: 'keywords', text: writeList(meta.keywords?.values) },
    { name: 'topics', text: writeList(meta.topics?.values) },
    { name: 'description', text: meta.description?.text },
    { name: 'classification', text: humanize(findMainClass(meta)) },
    { name: 'molecule', text: meta.molecule?.smi },
  ].filter((field): field is { name: string; text: string } => typeof field.text === 'string' && field.text !== '');
  const chart = meta.tabular_chart?.chart_data;
  const code = meta.code?.text;
  return [
    ...texts,
    ...(chart ? [{ name: 'tabular_chart', table: chart }] : []),
    ...(typeof code === 'string' && code !== '' ? [{ name: 'code', code }] : []),
    ...listOwnFields(meta),
  ];
}

/** Removes duplicates. */
function writeList(values: string[] | undefined): string | undefined {
  return values && [...new Set(values)].join(', ');
}

/**
 * Fields that third parties added under a name of the form `space__name`, as the reference writes them. The notes of our own
 * readers are skipped.
 */
function listOwnFields(meta: Meta): MetaField[] {
  return Object.entries(meta).flatMap(([name, value]: [string, unknown]) => {
    if (!name.includes('__') || name.startsWith('docloom__') || value === null || value === undefined || value === '')
      return [];
    return [
      { name, text: typeof value === 'string' ? value : formatPythonLiteral(value, { floats: fractions.test(name) }) },
    ];
  });
}

/** Charts whose numbers are all written as floats, even whole ones. */
const fractions = /^docling_legacy__(?:bar|line|pie|scatter)_chart_data$/;

/** Returns the fields as texts, one paragraph each. Programs that draw pictures are left out. */
export function listMetaTexts(
  node: NodeItem,
  options: { compactTables?: boolean; unescaped?: boolean; dialect?: MarkdownDialect } = {},
): string[] {
  return listMetaFields(node).flatMap(({ text, table }) => {
    const { dialect } = options;
    if (!table) return dialect && text ? escapeFully(text) : (text ?? []);
    if (dialect === 'commonmark') return writeHtmlRows(gridOf(table).map((row) => row.map((cell) => cell.text)));
    const rows = gridOf(table).map((row) => row.map((cell) => pipeCell(cell.text, options)));
    return pipeTable(rows, { compact: options.compactTables ?? false }) || [];
  });
}

/** Returns the `meta` of an item, or the same information from its old annotations. */
export function getMeta(node: NodeItem): Meta {
  return (node.meta as Meta | null | undefined) ?? buildMeta((node as { annotations?: Annotation[] }).annotations);
}

/** Returns the most probable class of a picture, e.g. `bar_chart`. */
export function findMainClass(meta: Meta): string | undefined {
  const predictions = meta.classification?.predictions ?? [];
  let best = predictions[0];
  for (const prediction of predictions) if ((prediction.confidence ?? 0) > (best?.confidence ?? 0)) best = prediction;
  return best?.class_name;
}

/** Formats `bar_chart` for readers: `Bar chart`. */
function humanize(name: string | undefined): string | undefined {
  if (!name) return undefined;
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function buildMeta(annotations: Annotation[] | undefined): Meta {
  const meta: Partial<Record<string, unknown>> = {};
  for (const annotation of annotations ?? []) {
    switch (annotation.kind) {
      case 'description':
        meta.description = { text: annotation.text };
        break;
      case 'classification':
        meta.classification = { predictions: annotation.predicted_classes };
        break;
      case 'molecule_data':
        meta.molecule = { smi: annotation.smi };
        break;
      case 'tabular_chart_data':
        meta.tabular_chart = { chart_data: annotation.chart_data };
        break;
      case 'misc':
        meta['docling_legacy__misc'] = (annotation as { content?: unknown }).content;
        break;
      default:
        if (annotation.kind.endsWith('_chart_data')) meta[`docling_legacy__${annotation.kind}`] = annotation;
    }
  }
  return meta;
}
