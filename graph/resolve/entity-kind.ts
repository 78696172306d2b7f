import type { TemplateClass } from '../template/model';

/** The kind of the nodes of a class, which determines how their names are compared. */
export type EntityKind = 'person' | 'organisation' | 'product' | 'place' | 'code' | 'other';

const byClass: readonly [EntityKind, RegExp][] = [
  ['person', /person|people|author|employee|contact|patient|student|director|officer|inventor|signatory|individual/],
  [
    'organisation',
    /party|compan|organi[sz]ation|supplier|vendor|buyer|seller|customer|manufacturer|firm|bank|employer|carrier|insurer|institution|publisher/,
  ],
  ['product', /product|article|item|material|component|device|part$|model$/],
  ['place', /city|town|country|region|place|location|site|address|port$/],
];
const byField: readonly [EntityKind, RegExp][] = [
  ['person', /^(first|last|given|family|full)_?name$|surname|birth/],
  ['code', /^(number|no|code|id|sku|ean|gtin|isbn|issn|doi|iban|reference)$|_(number|no|code|id|ref)$/],
];

/** The kind of a class, by its name and its identifying fields. */
export function findEntityKind({ name, idFields, fields }: TemplateClass): EntityKind {
  const fieldNames = fields.map((field) => field.name.toLowerCase());
  if (fieldNames.some((field) => byField[0]?.[1].test(field))) return 'person';
  if (idFields.length > 0 && idFields.every((field) => byField[1]?.[1].test(field.toLowerCase()))) return 'code';
  const plain = name.toLowerCase();
  return byClass.find(([, pattern]) => pattern.test(plain))?.[0] ?? 'other';
}

const strongKey =
  /(^|_)(vat|tax|tin|ein|iban|bic|swift|e?mail|phone|mobile|fax|isbn|issn|doi|orcid|sku|ean|gtin|upc|lei|duns|website|url|domain|birth|ssn|passport|registration|serial|licen[cs]e)(_|$|s$)|date_of_birth|registration_n/;

/** True for properties whose values belong to one thing only, such as tax numbers and mail addresses. */
export function isStrongKey(property: string): boolean {
  return strongKey.test(property.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase());
}

/** True for properties that hold further names. */
export function isAliasField(property: string): boolean {
  return /alias|also_known|short_name|abbreviation|acronym|former_name|trading_name/.test(property.toLowerCase());
}
