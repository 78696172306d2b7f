import { type Attributes, type GraphValue, isEmpty, isRecord, setMember } from '../core/value';
import { writePythonText } from '../peer/python-text';
import type { GraphTemplate, TemplateField } from '../template/model';
import { getClass } from '../template/template';

/** An instance that conforms to the template, and the changes that were needed. */
export interface Fitted {
  instance: Attributes;
  problems: string[];
}

/**
 * Fits a model's answer to a class: drops invented fields, wraps single values in lists where needed, parses numbers from
 * strings, and drops list items without identity. Never invents missing values.
 */
export function fitAnswer(template: GraphTemplate, name: string, answer: Attributes, at = ''): Fitted {
  const templateClass = getClass(template, name);
  const problems: string[] = [];
  const fieldNames = new Set(templateClass.fields.map((field) => field.name));
  for (const key of Object.keys(answer)) if (!fieldNames.has(key)) problems.push(`${at}/${key} is not in the template`);
  const instance: Attributes = {};
  for (const field of templateClass.fields) {
    const answerValue = Object.hasOwn(answer, field.name) ? (answer[field.name] ?? null) : null;
    const value = fitField({ template, field, at: `${at}/${field.name}`, problems }, answerValue);
    if (!isEmpty(value)) setMember(instance, field.name, value);
  }
  return { instance, problems };
}

interface Fitting {
  template: GraphTemplate;
  field: TemplateField;
  at: string;
  problems: string[];
}

function fitField(fitting: Fitting, value: GraphValue): GraphValue {
  const { field, at, problems } = fitting;
  if (value === null) return null;
  if (!field.isList) {
    const single = Array.isArray(value) ? (value[0] ?? null) : value;
    if (Array.isArray(value) && value.length > 1)
      problems.push(`${at} holds ${value.length} values, the first is used`);
    return fitSingle(fitting, single);
  }
  const items = Array.isArray(value) ? value : [value];
  return items
    .map((item, index) => fitSingle({ ...fitting, at: `${at}/${index}` }, item))
    .filter((item) => !isEmpty(item));
}

function fitSingle(fitting: Fitting, value: GraphValue): GraphValue {
  const { field, at, problems } = fitting;
  if (value === null) return null;
  const fitted = field.model ? fitModel(fitting, field.model, value) : fitScalar(field, value);
  if (fitted === undefined)
    problems.push(`${at} is not a valid ${field.choices ? 'choice' : (field.model ?? field.type)}`);
  return fitted ?? null;
}

// A plain string for an entity is its name, so the only id field.
function fitModel({ template, at, problems }: Fitting, name: string, value: GraphValue): GraphValue | undefined {
  const templateClass = getClass(template, name);
  const [onlyId] = templateClass.idFields;
  const answer =
    typeof value === 'string' && onlyId && templateClass.idFields.length === 1 ? { [onlyId]: value } : value;
  if (!isRecord(answer)) return undefined;
  const fitted = fitAnswer(template, name, answer, at);
  problems.push(...fitted.problems);
  if (Object.keys(fitted.instance).length === 0) return null;
  const lacksIdentity =
    templateClass.idFields.length > 0 && templateClass.idFields.every((field) => isEmpty(fitted.instance[field]));
  if (!lacksIdentity) return fitted.instance;
  problems.push(`${at} lacks ${templateClass.idFields.join(', ')}, which would identify it`);
  return null;
}

function fitScalar(field: TemplateField, value: GraphValue): GraphValue | undefined {
  if (isRecord(value) || Array.isArray(value)) return field.type === 'any' ? value : undefined;
  const text = typeof value === 'string' ? value.trim() : undefined;
  if (text === '') return null;
  if (field.choices) return text === undefined ? undefined : fitChoice(field.choices.values, text);
  switch (field.type) {
    case 'int':
      return typeof value === 'bigint' ? value : findWholeNumber(text ?? value);
    case 'float':
      return findNumber(text ?? value);
    case 'decimal':
      return text === undefined ? value : findDecimal(text);
    case 'bool':
      return typeof value === 'boolean'
        ? value
        : { true: true, yes: true, false: false, no: false }[text?.toLowerCase() ?? ''];
    case 'date':
      return text === undefined ? undefined : findDate(text);
    case 'any':
      return value;
    default:
      return text ?? writePythonText(value);
  }
}

/**
 * The choice that equals the text, or the only choice that a short text contains: `Fixed rate` is `fixed`, `not fixed`
 * is none.
 */
function fitChoice(values: readonly string[], text: string): string | undefined {
  const listWords = (value: string) => value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const givenWords = listWords(text);
  const exact = values.find((value) => value.toLowerCase() === text.toLowerCase());
  const same = exact ?? values.find((value) => listWords(value).join(' ') === givenWords.join(' '));
  if (same !== undefined || givenWords.length > maxChoiceWords || givenWords.some((word) => negations.has(word)))
    return same;
  const contained = values.filter((value) => ` ${givenWords.join(' ')} `.includes(` ${listWords(value).join(' ')} `));
  return contained.length === 1 ? contained[0] : undefined;
}

const maxChoiceWords = 4;
const negations = new Set(['no', 'not', 'non', 'never', 'without', 'un', 'nicht', 'kein', 'keine', 'pas', 'sin']);

function findWholeNumber(rawValue: GraphValue): number | undefined {
  const value = findNumber(rawValue);
  return value !== undefined && Number.isInteger(value) ? value : undefined;
}

function findNumber(value: GraphValue): number | undefined {
  if (typeof value === 'number') return value;
  const digits = findDecimal(typeof value === 'string' ? value : JSON.stringify(value));
  return digits === undefined ? undefined : Number(digits);
}

/** A longer text is not a number that a person has written. */
const maxNumberLength = 1_000;

/** Extracts a number from a text with currency, percent sign and separators: `1,234.50 EUR`, `1.234,50 €`, `-5 %`. */
export function findDecimal(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > maxNumberLength) return undefined;
  // Accounts write negative amounts as `(300.00)` and `-$300.00`.
  const inner = /^\((.*)\)$/s.exec(trimmed)?.[1];
  const match = /^(\D{0,4}?)([-+\u2212]?\d[\d.,' \u00a0]*)\s*[%\p{Sc}\p{L}]{0,4}\.?$/u.exec(inner ?? trimmed);
  if (!match?.[2]) return undefined;
  const isNegative = inner !== undefined || /^[-\u2212] ?\p{Sc}/u.test(match[1] ?? '');
  const digits = (isNegative ? `-${match[2]}` : match[2])
    .replace(/[' \u00a0]/g, '')
    .replace('\u2212', '-')
    .replace(/[.,]$/, '');
  const comma = digits.lastIndexOf(',');
  const point = digits.lastIndexOf('.');
  if (comma >= 0 && point >= 0) {
    return comma > point ? digits.replace(/\./g, '').replace(',', '.') : digits.replace(/,/g, '');
  }
  const mark = comma >= 0 ? ',' : '.';
  const isGrouped = digits.split(mark).length > 2 || (mark === ',' && /,\d{3}$/.test(digits));
  return isGrouped ? digits.replaceAll(mark, '') : digits.replace(',', '.');
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * Parses `2024-01-31`, `31.01.2024`, `31.01.24`, `31 January 2024` or `Jan 31, 2024` to an ISO date. A date with slashes only if the month is
 * unambiguous.
 */
export function findDate(text: string): string | undefined {
  const iso = /^(\d{4})[-/.](\d\d?)[-/.](\d\d?)(?:[T ].*)?$/.exec(text);
  if (iso) return toIsoDate(iso[1], iso[2], iso[3]);
  const dotted = /^(\d\d?)\.\s?(\d\d?)\.\s?(\d{4}|\d\d)$/.exec(text);
  if (dotted) return toIsoDate(toFullYear(dotted[3] ?? ''), dotted[2], dotted[1]);
  const slashed = /^(\d\d?)\/(\d\d?)\/(\d{4})$/.exec(text);
  if (slashed) {
    const [, first, second, year] = slashed;
    if (Number(first) > 12 || first === second) return toIsoDate(year, second, first);
    return Number(second) > 12 ? toIsoDate(year, first, second) : undefined;
  }
  const words =
    /^(?:(\d\d?)(?:st|nd|rd|th|\.)?\s+)?([A-Za-z]{3})[a-z]*\.?\s+(?:(\d\d?)(?:st|nd|rd|th)?,?\s+)?(\d{4})$/.exec(text);
  if (!words) return undefined;
  const month = months.indexOf(words[2]?.toLowerCase() ?? '') + 1;
  return toIsoDate(words[4], String(month), words[1] ?? words[3]);
}

/** Two-digit years from 70 to 99 belong to the last century. */
const toFullYear = (year: string) => (year.length === 4 ? year : `${Number(year) < 70 ? 20 : 19}${year}`);

function toIsoDate(year: string | undefined, month: string | undefined, day: string | undefined): string | undefined {
  const [monthNumber, dayNumber] = [Number(month), Number(day)];
  if (!(monthNumber >= 1 && monthNumber <= 12)) return undefined;
  const daysOfMonth = new Date(Date.UTC(Number(year), monthNumber, 0)).getUTCDate();
  if (!(dayNumber >= 1 && dayNumber <= daysOfMonth)) return undefined;
  return `${year}-${String(monthNumber).padStart(2, '0')}-${String(dayNumber).padStart(2, '0')}`;
}
