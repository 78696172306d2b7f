import { schemaOfTemplate } from '../template/schema';
import { classOf, type GraphTemplate, type TemplateClass, type TemplateField } from '../template/template';
import type { Attributes } from '../core/value';

/** A place of the template at which entities stand: what the contract `dense` looks for. */
export interface CatalogEntry {
  /** `''` for the root, else fields with `[]` behind lists: `lines[].part`. */
  path: string;
  one: TemplateClass;
  /** From an instance of the parent to this one; more than one field where components lie between. */
  route: readonly TemplateField[];
  /** The path of the nearest entity above; undefined for the root. */
  parent?: string;
}

/**
 * The places of a template, parents before children. Single components are looked through. References and classes inside
 * themselves have no place of their own: whoever holds them names them by their id fields. Neither have entities in lists of
 * components, which are filled with the list, for nothing would tell to which of its items they belong.
 */
export function denseCatalog(template: GraphTemplate): CatalogEntry[] {
  const found: CatalogEntry[] = [];
  const visit = (entry: CatalogEntry, above: readonly string[]): void => {
    found.push(entry);
    const classes = [...above, entry.one.name];
    const walk = (
      one: TemplateClass,
      route: readonly TemplateField[],
      path: string,
      within: readonly string[],
    ): void => {
      for (const field of one.fields) {
        if (!field.model || field.container) continue;
        const target = classOf(template, field.model);
        const here = `${path}${path === '' ? '' : '.'}${field.name}${field.isList ? '[]' : ''}`;
        const steps = [...route, field];
        if (!target.isEntity) {
          if (!field.isList && !within.includes(target.name)) walk(target, steps, here, [...within, target.name]);
        } else if (isOwnPlace(field, target, classes)) {
          visit({ path: here, one: target, route: steps, parent: entry.path }, classes);
        }
      }
    };
    walk(entry.one, [], entry.path, []);
  };
  visit({ path: '', one: classOf(template, template.root), route: [] }, []);
  return found;
}

function isOwnPlace(field: TemplateField, target: TemplateClass, above: readonly string[]): boolean {
  if (field.isReference && target.idFields.length > 0) return false;
  return !above.includes(target.name);
}

/** What is asked of the instances at one place, and whether they hold lists of references, which need a question each. */
export interface FillForm {
  template: GraphTemplate;
  hasReferenceLists: boolean;
  /** False when the id fields are all there is. */
  hasMore: boolean;
}

/** The class of a place without the entities that have places of their own; other entities by their id fields only. */
export function fillForm(template: GraphTemplate, catalog: readonly CatalogEntry[], entry: CatalogEntry): FillForm {
  const classes = new Map<string, TemplateClass>();
  const places = new Set(catalog.map(({ path }) => path));
  let hasReferenceLists = false;
  const project = (one: TemplateClass, name: string, path: string | undefined): void => {
    const own: TemplateClass = { ...one, name, fields: [] };
    classes.set(name, own);
    for (const field of one.fields) {
      const target = field.model && !field.container ? classOf(template, field.model) : undefined;
      if (!target) {
        own.fields.push(field);
        continue;
      }
      const here = path === undefined ? undefined : `${path}${path === '' ? '' : '.'}${field.name}`;
      if (target.isEntity) {
        const hasPlace = here !== undefined && places.has(field.isList ? `${here}[]` : here);
        if (hasPlace) continue;
        if (here === undefined && !field.isReference) {
          const model = `${target.name}Part`;
          if (!classes.has(model)) project(target, model, undefined);
          own.fields.push({ ...field, model });
          continue;
        }
        if (target.idFields.length === 0) continue;
        hasReferenceLists ||= field.isList;
        const model = `${target.name}Reference`;
        const ids = target.fields.filter((inner) => target.idFields.includes(inner.name));
        classes.set(model, { ...target, name: model, fields: ids });
        own.fields.push({ ...field, model });
        continue;
      }
      const model = field.isList ? `${target.name}Item` : target.name;
      if (!classes.has(model)) project(target, model, field.isList ? undefined : here);
      own.fields.push({ ...field, model });
    }
  };
  project(entry.one, entry.one.name, entry.path);
  const bare = { root: entry.one.name, classes };
  const hasMore = (classes.get(bare.root)?.fields ?? []).some(({ name }) => !entry.one.idFields.includes(name));
  return { template: { ...bare, schema: schemaOfTemplate(bare) }, hasReferenceLists, hasMore };
}

/** The schema of the answer about `items` of one class, which keeps the definitions at its root. */
export function itemsSchema({ schema }: GraphTemplate): Attributes {
  const { $defs, ...item } = schema;
  return {
    type: 'object',
    properties: { items: { type: 'array', items: item } },
    required: ['items'],
    ...($defs === undefined ? {} : { $defs }),
  };
}
