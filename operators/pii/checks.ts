/** Luhn's check of card numbers and others (ISO/IEC 7812-1, annex B). Expects digits only. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (const [index, digit] of Array.from(digits).toReversed().entries()) {
    const doubled = Number(digit) * (index % 2 === 1 ? 2 : 1);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** The remainder of a long decimal number. */
function computeRemainder(digits: string, divisor: number): number {
  let remainder = 0;
  for (const digit of digits) remainder = (remainder * 10 + Number(digit)) % divisor;
  return remainder;
}

/** Lengths of IBANs by country, from the IBAN registry of ISO 13616. */
const ibanLengths: Readonly<Record<string, number>> = {
  AD: 24, AE: 23, AL: 28, AT: 20, AZ: 28, BA: 20, BE: 16, BG: 22, BH: 22, BR: 29, BY: 28, CH: 21, CR: 22, CY: 28, CZ: 24,
  DE: 22, DK: 18, DO: 28, EE: 20, EG: 29, ES: 24, FI: 18, FO: 18, FR: 27, GB: 22, GE: 22, GI: 23, GL: 18, GR: 27, GT: 28,
  HR: 21, HU: 28, IE: 22, IL: 23, IQ: 23, IS: 26, IT: 27, JO: 30, KW: 30, KZ: 20, LB: 28, LC: 32, LI: 21, LT: 20, LU: 20,
  LV: 21, MC: 27, MD: 24, ME: 22, MK: 19, MR: 27, MT: 31, MU: 30, NL: 18, NO: 15, PK: 24, PL: 28, PS: 29, PT: 25, QA: 29,
  RO: 24, RS: 22, SA: 24, SC: 31, SE: 24, SI: 19, SK: 24, SM: 27, ST: 25, SV: 28, TL: 23, TN: 24, TR: 26, UA: 29, VA: 22,
  VG: 24, XK: 20,
}; // prettier-ignore

/** The length of an IBAN of the country; undefined for countries without IBANs. */
export function findIbanLength(country: string): number | undefined {
  return Object.hasOwn(ibanLengths, country) ? ibanLengths[country] : undefined;
}

/**
 * The check of ISO 13616: the number with its first four characters moved to the end, letters as 10 to 35, is 1 modulo 97.
 */
export function isIban(text: string): boolean {
  if (findIbanLength(text.slice(0, 2)) !== text.length) return false;
  const moved = text.slice(4) + text.slice(0, 4);
  const digits = moved.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return /^\d+$/.test(digits) && computeRemainder(digits, 97) === 1;
}

/** German tax id: no leading zero, exactly one digit two or three times among the first ten, ISO 7064 MOD 11,10. */
export function isGermanTaxId(digits: string): boolean {
  if (!/^[1-9]\d{10}$/.test(digits)) return false;
  const counts = new Map<string, number>();
  for (const digit of digits.slice(0, 10)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
  const repeated = [...counts.values()].filter((count) => count > 1);
  if (repeated.length !== 1 || (repeated[0] ?? 0) > 3) return false;
  let product = 10;
  for (const digit of digits.slice(0, 10)) {
    const sum = (Number(digit) + product) % 10 || 10;
    product = (2 * sum) % 11;
  }
  return (11 - product) % 10 === Number(digits[10]);
}

/** French social security number: 13 places and a key of 97 minus the number modulo 97; Corsica has 2A and 2B. */
export function isFrenchNir(text: string): boolean {
  const [, body = '', key = ''] = /^([1-478]\d{4}(?:\d\d|2[AB])\d{6})(\d\d)$/.exec(text) ?? [];
  const month = Number(body.slice(3, 5));
  // From 20 on, the month is one of the substitutes for an unknown month of birth.
  if (body === '' || month < 1 || (month > 12 && month < 20) || (month > 42 && month < 50)) return false;
  const number = body.replace('2A', '19').replace('2B', '18');
  return 97 - computeRemainder(number, 97) === Number(key);
}

/** Spanish DNI and NIE: the letter is that of the number modulo 23. */
export function isSpanishDni(text: string): boolean {
  const [, first = '', digits = '', letter = ''] = /^([XYZ\d])(\d{7})([A-Z])$/.exec(text) ?? [];
  if (letter === '') return false;
  // In an NIE, X, Y and Z stand for 0, 1 and 2.
  const number = `${'XYZ'.includes(first) ? 'XYZ'.indexOf(first) : first}${digits}`;
  return 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(number) % 23] === letter;
}

/** Values of the characters at odd places of an Italian codice fiscale (decree of 23 December 1976), 0 to 9 and A to Z. */
const oddValues = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

/** Italian codice fiscale: the last letter is that of the sum of the values of the others modulo 26. */
export function isCodiceFiscale(text: string): boolean {
  if (!/^[A-Z]{6}[\dLMNPQRSTUV]{2}[ABCDEHLMPRST][\dLMNPQRSTUV]{2}[A-Z][\dLMNPQRSTUV]{3}[A-Z]$/.test(text)) return false;
  const getValue = (character: string) => (/\d/.test(character) ? Number(character) : character.charCodeAt(0) - 65);
  const sum = Array.from(text.slice(0, 15)).reduce(
    (total, character, index) =>
      total + (index % 2 === 0 ? (oddValues[getValue(character)] ?? 0) : getValue(character)),
    0,
  );
  return String.fromCharCode(65 + (sum % 26)) === text[15];
}

/** Dutch BSN: the sum of the digits with the weights 9 to 2 and -1 is divisible by 11. */
export function isDutchBsn(digits: string): boolean {
  const sum = Array.from(digits).reduce(
    (total, digit, index) => total + Number(digit) * (index === 8 ? -1 : 9 - index),
    0,
  );
  return /^\d{9}$/.test(digits) && Number(digits) > 0 && sum % 11 === 0;
}

/** Belgian national number: 97 minus the first nine digits modulo 97, with a 2 before them for births from 2000 on. */
export function isBelgianNumber(digits: string): boolean {
  const body = digits.slice(0, 9);
  const key = Number(digits.slice(9));
  const isDated = Number(digits.slice(2, 4)) <= 12 && Number(digits.slice(4, 6)) <= 31;
  return isDated && [body, `2${body}`].some((number) => 97 - computeRemainder(number, 97) === key);
}

/** Polish PESEL: weights 1, 3, 7, 9; the month encodes the century. */
export function isPesel(digits: string): boolean {
  const weights = [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1];
  const sum = Array.from(digits).reduce((total, digit, index) => total + Number(digit) * (weights[index] ?? 0), 0);
  const month = Number(digits.slice(2, 4)) % 20;
  const day = Number(digits.slice(4, 6));
  return /^\d{11}$/.test(digits) && sum % 10 === 0 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/** Brazilian CPF: two check digits modulo 11; eleven equal digits pass the sum and are not valid. */
export function isCpf(digits: string): boolean {
  if (!/^\d{11}$/.test(digits) || /^(\d)\1{10}$/.test(digits)) return false;
  return [9, 10].every((length) => {
    const sum = Array.from(digits.slice(0, length)).reduce(
      (total, digit, index) => total + Number(digit) * (length + 1 - index),
      0,
    );
    return ((sum * 10) % 11) % 10 === Number(digits[length]);
  });
}

/** Swiss AHV number: the check digit of EAN-13. */
export function isSwissAhv(digits: string): boolean {
  const sum = Array.from(digits.slice(0, 12)).reduce(
    (total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3),
    0,
  );
  return /^756\d{10}$/.test(digits) && (10 - (sum % 10)) % 10 === Number(digits[12]);
}

/** Finnish personal identity code: the birth date and serial number modulo 31 determine the last character. */
export function isHetu(text: string): boolean {
  const [, date = '', serial = '', last = ''] = /^(\d{6})[-+A-FU-Y](\d{3})([0-9A-Y])$/.exec(text) ?? [];
  const isDated = isDay(Number(date.slice(0, 2)), Number(date.slice(2, 4)));
  return isDated && '0123456789ABCDEFHJKLMNPRSTUVWXY'[Number(date + serial) % 31] === last;
}

/** Swedish personal identity number, ten digits: a date and Luhn's check. Coordination numbers have 60 added to the day. */
export function isPersonnummer(digits: string): boolean {
  return isDay(Number(digits.slice(4, 6)) % 60, Number(digits.slice(2, 4))) && passesLuhn(digits);
}

/** NHS number of England: weights 10 to 2, modulo 11. */
export function isNhsNumber(digits: string): boolean {
  const sum = Array.from(digits.slice(0, 9)).reduce((total, digit, index) => total + Number(digit) * (10 - index), 0);
  return /^\d{10}$/.test(digits) && (11 - (sum % 11)) % 11 === Number(digits[9]);
}

/** US social security number: areas 000, 666 and from 900 on, group 00 and serial 0000 were never issued. */
export function isSsn(digits: string): boolean {
  const [area, group, serial] = [digits.slice(0, 3), digits.slice(3, 5), digits.slice(5)];
  return !['000', '666'].includes(area) && Number(area) < 900 && group !== '00' && serial !== '0000';
}

function isDay(day: number, month: number): boolean {
  return day >= 1 && day <= 31 && month >= 1 && month <= 12;
}
