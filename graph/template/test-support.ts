import { templateFrom } from './template';

/** A template for tests: an invoice with two parties, lines, and an address inside a party. */
export const invoiceTemplate = templateFrom({
  root: 'Invoice',
  classes: {
    Invoice: {
      graph_id_fields: ['number'],
      doc: 'An invoice.',
      fields: {
        number: { type: 'str', required: true, description: 'The invoice number', examples: ['INV-1'] },
        issued: { type: 'date' },
        total: { type: 'decimal' },
        rate: { type: 'float' },
        paid: { type: 'bool' },
        seller: { model: 'Party', edge_label: 'ISSUED_BY' },
        buyer: { model: 'Party', edge_label: 'SENT_TO' },
        lines: { model: 'Line', is_list: true, edge_label: 'CONTAINS' },
      },
    },
    Party: {
      graph_id_fields: ['name'],
      fields: { name: { type: 'str', required: true }, address: { model: 'Address' }, vat_id: { type: 'str' } },
    },
    Address: { is_entity: false, fields: { city: { type: 'str' }, zip: { type: 'str' } } },
    Line: {
      graph_id_fields: ['position'],
      fields: { position: { type: 'int' }, description: { type: 'str' }, kind: { enum: ['goods', 'service'] } },
    },
  },
});

/** An instance of `invoiceTemplate`, as from a model or file. */
export const invoice = {
  number: 'INV-1',
  issued: '2024-01-31',
  total: '1234.50',
  rate: 2,
  paid: false,
  seller: { name: 'Acme', address: { city: 'Köln', zip: '50667' }, vat_id: null },
  buyer: { name: 'the  Söhne', address: null, vat_id: 'DE1' },
  lines: [
    { position: 1, description: 'Widget, "large"', kind: 'goods' },
    { position: 2, description: '=1+1\nsecond', kind: 'service' },
  ],
};
