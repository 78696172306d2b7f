import { countNouns } from './count-nouns';
import { findNearestName } from './nearest-name';
import { uuidPattern } from './uuid';

/** One violation of a schema: its location (JSON pointer) and the expected value. */
export interface Problem {
  pointer: string;
  message: string;
  /** The name of the member missing at `pointer`. */
  missing?: string;
  /** The name of the unexpected member at `pointer`. */
  unknown?: string;
}

/** The members of a JSON Schema validator error that are used here. */
export interface SchemaError {
  keyword: string;
  instancePath: string;
  schemaPath: string;
  params: Record<string, unknown>;
  message?: string;
  /** The schema that was violated. */
  parentSchema?: object;
}

/** A problem while unions are resolved; `kinds` is set when the value has the wrong type or constant. */
interface Finding {
  schemaPath: string;
  problem: Problem;
  kinds?: Kinds;
}

interface Kinds {
  types: readonly string[];
  values: readonly unknown[];
}

/**
 * Turns validator errors into problems. Errors come in the validator's order: members of a union before the union. A union is
 * reduced to the problems of the member that was meant, or to one sentence that lists the allowed values.
 */
export function listErrorProblems(errors: readonly SchemaError[]): Problem[] {
  let findings: Finding[] = [];
  for (const error of errors) {
    if (error.keyword !== 'anyOf' && error.keyword !== 'oneOf') {
      findings.push(buildFinding(error));
      continue;
    }
    const isInside = ({ schemaPath, problem: { pointer } }: Finding) =>
      schemaPath.startsWith(`${error.schemaPath}/`) && `${pointer}/`.startsWith(`${error.instancePath}/`);
    const inside = findings.filter(isInside);
    const outside = findings.filter((finding) => !isInside(finding));
    findings = [...outside, ...(inside.length > 0 ? reduceUnion(error, inside) : [buildFinding(error)])];
  }
  return omitTypesOfConstants(findings).map(({ problem }) => problem);
}

function reduceUnion({ schemaPath, instancePath }: SchemaError, inside: readonly Finding[]): Finding[] {
  const members = new Map<string, Finding[]>();
  for (const finding of inside) {
    const [member = ''] = finding.schemaPath.slice(schemaPath.length + 1).split('/');
    members.set(member, [...(members.get(member) ?? []), finding]);
  }
  const isOfOtherKind = (findings: readonly Finding[]) =>
    findings.some(({ kinds, problem }) => kinds !== undefined && problem.pointer === instancePath);
  const findingsByMember = [...members.values()].map(omitTypesOfConstants);
  const candidates = findingsByMember.filter((findings) => !isOfOtherKind(findings));
  const chosenFindings =
    candidates.length === 0 ? findingsByMember.flat() : (findNearest(candidates) ?? candidates.flat());
  return mergeKinds(chosenFindings).map((finding) => ({ ...finding, schemaPath }));
}

/**
 * The only candidate, or among several objects the one whose constants, such as `kind`, match. If none match, the constants
 * are reported.
 */
function findNearest(candidates: readonly (readonly Finding[])[]): readonly Finding[] | undefined {
  const isConstant = ({ kinds }: Finding) => (kinds?.values.length ?? 0) > 0;
  const fitting = candidates.filter((findings) => !findings.some(isConstant));
  if (fitting.length > 0) return fitting.length === 1 ? fitting[0] : undefined;
  if (candidates.length === 1) return candidates[0];
  const constants = candidates.flat().filter(isConstant);
  return new Set(constants.map(({ problem }) => problem.pointer)).size === 1 ? constants : undefined;
}

/** Validators report a constant of another type as a wrong type, too. */
function omitTypesOfConstants(findings: readonly Finding[]): Finding[] {
  const constants = new Set(findings.filter(({ kinds }) => kinds?.values.length).map(({ problem }) => problem.pointer));
  return findings.filter(({ kinds, problem }) => kinds?.values.length !== 0 || !constants.has(problem.pointer));
}

/** Merges findings of wrong types at the same place into one that lists all expected types. */
function mergeKinds(findings: readonly Finding[]): Finding[] {
  const merged: Finding[] = [];
  for (const finding of findings) {
    const place = merged.findIndex(
      (candidate) => candidate.kinds && candidate.problem.pointer === finding.problem.pointer,
    );
    const there = merged[place];
    if (!finding.kinds || !there?.kinds) {
      merged.push(finding);
      continue;
    }
    const kinds = {
      types: [...new Set([...there.kinds.types, ...finding.kinds.types])],
      values: [...new Set([...there.kinds.values, ...finding.kinds.values])],
    };
    merged[place] = { ...there, kinds, problem: { ...there.problem, message: describeKinds(kinds) } };
  }
  return merged;
}

function buildFinding(error: SchemaError): Finding {
  const { keyword, params, instancePath: pointer, schemaPath } = error;
  const kinds = findKinds(error);
  if (kinds) return { schemaPath, kinds, problem: { pointer, message: describeKinds(kinds) } };
  if (keyword === 'additionalProperties') {
    const unknown = String(params['additionalProperty']);
    const { properties = {} } = (error.parentSchema ?? {}) as { properties?: object };
    const meant = findNearestName(unknown, Object.keys(properties));
    const message = `has the unknown member '${unknown}'${meant === undefined ? '' : ` (did you mean '${meant}'?)`}`;
    return { schemaPath, problem: { pointer, message, unknown } };
  }
  const problem = { pointer, message: describeViolation(error) };
  return {
    schemaPath,
    problem: keyword === 'required' ? { ...problem, missing: String(params['missingProperty']) } : problem,
  };
}

/** Patterns that many schemas share, as a reader would put them. */
const patternSentences: Readonly<Record<string, string>> = {
  '\\S': 'must not be blank',
  '^(?=.*\\S)[^\\u0000-\\u001f]*$': 'must not be blank and must not contain control characters',
  '^[^\\u0000]*$': 'must not contain the character NUL',
  '^[^\\n\\r]*$': 'must be a single line',
  '^(?!\\*$)': "must be the name of a user; '*' does not mean everybody here",
  [uuidPattern]: 'must be a UUID in lower case',
};
/** The pattern of parameters that name the field to sort by. */
const sortPattern = /^\^-\?\(([a-z_|]+)\)\$$/;

/** The violation in plain English, or the validator's own message where that is clear enough. */
function describeViolation({ keyword, message = keyword, params, parentSchema }: SchemaError): string {
  const {
    properties,
    description,
    pattern = '',
  } = (parentSchema ?? {}) as {
    properties?: Record<string, unknown>;
    description?: string;
    pattern?: string;
  };
  const limit = Number(params['limit']);
  switch (keyword) {
    case 'minProperties':
      return limit === 1 && properties
        ? `must have at least one of ${Object.keys(properties).join(', ')}`
        : `must have at least ${countNouns(limit, 'member')}`;
    case 'maxProperties':
      return `must have at most ${countNouns(limit, 'member')}`;
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${countNouns(limit, 'character')}`;
    case 'maxLength':
      return `must have at most ${countNouns(limit, 'character')}`;
    case 'minItems':
      return limit === 1 ? 'must not be empty' : `must have at least ${countNouns(limit, 'item')}`;
    case 'maxItems':
      return `must have at most ${countNouns(limit, 'item')}`;
    case 'uniqueItems':
      return describeRepeatedItem(params);
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'required':
      return `must have the member '${String(params['missingProperty'])}'`;
    case 'format':
      return params['format'] === 'uuid' ? 'must be a UUID' : message;
    case 'pattern':
      return describePattern(pattern) ?? (description ? `${message} (${description.replace(/\.$/, '')})` : message);
    default:
      return message;
  }
}

/** `i` and `j` are the indexes of two equal items. */
function describeRepeatedItem({ i, j }: Record<string, unknown>): string {
  const [first, second] = [Number(i) + 1, Number(j) + 1];
  return `must not repeat an item (items ${Math.min(first, second)} and ${Math.max(first, second)} are equal)`;
}

function describePattern(pattern: string): string | undefined {
  const fields = sortPattern.exec(pattern)?.[1]?.split('|').join(', ');
  return fields ? `must be one of ${fields}, with a leading - for descending order` : patternSentences[pattern];
}

function findKinds({ keyword, params }: SchemaError): Kinds | undefined {
  if (keyword === 'type') return { types: [params['type']].flat().map(String), values: [] };
  if (keyword === 'enum') return { types: [], values: params['allowedValues'] as unknown[] };
  return keyword === 'const' ? { types: [], values: [params['allowedValue']] } : undefined;
}

/** Types of JSON Schema, as a reader would put them. */
const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

function describeKinds({ types, values }: Kinds): string {
  const texts = [...values.map((value) => JSON.stringify(value)), ...types.map((type) => typeNames[type] ?? type)];
  if (types.length === 0 && texts.length > 1) return `must be one of ${texts.join(', ')}`;
  const last = texts.pop();
  return texts.length > 0 ? `must be ${texts.join(', ')} or ${last}` : `must be ${last}`;
}
