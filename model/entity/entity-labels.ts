import type { EntityField } from './entity-fields';

/** Synonyms that documents use for a label, keyed by the label of the field: English, German, French and Spanish. */
const otherWords: Readonly<Record<string, string>> = {
  'invoice number':
    'invoice no|invoice nr|invoice #|invoice id|inv no|bill number|rechnungsnummer|rechnung nr|rechnungs nr|numero de facture|facture n|facture numero|numero de factura|factura n|factura no',
  'issue date':
    'date of issue|issued|issued on|invoice date|date|dated|rechnungsdatum|datum|ausgestellt am|date de facture|date d emission|fecha de emision|fecha de factura|fecha',
  'due date':
    'due|due on|due by|payment due|payment due date|pay by|date due|fallig am|faelligkeitsdatum|falligkeitsdatum|zahlbar bis|date d echeance|echeance|fecha de vencimiento|vencimiento',
  'purchase order number':
    'purchase order no|purchase order #|purchase order|po number|po no|po #|p o number|your order|bestellnummer|ihre bestellung|numero de commande|commande n|numero de pedido|pedido n',
  'order number': 'order no|order #|order id|order|auftragsnummer|bestellnummer|numero de commande|numero de pedido',
  'order date':
    'date of order|ordered|ordered on|date|bestelldatum|auftragsdatum|date de commande|fecha de pedido|fecha',
  subtotal:
    'sub total|net amount|net total|total net|zwischensumme|nettobetrag|netto|sous total|total ht|subtotal|base imponible',
  'tax amount':
    'tax|vat|sales tax|gst|total tax|total vat|mwst|umsatzsteuer|ust|mehrwertsteuer|tva|total tva|iva|total iva|impuesto',
  'total amount':
    'grand total|total due|amount due|balance due|total amount due|invoice total|order total|total|gesamtbetrag|gesamtsumme|rechnungsbetrag|summe|brutto|total ttc|montant total|net a payer|importe total|total a pagar',
  'payment terms':
    'terms|terms of payment|zahlungsbedingungen|zahlungsziel|conditions de paiement|condiciones de pago|forma de pago',
  currency: 'currency code|wahrung|devise|moneda',
  seller:
    'from|vendor|supplier|seller|sold by|issued by|lieferant|verkaufer|rechnungssteller|vendeur|fournisseur|emisor|proveedor|vendedor',
  buyer:
    'bill to|billed to|invoice to|sold to|to|customer|client|buyer|kunde|rechnung an|rechnungsempfanger|client|acheteur|facture a|cliente|comprador',
  'supplier name': 'supplier|vendor|lieferant|fournisseur|proveedor',
  'buyer name': 'buyer|bill to|customer|ordered by|purchaser|kunde|acheteur|comprador|cliente',
  'seller name': 'seller|vendor|from|lieferant|vendeur|vendedor',
  'customer name': 'customer|client|name|kunde|client|cliente',
  'merchant name': 'merchant|store|shop',
  'tax id': 'vat id|vat no|vat number|tax no|tax number|tin|ust id|ust idnr|steuernummer|n tva|nif|cif',
  description:
    'item|article|product|service|item description|details|bezeichnung|beschreibung|artikel|leistung|designation|description|descripcion|concepto|articulo',
  quantity: 'qty|quantity|units|count|pieces|pcs|menge|anzahl|stuck|quantite|qte|cantidad|cant',
  'unit price':
    'price|unit cost|rate|price per unit|price each|each|einzelpreis|preis|prix unitaire|prix|precio unitario|precio',
  amount: 'total|line total|sum|net|betrag|gesamt|gesamtpreis|summe|montant|importe',
  email: 'e mail|email address|mail|correo|courriel',
  phone: 'telephone|tel|phone number|mobile|telefon|telefono',
  address: 'addr|anschrift|adresse|direccion|street address',
  'full name': 'name|vollstandiger name|nom|nombre|nombre completo',
  'date of birth': 'born|birth date|birthdate|dob|geburtsdatum|date de naissance|fecha de nacimiento',
};

/** The words of a text, normalized for comparing labels: lower case, without accents and punctuation; `#` is a separate word. */
export function splitLabel(text: string): string[] {
  // Most texts are ASCII, and normalization is slow.
  // oxlint-disable-next-line no-control-regex -- the ASCII characters
  const isAscii = /^[\x00-\x7f]*$/.test(text);
  if (isAscii) return text.toLowerCase().match(/[a-z0-9]+|#/g) ?? [];
  return (
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+|#/gu) ?? []
  );
}

/** The labels of a field, most specific first; for a nested field including labels that name the parent. */
export function listLabels(field: EntityField, parent?: EntityField): string[] {
  const fieldWords = splitWords(field.name);
  const base = field.name.replaceAll('_', ' ');
  const alone = [...fieldWords, ...listVariants(base)];
  if (!parent) return removeDuplicates(alone);
  const owners = splitWords(parent.name);
  const joined = owners.flatMap((owner) => fieldWords.map((label) => `${owner} ${label}`));
  // The name of a party often follows the role of the party.
  return removeDuplicates(field.name === 'name' ? [...joined, ...owners] : joined);
}

/** The labels of a column of a table. */
export function collectColumnLabels(field: EntityField): Set<string> {
  return new Set(removeDuplicates([...splitWords(field.name), ...listVariants(field.name.replaceAll('_', ' '))]));
}

function splitWords(name: string): string[] {
  const label = name.replaceAll('_', ' ');
  const others = Object.hasOwn(otherWords, label) ? (otherWords[label]?.split('|') ?? []) : [];
  return [label, ...others];
}

/** `policy number` also matches `policy no` and `policy #`; `signed on` also matches `signed` and `date signed`. */
function listVariants(label: string): string[] {
  const number = /^(.+) number$/.exec(label)?.[1];
  if (number) return [`${number} no`, `${number} nr`, `${number} #`, `${number} id`];
  const id = /^(.+) id$/.exec(label)?.[1];
  if (id) return [`${id} number`, `${id} no`, `${id} #`];
  const on = /^(.+) on$/.exec(label)?.[1];
  if (on) return [on, `date ${on}`, `${on} date`];
  const date = /^(.+) date$/.exec(label)?.[1];
  if (date) return [`date of ${date}`];
  const name = /^(.+) name$/.exec(label)?.[1];
  return name ? [name] : [];
}

function removeDuplicates(labels: readonly string[]): string[] {
  return [...new Set(labels.map((label) => splitLabel(label).join(' ')))];
}
