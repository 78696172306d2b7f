import type { PiiKind } from '../../operators/pii/kinds';
import { paragraph } from '../support/prose';
import type { Random } from '../support/random';

/** A text, and the passages in it that are personal data. */
export interface Labelled {
  text: string;
  passages: { kind: PiiKind; text: string }[];
}

const drawDigits = (random: Random, count: number) =>
  Array.from({ length: count }, () => random.integer(0, 9)).join('');
const pick = <T>(random: Random, list: readonly T[]): T => list[random.integer(0, list.length - 1)] as T;
const padTwo = (value: number) => String(value).padStart(2, '0');

/** Finds the check digits by trial where that is fast enough, so that the generator shares no formula with the detector. */
function appendCheckDigit(body: string): string {
  for (let end = 0; end <= 9; end += 1) {
    const sum = Array.from(`${body}${end}`)
      .toReversed()
      .map((digit, index) => (index % 2 === 0 ? Number(digit) : [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][Number(digit)]!))
      .reduce((total, digit) => total + digit, 0);
    if (sum % 10 === 0) return `${body}${end}`;
  }
  return body;
}

function iban(random: Random): string {
  const [country, length] = pick(random, [['DE', 18], ['AT', 16], ['CH', 17], ['ES', 20], ['BE', 12], ['DK', 14], ['PL', 24]] as const); // prettier-ignore
  const body = drawDigits(random, length);
  const number = BigInt(`${body}${country.charCodeAt(0) - 55}${country.charCodeAt(1) - 55}00`);
  const plain = `${country}${String(98n - (number % 97n)).padStart(2, '0')}${body}`;
  return random.integer(0, 1) === 0 ? plain : plain.replace(/.{4}(?=.)/g, '$& ');
}

function card(random: Random): string {
  const plain = appendCheckDigit(
    `${pick(random, ['4', '51', '55', '34', '6011'])}${drawDigits(random, 14)}`.slice(0, 15),
  );
  const whole = plain.startsWith('34') ? appendCheckDigit(plain.slice(0, 14)) : plain;
  if (whole.length === 15) return random.integer(0, 1) === 0 ? whole : whole.replace(/(.{4})(.{6})(.{5})/, '$1 $2 $3');
  return pick(random, [whole, whole.replace(/.{4}(?=.)/g, '$& '), whole.replace(/.{4}(?=.)/g, '$&-')]);
}

function dni(random: Random): string {
  const number = drawDigits(random, 8);
  return `${number}${'TRWAGMYFPDXBNJZSQVHLCKE'[Number(BigInt(number) % 23n)]}`;
}

function nir(random: Random): string {
  const body = `${pick(random, ['1', '2'])}${drawDigits(random, 2)}${padTwo(random.integer(1, 12))}${padTwo(random.integer(1, 95))}${drawDigits(random, 6)}`;
  return `${body}${padTwo(97 - Number(BigInt(body) % 97n))}`;
}

function ssn(random: Random): string {
  return `${random.integer(100, 665)}-${padTwo(random.integer(1, 99))}-${String(random.integer(1, 9_999)).padStart(4, '0')}`;
}

function personnummer(random: Random): string {
  const body = `${drawDigits(random, 2)}${padTwo(random.integer(1, 12))}${padTwo(random.integer(1, 28))}${drawDigits(random, 3)}`;
  return appendCheckDigit(body).replace(/(.{6})/, '$1-');
}

function cpf(random: Random): string {
  const append = (body: string) => {
    const rest =
      Array.from(body).reduce((sum, digit, index) => sum + Number(digit) * (body.length + 1 - index), 0) % 11;
    return `${body}${rest < 2 ? 0 : 11 - rest}`;
  };
  return append(append(drawDigits(random, 9))).replace(/(.{3})(.{3})(.{3})(.{2})/, '$1.$2.$3-$4');
}

const names = ['anna.berg', 'j.smith', 'maria_garcia', 'li-wei', 'o.durand', 'info', 'k.van.dam+shop'];
const domains = ['example.com', 'mail.example.org', 'firma.example', 'uni-ost.example.edu', 'shop.example.co.uk'];
/** Real numbering plans, with subscriber numbers that are random. */
const phones: readonly ((random: Random) => string)[] = [
  (random) => `+49 30 ${drawDigits(random, 2).replace(/^0/, '2')}${drawDigits(random, 6)}`,
  (random) => `+1 212-${random.integer(200, 999)}-${drawDigits(random, 4)}`,
  (random) => `+44 20 7${drawDigits(random, 3)} ${drawDigits(random, 4)}`,
  (random) =>
    `+33 1 4${drawDigits(random, 1)} ${drawDigits(random, 2)} ${drawDigits(random, 2)} ${drawDigits(random, 2)}`,
  (random) => `0041 44 ${random.integer(200, 999)} ${drawDigits(random, 2)} ${drawDigits(random, 2)}`,
  (random) => `Tel. (212) ${random.integer(200, 999)}-${drawDigits(random, 4)}`,
  (random) => `Telefon 030 2${drawDigits(random, 7)}`,
];
const births = [
  'Date of birth: ',
  'born on ',
  'DOB: ',
  'geboren am ',
  'Geburtsdatum: ',
  'née le ',
  'Fecha de nacimiento: ',
];

const makers: readonly [PiiKind, (random: Random) => { before?: string; text: string }][] = [
  ['email', (random) => ({ text: `${pick(random, names)}@${pick(random, domains)}` })],
  ['iban', (random) => ({ text: iban(random) })],
  ['credit_card', (random) => ({ text: card(random) })],
  ['national_id', (random) => ({ text: pick(random, [dni, nir, ssn, personnummer, cpf])(random) })],
  [
    'phone',
    (random) => {
      const [, before = '', text = ''] = /^(Tel\. |Telefon )?(.*)$/.exec(pick(random, phones)(random)) ?? [];
      return { before, text };
    },
  ],
  ['ip_address', (random) => ({ text: `203.0.${random.integer(0, 255)}.${random.integer(1, 254)}` })],
  [
    'date_of_birth',
    (random) => {
      const [day, month, year] = [random.integer(1, 28), random.integer(1, 12), random.integer(1930, 2005)];
      const text = pick(random, [`${padTwo(day)}.${padTwo(month)}.${year}`, `${year}-${padTwo(month)}-${padTwo(day)}`, `${day}/${month}/${year}`]); // prettier-ignore
      return { before: pick(random, births), text };
    },
  ],
];

/** Numbers and words that look like personal data. None of them is. */
export const hardNegatives: readonly string[] = [
  'Order 4929 1234 5678 9012 was cancelled.', 'ISBN 978-3-16-148410-0 and 0-306-40615-2', 'Part no. 666-45-1234 replaces 900-12-3456.',
  'See RFC 2822 section 3.4.1 and version 10.4.2.1 of the tool.', 'The ratio rose from 3.141592653589793 to 2.718281828459045.',
  'Meeting on 12.05.2024, 10:30-11:45, room 204.', 'Invoice 2024-000-123456 of 1.234.567,89 EUR, due 2024-06-30',
  'DE12 3456 7890 1234 5678 90 is an example of a wrong account.', 'Tracking number 1Z 999 AA1 01 2345 6784',
  'git commit 4f2d9c1b7e8a6d5c3b2a19087f6e5d4c3b2a1908', 'GPS 52.520008, 13.404954', 'Use icon@2x.png or @media (min-width: 30em).',
  'The twitter handle @someone and a price @ 5.99 each', 'UUID 123e4567-e89b-12d3-a456-426614174000',
  'Article 10(3)(b), pages 100-250, 1990-1995, 2001/2002', 'Barcode 4006381333931, EAN 96385074', 'Temperature -12.5 to +37.2 degrees',
  'Latitude 51.5074 N, elevation 1,234 m, pressure 1013.25 hPa', 'Score 3:2, time 01:02:03.456', 'Founded on 04.03.1971 in Ulm',
  'Serial 12345678A of batch 87654321B', 'Hex 0xDEADBEEF and MAC 00:1A:2B:3C:4D:5E', 'localhost is 127.0.0.1, the mask 255.255.255.0',
  'Population 83 149 300 in 2019, 67 081 000 before', 'Formula C6H12O6, CAS 50-00-0', 'Flight LH 400 on 2024-05-06, seat 12A',
  'The phone book has 1 000 000 entries.', 'Ticket 0800-2024 and room 030-1', 'Sales 10-20-30 and 555 1234',
  'Bank code 10020030, BIC DEUTDEFF500', 'VAT DE123456789, tax office 12/345/67890', 'Code AB 12 34 56 E has the wrong last letter.',
  '811228-9875 fails its check, 131052-308U too.', 'CPF 111.444.777-36 is wrong', 'Chapter 2.5.1.3, figure 4.2.1.1',
  'He was born in Paris and published on 12 May 2001.', 'We call 12 34 56 78 lots a week.', 'The cell 3 400 125 of the sheet is wrong.', 'Table 1.2.3.4 and clause 8.1.2.1',
  'Room 0049 30 1 and bus 0033', 'IPv4 has 4 294 967 296 addresses, 10.0 of each', 'Kontonummer 1234567890, BLZ 37040044',
  'Model SM-G991B/DS, 6759 items, 4000 1234', 'a@b and x@y.z', 'Ref. 12345678-B? no, 12345678A', '123-45-67890 and 12-345-6789',
  'fe:ed:be:ef and 10:20:30:40', 'He paid 4 500 000 000 000 000 rials.', 'Card ending 1111, valid thru 12/27', '4111-1111-1111-1112 is declined.',
]; // prettier-ignore

/** Documents of prose that contain labelled passages and as many hard negatives. */
export function createLabelledTexts(random: Random, count: number): Labelled[] {
  return Array.from({ length: count }, () => {
    const passages: Labelled['passages'] = [];
    const parts: string[] = [];
    for (let index = 0; index < 4; index += 1) {
      parts.push(paragraph(random, 2));
      const [kind, make] = pick(random, makers);
      const { before = '', text } = make(random);
      passages.push({ kind, text });
      parts.push(
        `${pick(random, ['Contact', 'Reference', 'See', 'Note'])}: ${before}${text}.`,
        pick(random, hardNegatives),
      );
    }
    return { text: parts.join('\n\n'), passages };
  });
}
