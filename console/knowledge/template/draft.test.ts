import {
  addClass,
  addField,
  readDraft,
  removeClass,
  removeField,
  renameClass,
  renameField,
  setIdentifies,
  setKind,
  type TemplateDraft,
} from './draft';

const draft: TemplateDraft = {
  root: 'Order',
  classes: {
    Order: {
      graph_id_fields: ['number'],
      doc: 'An order.',
      fields: {
        number: { type: 'str', description: 'Order number' },
        buyer: { model: 'Party', edge_label: 'ORDERED_BY' },
      },
    },
    Party: { graph_id_fields: ['name'], fields: { name: { type: 'str' } } },
  },
};

test('a class is renamed in all references, including the root, but never to a taken name', () => {
  const party = renameClass(draft, 'Party', 'Company');
  expect(party.classes['Order']?.fields['buyer']).toEqual({ model: 'Company', edge_label: 'ORDERED_BY' });
  expect(renameClass(draft, 'Order', 'Bestellung').root).toBe('Bestellung');
  expect(renameClass(draft, 'Party', 'Order')).toBe(draft);
  expect(renameClass(draft, 'Party', '')).toBe(draft);
});

test('a renamed field still identifies its class and keeps its position', () => {
  const { classes } = renameField(draft, 'Order', 'number', 'id');
  expect(classes['Order']).toMatchObject({ graph_id_fields: ['id'], doc: 'An order.' });
  expect(Object.keys(classes['Order']?.fields ?? {})).toEqual(['id', 'buyer']);
});

test('a field that becomes a reference gets a relation and no longer identifies; a plain field has no relation', () => {
  const thing = setKind(draft, 'Order', 'number', 'Party');
  expect(thing.classes['Order']).toMatchObject({
    graph_id_fields: [],
    fields: { number: { model: 'Party', edge_label: 'HAS_NUMBER', description: 'Order number' } },
  });
  expect(setKind(draft, 'Order', 'buyer', 'date').classes['Order']?.fields['buyer']).toEqual({ type: 'date' });
});

test('fields and classes are added under unused names; a removed class takes its fields with it', () => {
  const more = addField(addField(addClass(draft), 'Thing'), 'Thing');
  expect(Object.keys(more.classes['Thing']?.fields ?? {})).toEqual(['name', 'field', 'field2']);
  expect(Object.keys(removeClass(draft, 'Party').classes['Order']?.fields ?? {})).toEqual(['number']);
  expect(removeClass(draft, 'Order')).toBe(draft);
  expect(removeField(draft, 'Order', 'number').classes['Order']?.graph_id_fields).toEqual([]);
});

test('identity is set and unset', () => {
  const both = setIdentifies(setIdentifies(draft, 'Party', 'city', true), 'Party', 'name', false);
  expect(both.classes['Party']?.graph_id_fields).toEqual(['city']);
});

test('a value without classes and fields is not a draft', () => {
  expect(readDraft(draft)).toBe(draft);
  expect(readDraft({ title: 'Order', type: 'object', properties: {} })).toBeUndefined();
  expect(readDraft({ root: 'Order', classes: { Order: { fields: { number: 'str' } } } })).toBeUndefined();
  expect(readDraft([])).toBeUndefined();
});
