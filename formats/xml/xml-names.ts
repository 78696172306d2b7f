/** The namespace prefixes in scope, with a cache of resolved names. */
export interface XmlScope {
  /** Returns the reader's name of an element. */
  element(name: string): string;
  /** Returns attributes with the reader's names, without namespace declarations; the same object if nothing changes. */
  attributes(raw: Record<string, string>): Record<string, string>;
  /** Returns the scope inside an element with these attributes: this scope, unless they declare namespaces. */
  inside(raw: Record<string, string>): XmlScope;
}

const noAttributes: Record<string, string> = Object.freeze({});

/** Creates a scope that maps namespace URIs to the reader's prefixes; an empty prefix means plain local names. */
export function createRootScope(prefixes: Readonly<Record<string, string>>): XmlScope {
  return createScope(prefixes, new Map([['xml', 'xml']]));
}

function createScope(prefixes: Readonly<Record<string, string>>, uris: ReadonlyMap<string, string>): XmlScope {
  const elements = new Map<string, string>();
  const attributes = new Map<string, string | undefined>();

  function resolve(name: string, isAttribute: boolean): string {
    const colon = name.indexOf(':');
    if (colon < 0 && isAttribute) return name;
    const uri = uris.get(colon < 0 ? '' : name.slice(0, colon));
    const prefix = uri === undefined ? undefined : prefixes[uri];
    if (prefix === undefined) return name;
    const local = colon < 0 ? name : name.slice(colon + 1);
    return prefix === '' ? local : `${prefix}:${local}`;
  }
  function getElementName(name: string): string {
    const resolved = resolve(name, false);
    elements.set(name, resolved);
    return resolved;
  }
  function findAttributeName(name: string): string | undefined {
    if (attributes.has(name)) return attributes.get(name);
    const resolved = isDeclaration(name) ? undefined : resolve(name, true);
    attributes.set(name, resolved);
    return resolved;
  }
  const scope: XmlScope = {
    element: (name) => elements.get(name) ?? getElementName(name),
    attributes(raw) {
      let isSame = true;
      let isEmpty = true;
      for (const key in raw) {
        isEmpty = false;
        if (findAttributeName(key) !== key) isSame = false;
      }
      if (isEmpty) return noAttributes;
      if (isSame) return raw;
      const renamed: Record<string, string> = {};
      for (const key in raw) {
        const name = findAttributeName(key);
        if (name !== undefined) renamed[name] = raw[key]!;
      }
      return renamed;
    },
    inside(raw) {
      let declared: Map<string, string> | undefined;
      for (const key in raw) {
        if (!isDeclaration(key)) continue;
        declared ??= new Map(uris);
        declared.set(key.slice(6), raw[key]!);
      }
      return declared === undefined ? scope : createScope(prefixes, declared);
    },
  };
  return scope;
}

function isDeclaration(attribute: string): boolean {
  return attribute.startsWith('xmlns') && (attribute.length === 5 || attribute[5] === ':');
}
