import { getMeta } from '../../document/meta';
import type { PictureItem, TableData } from '../../document/model';
import { olderPictureClasses, pictureClasses } from '../../model/page/picture-classes';
import { toCodeLanguage } from '../code/code-language';
import { readDoctags } from '../doctags/read';
import { defaultLimits } from '../format';
import { read as readMarkdown } from '../markdown/read';

/** A picture class with the confidence of the model, from 0 to 1. */
export interface Prediction {
  class_name: string;
  confidence?: number;
}

const allClasses: readonly string[] = [...pictureClasses, ...olderPictureClasses];
const maxPredictions = 10;

/**
 * Returns the classes in an answer, the most confident first. The answer may be JSON of several forms, or words. Empty if it
 * contains no known class.
 */
export function readPredictions(answer: string): Prediction[] {
  const json = /[[{][^]*[\]}]/.exec(answer)?.[0];
  const predictions = json === undefined ? [] : listPredictions(parseJson(json));
  if (predictions.length > 0)
    return predictions
      .toSorted((prediction, other) => (other.confidence ?? 0) - (prediction.confidence ?? 0))
      .slice(0, maxPredictions);
  const words = ` ${answer.toLowerCase().replace(/[^a-z]+/g, ' ')} `;
  const named = allClasses.filter((name) => words.includes(` ${name.replaceAll('_', ' ')} `));
  // `map` is not a second class in addition to `geographical map`, nor is `other` in addition to `other chart`.
  const whole = named.filter((name) => !named.some((longer) => longer !== name && `_${longer}_`.includes(`_${name}_`)));
  return whole.length === 1 && words.split(' ').length < 40 ? [{ class_name: whole[0] as string }] : [];
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

function listPredictions(value: unknown): Prediction[] {
  if (Array.isArray(value)) return value.flatMap(listPredictions);
  if (typeof value === 'string') return getPrediction(value, undefined);
  if (typeof value !== 'object' || value === null) return [];
  const members = value as Record<string, unknown>;
  const list = members['predictions'] ?? members['classes'] ?? members['predicted_classes'];
  if (Array.isArray(list)) return listPredictions(list);
  const name = members['class_name'] ?? members['class'] ?? members['label'] ?? members['type'] ?? members['kind'];
  return getPrediction(name, members['confidence'] ?? members['score'] ?? members['probability']);
}

function getPrediction(name: unknown, sure: unknown): Prediction[] {
  const class_name =
    typeof name === 'string'
      ? name
          .trim()
          .toLowerCase()
          .replace(/[\s-]+/g, '_')
      : '';
  if (!allClasses.includes(class_name)) return [];
  const parsedConfidence = Number(typeof sure === 'string' || typeof sure === 'number' ? sure : Number.NaN);
  const confidence = parsedConfidence > 1 && parsedConfidence <= 100 ? parsedConfidence / 100 : parsedConfidence;
  return [{ class_name, ...(confidence >= 0 && confidence <= 1 ? { confidence } : {}) }];
}

/** True if a model answers that a picture is not a chart. */
export function isNoChart(answer: string): boolean {
  return /^[\s"'*.`]*(?:none\b|no (?:chart|data|table)\b|(?:this|the) (?:picture|image) is (?:not a|no) chart)/i.test(
    answer,
  );
}

/** Returns the data of a chart with its title from a table in Markdown, HTML, DocTags or CSV; undefined if there is none. */
export function parseChart(answer: string): { title?: string; chart_data: TableData } | undefined {
  const { tables, texts, pictures } = /<[fec]cel>|<ched>/i.test(answer)
    ? readDoctags(/<(?:otsl|chart)>/i.test(answer) ? answer : `<otsl>${answer}</otsl>`, { name: 'chart', pages: [] })
    : asMarkdown(answer);
  const chart_data = tables[0]?.data ?? findData(pictures) ?? findCsv(answer);
  if (!chart_data || chart_data.num_rows < 2 || chart_data.num_cols < 2) return undefined;
  const heading = texts.find(({ label }) => label === 'title' || label === 'section_header' || label === 'caption');
  const title = heading?.text ?? /^\s*\W*(?:chart )?title\W*:\W*(.+?)\W*$/im.exec(answer)?.[1];
  return { ...(title ? { title } : {}), chart_data };
}

function findData([picture]: readonly PictureItem[]): TableData | undefined {
  return picture ? getMeta(picture).tabular_chart?.chart_data : undefined;
}

function asMarkdown(answer: string) {
  const text = /```(?:markdown|md|html)?[ \t]*\n([^]*?)(?:\n```|$)/.exec(answer)?.[1] ?? answer;
  return readMarkdown(new TextEncoder().encode(text), { name: 'chart', limits: defaultLimits }) as ReturnType<
    typeof readDoctags
  >;
}

function findCsv(answer: string): TableData | undefined {
  const text = /```(?:csv|tsv|text)?[ \t]*\n([^]*?)(?:\n```|$)/.exec(answer)?.[1] ?? answer;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const sign = [',', ';', '\t'].find((value) => lines.length > 1 && lines.every((line) => line.includes(value)));
  if (sign === undefined) return undefined;
  const rows = lines.map((line) => line.split(sign).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1')));
  if (new Set(rows.map((row) => row.length)).size > 1) return undefined;
  const marked = rows.map((row, index) => row.map((cell) => `<${index === 0 ? 'ched' : 'fcel'}>${cell}`).join(''));
  return readDoctags(`<otsl>${marked.join('<nl>')}<nl></otsl>`, { name: 'chart', pages: [] }).tables[0]?.data;
}

/** Returns the code in an answer, and its language if it is stated: DocTags, a code fence, or bare code. */
export function parseCode(answer: string): { text: string; language?: string } {
  const bare = answer.replace(/<loc_\d+>|<\/?(?:doctag|code)>/g, '').replace(/^[ \t]*\n|\s+$/g, '');
  const [marked, name] = /^\s*<_([^_<>]+)_>[ \t]*\n?/.exec(bare) ?? [];
  if (marked !== undefined) return { text: bare.slice(marked.length), ...getLanguage(name) };
  const fence = /```([^\n`]*)\n([^]*?)(?:\n```|$)/.exec(answer);
  return fence ? { text: fence[2] ?? '', ...getLanguage(fence[1]) } : { text: bare };
}

/** Returns the language in a short answer; undefined if it is unknown. */
export function readLanguage(answer: string): string | undefined {
  return getLanguage(answer.replace(/[`*_."']/g, '').trim()).language;
}

function getLanguage(name: string | undefined): { language?: string } {
  const language = toCodeLanguage(name?.trim());
  return language === 'unknown' ? {} : { language };
}

/** Returns the formula in an answer as LaTeX, without delimiters. */
export function extractLatex(answer: string): string {
  const text = answer.replace(/<loc_\d+>|<\/?(?:doctag|formula)>/g, '').trim();
  const inside =
    /```(?:latex|tex|math)?[ \t]*\n([^]*?)\n?```/i.exec(text)?.[1] ??
    /\$\$([^]+?)\$\$/.exec(text)?.[1] ??
    /\\\[([^]+?)\\\]/.exec(text)?.[1] ??
    /^\\\(([^]+?)\\\)$/.exec(text)?.[1] ??
    /^\$([^$]+)\$$/.exec(text)?.[1] ??
    text;
  const trimmed = inside.trim();
  return trimmed === inside && inside === text ? text : extractLatex(trimmed);
}
