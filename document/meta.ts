import { gridOf } from './grid';
import { pipeTable } from './markdown-table';
import type { NodeItem, TableData } from './model';

interface Meta {
  summary?: { text?: string } | null;
  keywords?: { values?: string[] } | null;
  description?: { text?: string } | null;
  classification?: { predictions?: { class_name?: string; confidence?: number }[] } | null;
  molecule?: { smi?: string } | null;
  tabular_chart?: { chart_data?: TableData } | null;
}
interface Annotation {
  kind?: string;
  text?: string;
  predicted_classes?: { class_name?: string }[];
  smi?: string;
  chart_data?: TableData;
}

/** What is known about an item beyond its text, a paragraph each. The old annotations count where there is no meta. */
export function metaTexts(node: NodeItem, options: { compactTables?: boolean } = {}): string[] {
  const meta: Meta = node.meta ?? metaOfAnnotations((node as { annotations?: unknown[] }).annotations);
  const chart = meta.tabular_chart?.chart_data;
  const texts = [
    meta.summary?.text,
    meta.keywords?.values?.join(', '),
    meta.description?.text,
    humanised(mainClass(meta)),
    meta.molecule?.smi,
    chart
      ? pipeTable(
          gridOf(chart).map((row) => row.map(({ text }) => text.replaceAll('\n', ' '))),
          { compact: options.compactTables ?? false },
        )
      : '',
  ];
  return texts.filter((text): text is string => typeof text === 'string' && text !== '');
}

/** The class that a picture most probably shows, e.g. `bar_chart`. */
export function mainClass(meta: Meta): string | undefined {
  const predictions = meta.classification?.predictions ?? [];
  let best = predictions[0];
  for (const prediction of predictions) if ((prediction.confidence ?? 0) > (best?.confidence ?? 0)) best = prediction;
  return best?.class_name;
}

/** `bar_chart` as people write it: `Bar chart`. */
export function humanised(name: string | undefined): string | undefined {
  if (!name) return undefined;
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function metaOfAnnotations(annotations: unknown[] | undefined): Meta {
  const meta: Meta = {};
  for (const annotation of (annotations ?? []) as (Annotation | null)[]) {
    switch (annotation?.kind) {
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
      default:
    }
  }
  return meta;
}
