const companyFirstWords = 'Amber Birch Cobalt Dover Ember Falcon Granite Harbour Indigo Juniper Keel Linden Marble Nettle Orchard Pewter Quarry Rowan Slate Thistle'.split(' '); // prettier-ignore
const companySecondWords = 'Works Trading Foods Optics Timber Shipping Textiles Pumps Media Glass'.split(' ');
const givenNames = 'Ada Bela Carla Dmitri Elif Farid Greta Hugo Iris Jonas Kaya Lars Mina Noor Otto Petra Quinn Rosa Sven Tara'.split(' '); // prettier-ignore
const familyNames = 'Adler Bianchi Chen Dubois Eriksen Fofana Gruber Haddad Ivanov Jansen'.split(' ');
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
  /** The name of its class. */
  root: string;
  values: Record<string, unknown>;
}
/** A question, and the documents that its answer needs. Of two documents, only one shares a name with the question. */
export interface LinkedQuestion {
  kind: string;
  text: string;
  needs: readonly string[];
}

const buildName = (firsts: readonly string[], seconds: readonly string[], index: number) =>
  `${firsts[index % firsts.length]} ${seconds[Math.floor(index / firsts.length) % seconds.length]}`;

/** Three documents and three questions for each company: about an order, the company and its director. */
export function buildLinkedDocuments(companies: number): { documents: LinkedDocument[]; questions: LinkedQuestion[] } {
  const documents: LinkedDocument[] = [];
  const questions: LinkedQuestion[] = [];
  for (let index = 0; index < companies; index += 1) {
    const series = Math.floor(index / (companyFirstWords.length * companySecondWords.length));
    const suffix = series === 0 ? '' : ` ${series + 1}`;
    const company = buildName(companyFirstWords, companySecondWords, index) + suffix;
    const insurer = buildName(companyFirstWords, companySecondWords, (index * 7 + 3) % companies) + suffix;
    const person = buildName(givenNames, familyNames, index) + suffix;
    const city = cities[(index * 3) % cities.length] ?? '';
    const number = `PO-${1000 + index}`;
    const goods = `${companySecondWords[(index * 3) % companySecondWords.length]?.toLowerCase()} spare parts`;
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

/**
 * Twelve questions that need two documents, about relations that `buildLinkedDocuments` asks nothing about, each in other words; and twelve that
 * need one. They were written after the weights of the mode `graph` were chosen, and nothing was chosen with them in view.
 */
export function listHeldBackQuestions(companies: number): LinkedQuestion[] {
  const { documents } = buildLinkedDocuments(companies);
  const companyOf = (index: number) => {
    const values = documents[index * 3 + 1]?.values ?? {};
    const insurer = (values['insurer'] as { name: string }).name;
    const home = documents.find(({ root, values: { name } }) => root === 'Company' && name === insurer)?.id ?? '';
    return { name: String(values['name']), director: (values['director'] as { name: string }).name, home };
  };
  const order = (index: number) => `PO-${1000 + index}`;
  const [a, b, c] = [3, 4, 7].map((part) => Math.floor(companies / part));
  return [a, b, c].flatMap((at = 0, which) => {
    const { name, director, home } = companyOf(at);
    const ask = (kind: string, texts: readonly string[], ...needs: string[]) => ({ kind, text: texts[which] ?? '', needs }); // prettier-ignore
    return [
      ask('insurer of a buyer', [`Which insurer covers the firm that ordered under ${order(at)}?`, `${order(at)}: who is the customer insured with?`, `Name the insurer of the company that placed order ${order(at)}.`], `order ${at}`, `company ${at}`), // prettier-ignore
      ask('seat of an insurer', [`Where is the insurer of ${name} based?`, `In which town is the company that insures ${name}?`, `Which city does ${name} visit to see its insurer?`], `company ${at}`, home), // prettier-ignore
      ask('head of an insurer', [`Who runs the company that insures ${name}?`, `Name the person in charge of the insurer of ${name}.`, `Who is the director of the insurer of ${name}?`], `company ${at}`, home), // prettier-ignore
      ask('goods for a director', [`What did the company run by ${director} order?`, `Which goods is the company headed by ${director} waiting for?`, `What did the business of director ${director} buy?`], `company ${at}`, `order ${at}`), // prettier-ignore
      ask('one document', [`What is the order number of ${name}?`, `What city is ${name} in?`, `What did ${director} study?`], [`order ${at}`, `company ${at}`, `person ${at}`][which] ?? ''), // prettier-ignore
      ask('one document', [`When was ${director} born?`, `What goods are in ${order(at)}?`, `Who is the director of ${name}?`], [`person ${at}`, `order ${at}`, `company ${at}`][which] ?? ''), // prettier-ignore
      ask('one document', [`Who insures ${name}?`, `Year of birth of ${director}`, `delivery time of ${order(at)}`], [`company ${at}`, `person ${at}`, `order ${at}`][which] ?? ''), // prettier-ignore
      ask('one document', [`${name} seat`, `${order(at)} buyer`, `${director} engineering board`], [`company ${at}`, `order ${at}`, `person ${at}`][which] ?? ''), // prettier-ignore
    ];
  });
}
