import type { AnnotatedContainer, AnnotatedType, FieldType } from './model';

const simpleTypes: Record<string, FieldType> = {
  str: 'str',
  int: 'int',
  float: 'float',
  bool: 'bool',
  Any: 'any',
  date: 'date',
  datetime: 'datetime',
  time: 'time',
  Decimal: 'decimal',
  UUID: 'uuid',
  bytes: 'bytes',
  Path: 'path',
  PurePath: 'path',
  PosixPath: 'path',
};

const containers: Record<string, AnnotatedContainer['kind']> = {
  Dict: 'dict',
  dict: 'dict',
  Mapping: 'dict',
  Tuple: 'tuple',
  tuple: 'tuple',
  Set: 'set',
  set: 'set',
  FrozenSet: 'set',
  frozenset: 'set',
};

/** Parses a Python type annotation. An unknown type becomes `any` with its name. */
export function buildFieldType(annotation: string): AnnotatedType {
  const members = omitNone(annotation.trim());
  const [only = ''] = members;
  if (members.length !== 1) return { type: 'any', isList: false };
  const generic = /^(?:[\w.]*\.)?(\w+)\[(.*)\]$/s.exec(only);
  if (generic) return buildGenericType(generic[1] ?? '', splitOutsideBrackets(generic[2] ?? '', ','));
  const name = (only.match(/^<(?:class|enum) '(?:[\w.]*\.)?(\w+)'>$/) ?? only.match(/^(?:[\w.<>]*\.)?(\w+)$/u))?.[1];
  const type = simpleTypes[name ?? ''];
  return { type: type ?? 'any', isList: false, name: type ? undefined : name };
}

function buildGenericType(name: string, inner: string[]): AnnotatedType {
  if (name === 'List' || name === 'list' || name === 'Sequence')
    return { ...buildFieldType(inner[0] ?? ''), isList: true };
  const kind = containers[name];
  if (!kind) return name === 'Annotated' ? buildFieldType(inner[0] ?? '') : { type: 'any', isList: false };
  const values = kind === 'dict' ? inner.slice(1) : inner.filter((value) => value !== '...' && value !== 'Ellipsis');
  return { type: 'any', isList: false, container: { kind, items: values.map(buildFieldType) } };
}

// The members of `Optional[…]`, `Union[…]` and `a | b`, without None.
function omitNone(annotation: string): string[] {
  const union = /^(?:typing\.)?(Optional|Union)\[(.*)\]$/s.exec(annotation);
  const members = union ? splitOutsideBrackets(union[2] ?? '', ',') : splitOutsideBrackets(annotation, '|');
  const withoutNone = members.filter((member) => !/^(None|NoneType|<class 'NoneType'>)$/.test(member));
  const [only = ''] = withoutNone;
  return withoutNone.length === 1 && only !== annotation ? omitNone(only) : withoutNone;
}

/** Splits at separators outside of brackets. */
function splitOutsideBrackets(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '[') depth++;
    else if (char === ']') depth--;
    else if (char === separator && depth === 0) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  parts.push(text.slice(start).trim());
  return parts;
}
