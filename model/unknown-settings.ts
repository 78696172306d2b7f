/** A member of a configuration that its schema does not name, and what there would be. */
export interface UnknownSetting {
  /** JSON pointer from the configuration. */
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
 * What nobody reads of a configuration, at every depth. An object in it whose schema names no member, or says by a schema of
 * their own (`additionalProperties: Type.Unknown()`) that further ones are read, has none.
 */
export function unknownSettings(schema: object, value: unknown, pointer = ''): UnknownSetting[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const { properties = {}, patternProperties = {}, additionalProperties } = schema as ObjectSchema;
  const known = Object.keys(properties);
  const [anyMember] = Object.values(patternProperties);
  const isOpen = (pointer !== '' && known.length === 0) || typeof additionalProperties === 'object';
  return Object.entries(value).flatMap(([name, member]) => {
    const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const own = Object.hasOwn(properties, name) ? properties[name] : anyMember;
    if (own) return unknownSettings(own, member, at);
    return isOpen ? [] : [{ pointer: at, name, known }];
  });
}
