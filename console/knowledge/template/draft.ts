/** A template as edited: classes with fields. Members that the editor does not show stay unchanged. */
export interface TemplateDraft {
  root: string;
  classes: Record<string, DraftClass>;
}
export interface DraftClass {
  graph_id_fields?: string[] | null;
  fields: Record<string, DraftField>;
  [more: string]: unknown;
}
export interface DraftField {
  type?: string;
  model?: string | null;
  is_list?: boolean;
  edge_label?: string | null;
  description?: string | null;
  [more: string]: unknown;
}

/** Types of plain values that users can choose. */
export const plainTypes = ['str', 'date', 'decimal', 'int', 'float', 'bool'] as const;

/** The draft, if the value has its form. */
export function readDraft(value: unknown): TemplateDraft | undefined {
  if (!isRecord(value) || typeof value['root'] !== 'string' || !isRecord(value['classes'])) return undefined;
  const hasFields = (value: unknown) =>
    isRecord(value) && isRecord(value['fields']) && Object.values(value['fields']).every(isRecord);
  return Object.values(value['classes']).every(hasFields) ? (value as unknown as TemplateDraft) : undefined;
}

/** Renames a class everywhere. Returns the draft unchanged if the name is empty or taken. */
export function renameClass(draft: TemplateDraft, from: string, to: string): TemplateDraft {
  if (to === from || to === '' || Object.hasOwn(draft.classes, to)) return draft;
  const renamed = renameKey(draft.classes, from, to);
  const classes = mapValues(renamed, (draftClass) => ({
    ...draftClass,
    fields: mapValues(draftClass.fields, (field) => (field.model === from ? { ...field, model: to } : field)),
  }));
  return { root: draft.root === from ? to : draft.root, classes };
}

/** Renames a field, also among those that identify its class. */
export function renameField(draft: TemplateDraft, owner: string, from: string, to: string): TemplateDraft {
  const draftClass = draft.classes[owner];
  if (!draftClass || to === from || to === '' || Object.hasOwn(draftClass.fields, to)) return draft;
  const ids = (draftClass.graph_id_fields ?? []).map((id) => (id === from ? to : id));
  return changeClass(draft, owner, { graph_id_fields: ids, fields: renameKey(draftClass.fields, from, to) });
}

/** Changes members of a field; does nothing if there is no such field. */
export function changeField(draft: TemplateDraft, owner: string, name: string, change: DraftField): TemplateDraft {
  const draftClass = draft.classes[owner];
  const field = draftClass?.fields[name];
  if (!draftClass || !field) return draft;
  return changeClass(draft, owner, { fields: { ...draftClass.fields, [name]: { ...field, ...change } } });
}

/** Makes a field plain, or a reference to a class; a reference cannot identify its owner. */
export function setKind(draft: TemplateDraft, owner: string, name: string, kind: string): TemplateDraft {
  const draftClass = draft.classes[owner];
  const field = draftClass?.fields[name];
  if (!draftClass || !field) return draft;
  const { model: _model, type: _type, edge_label: relation, enum: _choices, ...others } = field;
  if (!Object.hasOwn(draft.classes, kind)) {
    return changeClass(draft, owner, { fields: { ...draftClass.fields, [name]: { ...others, type: kind } } });
  }
  const edge_label = relation ?? `HAS_${name.toUpperCase()}`;
  return changeClass(draft, owner, {
    graph_id_fields: (draftClass.graph_id_fields ?? []).filter((id) => id !== name),
    fields: { ...draftClass.fields, [name]: { ...others, model: kind, edge_label } },
  });
}

/** Sets whether a field is one of those that identify its class. */
export function setIdentifies(draft: TemplateDraft, owner: string, name: string, isId: boolean): TemplateDraft {
  const others = (draft.classes[owner]?.graph_id_fields ?? []).filter((id) => id !== name);
  return changeClass(draft, owner, { graph_id_fields: isId ? [...others, name] : others });
}

/** Adds a text field under an unused name. */
export function addField(draft: TemplateDraft, owner: string): TemplateDraft {
  const draftClass = draft.classes[owner];
  if (!draftClass) return draft;
  return changeClass(draft, owner, {
    fields: { ...draftClass.fields, [findFreeName(draftClass.fields, 'field')]: { type: 'str' } },
  });
}

/** Removes a field. */
export function removeField(draft: TemplateDraft, owner: string, name: string): TemplateDraft {
  const draftClass = draft.classes[owner];
  if (!draftClass) return draft;
  const { [name]: _removed, ...fields } = draftClass.fields;
  return changeClass(draft, owner, {
    graph_id_fields: (draftClass.graph_id_fields ?? []).filter((id) => id !== name),
    fields,
  });
}

/** Adds a class identified by its name. */
export function addClass(draft: TemplateDraft): TemplateDraft {
  const name = findFreeName(draft.classes, 'Thing');
  const fields = { name: { type: 'str' } };
  return { ...draft, classes: { ...draft.classes, [name]: { graph_id_fields: ['name'], fields } } };
}

/** Removes a class and all fields with values of that class. The root stays. */
export function removeClass(draft: TemplateDraft, name: string): TemplateDraft {
  if (name === draft.root) return draft;
  const { [name]: _removed, ...others } = draft.classes;
  const classes = mapValues(others, (draftClass) => ({
    ...draftClass,
    fields: Object.fromEntries(Object.entries(draftClass.fields).filter(([, field]) => field.model !== name)),
  }));
  return { ...draft, classes };
}

function changeClass(draft: TemplateDraft, name: string, change: Partial<DraftClass>): TemplateDraft {
  const draftClass = draft.classes[name];
  return draftClass ? { ...draft, classes: { ...draft.classes, [name]: { ...draftClass, ...change } } } : draft;
}

function renameKey<T>(record: Record<string, T>, from: string, to: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name === from ? to : name, value]));
}

function mapValues<T>(record: Record<string, T>, change: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

function findFreeName(taken: object, base: string): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? base : `${base}${count}`;
    if (!Object.hasOwn(taken, name)) return name;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
