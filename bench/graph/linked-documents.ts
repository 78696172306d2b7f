const first = 'Amber Birch Cobalt Dover Ember Falcon Granite Harbour Indigo Juniper Keel Linden Marble Nettle Orchard Pewter Quarry Rowan Slate Thistle'.split(' '); // prettier-ignore
const second = 'Works Trading Foods Optics Timber Shipping Textiles Pumps Media Glass'.split(' ');
const given = 'Ada Bela Carla Dmitri Elif Farid Greta Hugo Iris Jonas Kaya Lars Mina Noor Otto Petra Quinn Rosa Sven Tara'.split(' '); // prettier-ignore
const family = 'Adler Bianchi Chen Dubois Eriksen Fofana Gruber Haddad Ivanov Jansen'.split(' ');
const cities = 'Leith Hull Bremen Porto Gdansk Cork Malmo Trieste Rouen Varna'.split(' ');

/** What the documents describe. */
export const linkedClasses = {
  Order: {
    graph_id_fields: ['number'],
    fields: { number: { type: 'str' }, goods: { type: 'str' }, buyer: { model: 'Company', edge_label: 'ORDERED_BY' } },
  },
  Company: {
    graph_id_fields: ['name'],
    fields: {
      name: { type: 'str' },
      city: { type: 'str' },
      director: { model: 'Person', edge_label: 'DIRECTED_BY' },
      insurer: { model: 'Company', edge_label: 'INSURED_BY' },
    },
  },
  Person: { graph_id_fields: ['name'], fields: { name: { type: 'str' }, born: { type: 'str' } } },
};

/** A document, and what it says as an instance of a class. */
export interface LinkedDocument {
  id: string;
  text: string;
  root: keyof typeof linkedClasses;
  values: Record<string, unknown>;
}
/** A question, and the two documents that its answer needs. Only one of them shares a name with the question. */
export interface LinkedQuestion {
  kind: string;
  text: string;
  needs: [string, string];
}

const getName = (firsts: readonly string[], seconds: readonly string[], index: number) =>
  `${firsts[index % firsts.length]} ${seconds[Math.floor(index / firsts.length) % seconds.length]}`;

/** Three documents and three questions for each company: about an order, the company and its director. */
export function getLinkedDocuments(companies: number): { documents: LinkedDocument[]; questions: LinkedQuestion[] } {
  const documents: LinkedDocument[] = [];
  const questions: LinkedQuestion[] = [];
  for (let index = 0; index < companies; index += 1) {
    const series = Math.floor(index / (first.length * second.length));
    const suffix = series === 0 ? '' : ` ${series + 1}`;
    const company = getName(first, second, index) + suffix;
    const insurer = getName(first, second, (index * 7 + 3) % companies) + suffix;
    const person = getName(given, family, index) + suffix;
    const city = cities[(index * 3) % cities.length] ?? '';
    const number = `PO-${1000 + index}`;
    const goods = `${second[(index * 3) % second.length]?.toLowerCase()} spare parts`;
    const born = String(1950 + (index % 45));
    documents.push(
      {
        id: `order ${index}`,
        text: `Purchase order ${number} for ${goods} was placed by ${company} and is to be delivered within six weeks.`,
        root: 'Order',
        values: { number, goods, buyer: { name: company } },
      },
      {
        id: `company ${index}`,
        text: `${company} has its seat in the city of ${city}. Its director is ${person}. The company is insured by ${insurer}.`,
        root: 'Company',
        values: { name: company, city, director: { name: person }, insurer: { name: insurer } },
      },
      {
        id: `person ${index}`,
        text: `${person} was born in ${born} and studied engineering before joining the board.`,
        root: 'Person',
        values: { name: person, born },
      },
    );
    questions.push(
      { kind: 'city of a buyer', text: `In which city does the buyer of purchase order ${number} have its seat?`, needs: [`order ${index}`, `company ${index}`] }, // prettier-ignore
      { kind: 'birth of a director', text: `In which year was the director of ${company} born?`, needs: [`company ${index}`, `person ${index}`] }, // prettier-ignore
      { kind: 'director of a buyer', text: `Who is the director of the company that placed ${number}?`, needs: [`order ${index}`, `company ${index}`] }, // prettier-ignore
    );
  }
  return { documents, questions };
}
