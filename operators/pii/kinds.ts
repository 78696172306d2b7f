/** The kinds that rules find, and what each of them covers. Where two kinds match the same text, the earlier one counts. */
export const piiKinds = {
  email: 'e-mail addresses',
  iban: 'bank accounts, by length and checksum',
  credit_card: 'card numbers, by issuer, length and checksum',
  national_id:
    'identity, tax and insurance numbers with check digits of Belgium, Brazil, England (NHS), Finland, France, Germany, Italy, the Netherlands, Poland, Spain, Sweden and Switzerland; social security numbers of the USA and national insurance numbers of the United Kingdom by their form',
  phone: 'phone numbers: valid international ones, and national ones after a label or of `phone_region`',
  ip_address: 'IPv4 and IPv6 addresses, without those of the machine itself',
  date_of_birth:
    'dates after a label such as “born on”, in English, German, French, Spanish, Italian, Dutch and Portuguese',
} as const;
export type PiiKind = keyof typeof piiKinds;
