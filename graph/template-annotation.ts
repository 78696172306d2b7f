import type { FieldType } from './template';

/** What a Python type annotation says: `Optional[datetime.date]`, `List[str]`, `<enum 'Kind'>`. */
export interface AnnotatedType {
  type: FieldType;
  isList: boolean;
  /** A dict, tuple or set: models inside become no nodes. */
  isContainer: boolean;
  /** A name that is none of the known types: an enumeration or a class. */
  name?: string;
}

const known: Record<string, FieldType> = {
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
};

/** Reads an annotation; an unknown one is `any` with its name. */
export function fieldTypeOf(annotation: string): AnnotatedType {
  const inner = unwrapped(annotation, /^(?:typing\.)?Optional\[(.*)\]$/) ?? annotation;
  const item = unwrapped(inner, /^(?:typing\.)?[Ll]ist\[(.*)\]$/);
  if (item !== undefined) return { ...fieldTypeOf(item), isList: true };
  const isContainer = /^(?:typing\.)?(?:Dict|dict|Tuple|tuple|Set|set|FrozenSet|frozenset)\[/.test(inner);
  const name = (inner.match(/^<(?:class|enum) '(?:[\w.]*\.)?(\w+)'>$/) ?? inner.match(/^(?:[\w.]*\.)?(\w+)$/))?.[1];
  const type = known[name ?? ''];
  return { type: type ?? 'any', isList: false, isContainer, name: type ? undefined : name };
}

function unwrapped(text: string, pattern: RegExp): string | undefined {
  return text.match(pattern)?.[1];
}
