import { buildLinkedDocuments, type LinkedDocument, linkedClasses, type LinkedQuestion } from './linked-documents';

/** What the documents of `buildCodedDocuments` describe. */
export const codedClasses = {
  ...linkedClasses,
  Invoice: {
    graph_id_fields: ['code'],
    fields: { code: { type: 'str' }, due: { type: 'str' }, order: { model: 'Order', edge_label: 'BILLS' } },
  },
};

const days = (index: number) => `${1 + (index % 28)} March`;

/**
 * Orders, companies and people as `buildLinkedDocuments` has them, and an invoice for each order. Their numbers consist of parts that
 * many of them share, as in `PO-7` and `INV-2024-007`; a question names a number that way, in lower case, or with other marks.
 */
export function buildCodedDocuments(companies: number): { documents: LinkedDocument[]; questions: LinkedQuestion[] } {
  const { documents: linked } = buildLinkedDocuments(companies);
  const documents: LinkedDocument[] = [];
  const questions: LinkedQuestion[] = [];
  for (let index = 0; index < companies; index += 1) {
    const order = `PO-${index + 1}`;
    const invoice = `INV-${2015 + (index % 10)}-${String(Math.floor(index / 10) + 1).padStart(3, '0')}`;
    for (const document of linked.slice(index * 3, index * 3 + 3)) {
      const isOrder = document.root === 'Order';
      const text = isOrder ? document.text.replace(/PO-\d+/, order) : document.text;
      documents.push({ ...document, text, values: isOrder ? { ...document.values, number: order } : document.values });
    }
    documents.push({
      id: `invoice ${index}`,
      text: `Invoice ${invoice} is for the delivery of order ${order} and is due on ${days(index)}.`,
      root: 'Invoice',
      values: { code: invoice, due: days(index), order: { number: order } },
    });
    const other = [invoice, invoice.toLowerCase(), invoice.replaceAll('-', '/')][index % 3] ?? invoice;
    const otherOrder = [order, order.toLowerCase(), order.replace('-', ' ')][index % 3] ?? order;
    questions.push(
      { kind: 'goods of an invoice', text: `Which goods were billed with ${other}?`, needs: [`invoice ${index}`, `order ${index}`] }, // prettier-ignore
      { kind: 'invoice of an order', text: `When does the buyer have to pay for ${otherOrder}?`, needs: [`invoice ${index}`, `order ${index}`] }, // prettier-ignore
      { kind: 'city of a buyer', text: `In which city is the customer of ${otherOrder}?`, needs: [`order ${index}`, `company ${index}`] }, // prettier-ignore
    );
  }
  return { documents, questions };
}
