/** Types that JSON cannot represent: dates, decimals, floats with an integral value, members of an enumeration. */
export type TypedKind = 'date' | 'datetime' | 'time' | 'decimal' | 'float' | 'uuid' | 'enum' | 'bytes' | 'path';

/**
 * A value that keeps its type until a writer formats it. `text` is ISO 8601 for times, the exact digits for decimals, the
 * value for members of an enumeration, UTF-8 for bytes. A class, so that `JSON.stringify` finds `toJSON`.
 */
export class TypedValue {
  constructor(
    readonly kind: TypedKind,
    readonly text: string,
    /** `Class.MEMBER` of an enumeration, and whether its members are strings. */
    readonly member?: { name: string; isString: boolean },
  ) {}
  /** JSON fallback: times as ISO strings, decimals and floats as numbers. */
  toJSON(): string | number {
    return this.kind === 'decimal' || this.kind === 'float' ? Number(this.text) : this.text;
  }
}

export type GraphValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | TypedValue
  | GraphValue[]
  | { [key: string]: GraphValue };

/** Attributes of a node, edge or graph, in output order. */
export type Attributes = { [key: string]: GraphValue };

/** True for attribute objects; false for lists and typed values. */
export function isRecord(value: unknown): value is Attributes {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof TypedValue);
}

const pythonTypes = new WeakMap<object, PythonType>();

/** The Python type of a list or object that is not a plain list or dict: a tuple, a set, or a class instance. */
export type PythonType = 'tuple' | 'set' | { model: string };

/** Records the Python type of a list or object and returns the value. Copies lose the type. */
export function asPython<T extends GraphValue & object>(value: T, type: PythonType): T {
  pythonTypes.set(value, type);
  return value;
}

/** The type recorded by `asPython`, otherwise undefined. */
export function findPythonType(value: GraphValue): PythonType | undefined {
  return typeof value === 'object' && value !== null ? pythonTypes.get(value) : undefined;
}

/** A float. Wrapped only if the number alone would look like an integer. */
export function floatValue(value: number): GraphValue {
  return Number.isInteger(value) ? new TypedValue('float', formatFloat(value)) : value;
}

/** The shortest text that parses to the same float, in Python's spelling: `2.0`, `1e-07`, `1e+16`, `nan`. */
export function formatFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const [mantissa = '0', exponentText = '0'] = Math.abs(value).toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 16) {
    const tail = digits.length > 1 ? `.${digits.slice(1)}` : '';
    return `${sign}${digits[0]}${tail}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`;
}

/** Sets a member, even if its name is `__proto__`, for which assignment fails. */
export function setMember(target: Attributes, key: string, value: GraphValue): void {
  if (key !== '__proto__') {
    target[key] = value;
    return;
  }
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** True for null, "", [] and {}, which a merge fills. Zero and false are values. */
export function isEmpty(value: GraphValue | undefined): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (Array.isArray(value)) return value.length === 0 && findPythonType(value) === undefined;
  return isRecord(value) && Object.keys(value).length === 0;
}
