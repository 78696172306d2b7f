import type { DocumentClass } from '../../model/entity/document-class';
import { type EntityField, listClassFields } from '../../model/entity/entity-fields';
import { listLabels, splitLabel } from '../../model/entity/entity-labels';
import { buildLayout } from '../facts/entity-layout';

/** A class that can be chosen. */
export interface Choice {
  name: string;
  description: string;
  /** The bundled class of that name, if there is one. */
  known?: DocumentClass;
}

/** The chosen class, with a confidence from 1 to 10. `type` is undefined when there is no evidence for any class. */
export interface Classification {
  type: string | undefined;
  confidence: number;
  reasoning: string;
}

/** Other names for classes, as found in documents: English, German, French and Spanish. */
const otherNames: Readonly<Record<string, string>> = {
  invoice: 'rechnung|facture|factura|tax invoice|bill',
  receipt: 'quittung|kassenbon|ticket de caisse|recibo|till receipt',
  purchase_order: 'bestellung|bon de commande|orden de compra|pedido|po',
  order_request_form: 'order request|order form|requisition',
  quotation: 'quote|angebot|devis|presupuesto|offer',
  credit_note: 'gutschrift|avoir|nota de credito',
  delivery_receipt: 'delivery note|lieferschein|bon de livraison|albaran|proof of delivery',
  contract: 'vertrag|contrat|contrato|supply contract|framework contract|agreement',
  lease_agreement: 'lease|mietvertrag|bail|contrato de alquiler|rental agreement',
  sales_agreements: 'sales agreement|kaufvertrag|contrat de vente|contrato de compraventa',
  bank_statements: 'bank statement|account statement|kontoauszug|releve de compte|extracto bancario',
  credit_card_statements: 'credit card statement|card statement|kreditkartenabrechnung',
  financial_statement: 'annual report|balance sheet|income statement|jahresabschluss|bilan',
  resume: 'curriculum vitae|cv|lebenslauf|hoja de vida',
  meeting_minutes: 'minutes|protokoll|compte rendu|acta',
  pay_slip: 'payslip|salary slip|gehaltsabrechnung|fiche de paie|nomina',
  utility_bill: 'electricity bill|water bill|gas bill|stromrechnung',
  expense_reports: 'expense report|travel expenses|reisekostenabrechnung|note de frais',
  transcripts: 'transcript|transcript of records|academic transcript',
  passport: 'reisepass|passeport|pasaporte',
  driver_license: 'driving licence|drivers license|fuhrerschein|permis de conduire',
  national_id_card: 'identity card|personalausweis|carte d identite|dni',
  diploma_certification: 'diploma|certificate|zeugnis|urkunde',
  bill_of_lading: 'konnossement|connaissement',
  remittance_payment_advice: 'remittance advice|payment advice|zahlungsavis',
};

/** After the first lines, a name is only a mention. */
const headLines = 6;

const nameInHeadPoints = 5;
const nameInTextPoints = 2;
const maxFieldPoints = 5;

/**
 * Creates a function that returns the class with the highest score: 5 for its name among the first lines or 2 for its name
 * anywhere, plus 1 per field whose label occurs in the text, up to 5. On a tie, the class with the larger share of its fields wins.
 */
export function createRuleClassifier(choices: readonly Choice[]): (text: string) => Classification {
  const allLabels = new Set(choices.flatMap(({ known: documentClass }) => listLabelSets(documentClass).flat()));
  const prepared = choices.map((choice) => ({ choice, names: listNames(choice), fields: listLabelSets(choice.known) }));
  return (text) => {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    const head = ` ${splitLabel(lines.slice(0, headLines).join(' \n ')).join(' ')} `;
    const whole = ` ${splitLabel(text).join(' ')} `;
    const labels = findLabels(text, allLabels);
    const scored = prepared.map(({ choice, names, fields }) => {
      const nameInHead = names.find((word) => head.includes(` ${word} `));
      const name = nameInHead ?? names.find((word) => whole.includes(` ${word} `));
      const namePoints = nameInHead === undefined ? nameInTextPoints : nameInHeadPoints;
      const hits = fields.filter((labelSet) => labelSet.some((label) => labels.has(label))).length;
      const score = (name === undefined ? 0 : namePoints) + Math.min(maxFieldPoints, hits);
      return { choice, name, hits, score, share: hits / Math.max(1, fields.length) };
    });
    const [best] = scored.toSorted(
      (item, other) =>
        other.score - item.score || other.share - item.share || (item.choice.name < other.choice.name ? -1 : 1),
    );
    if (!best || best.score === 0)
      return { type: undefined, confidence: 1, reasoning: 'There is no evidence for any class.' };
    const naming = best.name === undefined ? 'It does not name itself' : `It names itself '${best.name}'`;
    return {
      type: best.choice.name,
      confidence: best.score,
      reasoning: `${naming}, and has the labels of ${best.hits} fields of the class.`,
    };
  };
}

function listNames({ name, known }: Choice): string[] {
  const words = splitLabel(name.replaceAll('_', ' ')).join(' ');
  const others = otherNames[known?.document_type ?? ''] ?? '';
  return [...new Set([words, words.replace(/s$/, ''), ...others.split('|')])].filter((value) => value.length > 1);
}

/** The labels of each field. Labels of one short word are too weak and left out. */
function listLabelSets(documentClass: DocumentClass | undefined): string[][] {
  const fields = documentClass ? listClassFields(documentClass) : [];
  const sets = fields.map((field: EntityField) => listLabels(field));
  return sets.map((labels) => labels.filter((label) => label.includes(' ') || label.length > 4));
}

/** Keys of segments, column headers, and the first words of lines without a separator. */
function findLabels(text: string, knownLabels: ReadonlySet<string>): Set<string> {
  const { segments, tables } = buildLayout(text, knownLabels);
  const labels = new Set<string>();
  for (const { key, words } of segments) {
    if (key !== undefined) labels.add(key);
    for (const count of [2, 3])
      if (words.length > count)
        labels.add(
          words
            .slice(0, count)
            .map(({ word }) => word)
            .join(' '),
        );
  }
  for (const { header } of tables) for (const { text: cell } of header) labels.add(splitLabel(cell).join(' '));
  return labels;
}
