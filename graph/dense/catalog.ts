import type { Attributes } from '../core/value';
import type { GraphTemplate, TemplateClass, TemplateField } from '../template/model';
import { buildSchema } from '../template/schema';
import { getClass } from '../template/template';

/** A place in the template where entities occur. The contract `dense` looks for these. */
export interface CatalogEntry {
  /** `''` for the root, otherwise fields with `[]` after lists: `lines[].part`. */
  path: string;
  templateClass: TemplateClass;
  /** The fields from an instance of the parent to this one; several when components are in between. */
  route: readonly TemplateField[];
  /** The path of the nearest entity above; undefined for the root. */
  parent?: string;
}

/**
 * The entity places of a template, parents before children. Single components are traversed. References and recursive classes
 * have no place: their owner names them by their id fields. Entities in lists of components have none either and are filled
 * with the list, because nothing would show which item they belong to.
 */
export function buildCatalog(template: GraphTemplate): CatalogEntry[] {
  const entries: CatalogEntry[] = [];
  const visit = (entry: CatalogEntry, above: readonly string[]): void => {
    entries.push(entry);
    const classes = [...above, entry.templateClass.name];
    const walk = (
      owner: TemplateClass,
      route: readonly TemplateField[],
      path: string,
      within: readonly string[],
    ): void => {
      for (const field of owner.fields) {
        if (!field.model || field.container) continue;
        const target = getClass(template, field.model);
        const fieldPath = `${path}${path === '' ? '' : '.'}${field.name}${field.isList ? '[]' : ''}`;
        const steps = [...route, field];
        if (!target.isEntity) {
          if (!field.isList && !within.includes(target.name)) walk(target, steps, fieldPath, [...within, target.name]);
        } else if (isOwnPlace(field, target, classes)) {
          visit({ path: fieldPath, templateClass: target, route: steps, parent: entry.path }, classes);
        }
      }
    };
    walk(entry.templateClass, [], entry.path, []);
  };
  visit({ path: '', templateClass: getClass(template, template.root), route: [] }, []);
  return entries;
}

function isOwnPlace(field: TemplateField, target: TemplateClass, above: readonly string[]): boolean {
  if (field.isReference && target.idFields.length > 0) return false;
  return !above.includes(target.name);
}

/** The schema for instances at one place, and whether they contain lists of references, which need a question each. */
export interface FillForm {
  template: GraphTemplate;
  hasReferenceLists: boolean;
  /** False when the id fields are the only fields. */
  hasMore: boolean;
}

/** The class of a place, without entities that have their own places; other entities only with their id fields. */
export function buildFillForm(
  template: GraphTemplate,
  catalog: readonly CatalogEntry[],
  entry: CatalogEntry,
): FillForm {
  const classes = new Map<string, TemplateClass>();
  const places = new Set(catalog.map(({ path }) => path));
  let hasReferenceLists = false;
  const project = (templateClass: TemplateClass, name: string, path: string | undefined): void => {
    const narrowed: TemplateClass = { ...templateClass, name, fields: [] };
    classes.set(name, narrowed);
    for (const field of templateClass.fields) {
      const target = field.model && !field.container ? getClass(template, field.model) : undefined;
      if (!target) {
        narrowed.fields.push(field);
        continue;
      }
      const fieldPath = path === undefined ? undefined : `${path}${path === '' ? '' : '.'}${field.name}`;
      if (target.isEntity) {
        const hasPlace = fieldPath !== undefined && places.has(field.isList ? `${fieldPath}[]` : fieldPath);
        if (hasPlace) continue;
        if (fieldPath === undefined && !field.isReference) {
          const model = `${target.name}Part`;
          if (!classes.has(model)) project(target, model, undefined);
          narrowed.fields.push({ ...field, model });
          continue;
        }
        if (target.idFields.length === 0) continue;
        hasReferenceLists ||= field.isList;
        const model = `${target.name}Reference`;
        const ids = target.fields.filter((inner) => target.idFields.includes(inner.name));
        classes.set(model, { ...target, name: model, fields: ids });
        narrowed.fields.push({ ...field, model });
        continue;
      }
      const model = field.isList ? `${target.name}Item` : target.name;
      if (!classes.has(model)) project(target, model, field.isList ? undefined : fieldPath);
      narrowed.fields.push({ ...field, model });
    }
  };
  project(entry.templateClass, entry.templateClass.name, entry.path);
  const rootAndClasses = { root: entry.templateClass.name, classes };
  const hasMore = (classes.get(rootAndClasses.root)?.fields ?? []).some(
    ({ name }) => !entry.templateClass.idFields.includes(name),
  );
  return { template: { ...rootAndClasses, schema: buildSchema(rootAndClasses) }, hasReferenceLists, hasMore };
}

/** The schema of an answer with `items` of one class. Definitions stay at its root. */
export function createItemsSchema({ schema }: GraphTemplate): Attributes {
  const { $defs, ...item } = schema;
  return {
    type: 'object',
    properties: { items: { type: 'array', items: item } },
    required: ['items'],
    ...($defs === undefined ? {} : { $defs }),
  };
}
