import { escapePointer } from './flow/alert';

/** A member of a configuration that its schema does not know, and the known ones. */
export interface UnknownSetting {
  /** JSON pointer into the configuration. */
  pointer: string;
  name: string;
  known: string[];
}

interface ObjectSchema {
  type?: string;
  properties?: Record<string, ObjectSchema>;
  patternProperties?: Record<string, ObjectSchema>;
  additionalProperties?: unknown;
}

/**
 * Finds unknown members of a configuration at any depth. Ignores objects whose schema names no members, or allows others with an
 * explicit schema (`additionalProperties: Type.Unknown()`).
 */
export function listUnknownSettings(schema: object, value: unknown, pointer = ''): UnknownSetting[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const { properties = {}, patternProperties = {}, additionalProperties } = schema as ObjectSchema;
  const knownNames = Object.keys(properties);
  const [anyMember] = Object.values(patternProperties);
  const isOpen = (pointer !== '' && knownNames.length === 0) || typeof additionalProperties === 'object';
  return Object.entries(value).flatMap(([name, member]) => {
    const at = `${pointer}/${escapePointer(name)}`;
    const memberSchema = Object.hasOwn(properties, name) ? properties[name] : anyMember;
    if (memberSchema) return listUnknownSettings(memberSchema, member, at);
    return isOpen ? [] : [{ pointer: at, name, known: knownNames }];
  });
}
