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
/** A class named in a longer answer may not be the class of the picture. */
const maxWordsAroundClass = 40;

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
  return whole.length === 1 && words.split(' ').length < maxWordsAroundClass
    ? [{ class_name: whole[0] as string }]
    : [];
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
  if (typeof value === 'string') return toPredictions(value, undefined);
  if (typeof value !== 'object' || value === null) return [];
  const members = value as Record<string, unknown>;
  const list = members['predictions'] ?? members['classes'] ?? members['predicted_classes'];
  if (Array.isArray(list)) return listPredictions(list);
  const name = members['class_name'] ?? members['class'] ?? members['label'] ?? members['type'] ?? members['kind'];
  return toPredictions(name, members['confidence'] ?? members['score'] ?? members['probability']);
}

/** Returns a list of one prediction; empty for an unknown class. Models write the confidence as 0.93, "0.93" or 93. */
function toPredictions(name: unknown, stated: unknown): Prediction[] {
  if (typeof name !== 'string') return [];
  const words = name.trim().toLowerCase();
  const class_name = words.replace(/[\s-]+/g, '_');
  if (!allClasses.includes(class_name)) return [];
  const number = typeof stated === 'string' || typeof stated === 'number' ? Number(stated) : Number.NaN;
  const confidence = number > 1 && number <= 100 ? number / 100 : number;
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
    : readAsMarkdown(answer);
  const chart_data = tables[0]?.data ?? findChartData(pictures) ?? readCsv(answer);
  if (!chart_data || chart_data.num_rows < 2 || chart_data.num_cols < 2) return undefined;
  const heading = texts.find(({ label }) => label === 'title' || label === 'section_header' || label === 'caption');
  const title = heading?.text ?? /^\s*\W*(?:chart )?title\W*:\W*(.+?)\W*$/im.exec(answer)?.[1];
  return { ...(title ? { title } : {}), chart_data };
}

function findChartData([picture]: readonly PictureItem[]): TableData | undefined {
  return picture ? getMeta(picture).tabular_chart?.chart_data : undefined;
}

function readAsMarkdown(answer: string) {
  const text = findFenced(answer, /```(?:markdown|md|html)?[ \t]*\n/);
  return readMarkdown(new TextEncoder().encode(text), { name: 'chart', limits: defaultLimits }) as ReturnType<
    typeof readDoctags
  >;
}

/** Returns the content of the first code fence, which a truncated answer leaves open; the whole answer without a fence. */
function findFenced(answer: string, fenceStart: RegExp): string {
  const start = fenceStart.exec(answer);
  if (!start) return answer;
  const content = answer.slice(start.index + start[0].length);
  const end = content.startsWith('```') ? 0 : content.indexOf('\n```');
  return end < 0 ? content : content.slice(0, end);
}

/** Reads lines with the same number of commas, semicolons or tabs as a table with a header row. */
function readCsv(answer: string): TableData | undefined {
  const text = findFenced(answer, /```(?:csv|tsv|text)?[ \t]*\n/);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length < 2) return undefined;
  const separator = [',', ';', '\t'].find((sign) => lines.every((line) => line.includes(sign)));
  if (separator === undefined) return undefined;
  const rows = lines.map((line) => line.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1')));
  if (new Set(rows.map((row) => row.length)).size > 1) return undefined;
  const marked = rows.map((row, index) => row.map((cell) => `<${index === 0 ? 'ched' : 'fcel'}>${cell}`).join(''));
  return readDoctags(`<otsl>${marked.join('<nl>')}<nl></otsl>`, { name: 'chart', pages: [] }).tables[0]?.data;
}

/** Returns the code in an answer, and its language if it is stated: DocTags, a code fence, or bare code. */
export function parseCode(answer: string): { text: string; language?: string } {
  const bare = answer.replace(/<loc_\d+>|<\/?(?:doctag|code)>/g, '').replace(/^[ \t]*\n|\s+$/g, '');
  const [marked, name] = /^\s*<_([^_<>]+)_>[ \t]*\n?/.exec(bare) ?? [];
  if (marked !== undefined) return { text: bare.slice(marked.length), ...parseLanguage(name) };
  const fence = /```([^\n`]*)\n([^]*?)(?:\n```|$)/.exec(answer);
  return fence ? { text: fence[2] ?? '', ...parseLanguage(fence[1]) } : { text: bare };
}

/** Returns the language in a short answer; undefined if it is unknown. */
export function readLanguage(answer: string): string | undefined {
  return parseLanguage(answer.replace(/[`*_."']/g, '').trim()).language;
}

function parseLanguage(name: string | undefined): { language?: string } {
  const language = toCodeLanguage(name?.trim());
  return language === 'unknown' ? {} : { language };
}

/** Returns the formula in an answer as LaTeX, without delimiters. */
export function extractLatex(answer: string): string {
  const text = answer.replace(/<loc_\d+>|<\/?(?:doctag|formula)>/g, '').trim();
  const content =
    /```(?:latex|tex|math)?[ \t]*\n([^]*?)\n?```/i.exec(text)?.[1] ??
    /\$\$([^]+?)\$\$/.exec(text)?.[1] ??
    /\\\[([^]+?)\\\]/.exec(text)?.[1] ??
    /^\\\(([^]+?)\\\)$/.exec(text)?.[1] ??
    /^\$([^$]+)\$$/.exec(text)?.[1] ??
    text;
  // Delimiters may be nested: a fence around `$$ … $$`.
  return content === text ? text : extractLatex(content);
}
