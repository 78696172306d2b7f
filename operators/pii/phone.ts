import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** Regions whose national numbers count after a label if no region is set. */
const defaultRegions: readonly CountryCode[] = ['US', 'GB', 'DE', 'FR', 'ES', 'IT', 'NL', 'CH', 'AT', 'BE'];

/** How many beginnings of a candidate are tried. */
const maxCuts = 5;
/** Digits of the shortest number without a country code, and of the longest with one (E.164). */
const minDigits = 6;
const maxDigits = 15;
/** Characters of the shortest candidate: its digits and one separator. */
const minLength = 7;

/**
 * Length of the phone number at the start of the candidate; undefined if there is none. Numbers with a country code must be
 * valid; national ones must be valid in the region, or follow a label and be valid in one of the usual regions.
 */
export function findPhoneNumber(
  candidate: string,
  { region, isLabelled }: { region: string | undefined; isLabelled: boolean },
): number | undefined {
  const isInternational = candidate.startsWith('+') || candidate.startsWith('00');
  const regions = listRegionsFor(region, isLabelled);
  let cuts = 0;
  // A candidate may run into the next number; the longest beginning that is valid counts.
  for (
    let length = candidate.length;
    length >= minLength && cuts < maxCuts;
    length = findPreviousBreak(candidate, length)
  ) {
    const text = candidate.slice(0, length);
    cuts += 1;
    if (!isBalanced(text) || !hasGroups(text)) continue;
    if (isInternational) {
      const number = parsePhoneNumberFromString(text.replace(/^00/, '+').replace('(0)', ''));
      if (number?.isValid()) return length;
    } else if (regions.some((code) => parsePhoneNumberFromString(text, code)?.isValid())) return length;
  }
  return undefined;
}

function listRegionsFor(region: string | undefined, isLabelled: boolean): readonly CountryCode[] {
  const countries = region !== undefined && isSupportedCountry(region) ? [region] : [];
  if (isLabelled) return countries.length > 0 ? countries : defaultRegions;
  return countries;
}

/** The end of the part before the last separator. */
function findPreviousBreak(text: string, length: number): number {
  const cut = text.slice(0, length).search(/[ \u00a0().\-/]+\d*$/);
  return cut === -1 ? 0 : cut;
}

/** Single digits with blanks between them are counted things, not numbers to call. */
function hasGroups(text: string): boolean {
  const digits = text.replace(/\D/g, '').length;
  return digits >= minDigits && digits <= maxDigits && /\d\d/.test(text);
}

function isBalanced(text: string): boolean {
  return (text.match(/\(/g)?.length ?? 0) === (text.match(/\)/g)?.length ?? 0);
}
