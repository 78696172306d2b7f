import { findChild, getLocalName, joinText, listDescendants, listElements, type XmlElement } from '../xml/xml';

/** One reported value. `unit` is empty unless it is a number. */
export interface Fact {
  /** Name with the document's prefix: `us-gaap:Assets`. */
  name: string;
  text: string;
  /** `2025-04-01 - 2026-01-01` with an exclusive end; a single day for a point in time. */
  period: string;
  unit: string;
  decimals: string;
  /** Axis and member of each dimension, by local name. */
  dimensions: [axis: string, member: string][];
}

/** Returns the facts of an instance in order, including facts in tuples. Nil values are skipped. */
export function readFacts(instance: XmlElement): Fact[] {
  const contexts = new Map(
    listElements(instance, 'xbrli:context').map((context) => [readId(context), readContext(context)]),
  );
  const units = new Map(listElements(instance, 'xbrli:unit').map((unit) => [readId(unit), formatUnit(unit)]));
  const facts: Fact[] = [];
  const visit = (parent: XmlElement): void => {
    for (const element of listElements(parent)) {
      const { name, attributes } = element;
      if (name.startsWith('xbrli:') || name.startsWith('link:')) continue;
      const reference = attributes['contextRef'];
      if (reference === undefined) {
        visit(element);
        continue;
      }
      if (attributes['xsi:nil'] === 'true') continue;
      facts.push({
        name,
        text: joinText(element).trim(),
        ...(contexts.get(reference) ?? { period: '', dimensions: [] }),
        unit: units.get(attributes['unitRef'] ?? '') ?? attributes['unitRef'] ?? '',
        decimals: attributes['decimals'] ?? '',
      });
    }
  };
  visit(instance);
  return facts;
}

function readId({ attributes }: XmlElement): string {
  return attributes['id'] ?? '';
}

function readContext(context: XmlElement): Pick<Fact, 'period' | 'dimensions'> {
  const period = findChild(context, 'xbrli:period');
  const readDate = (name: string) => joinText(findChild(period, `xbrli:${name}`)).trim();
  const start = readDate('startDate');
  const readAxis = ({ attributes }: XmlElement) => getLocalName(attributes['dimension'] ?? '').trim();
  const explicit = listDescendants(context, 'xbrldi:explicitMember').map((member): [string, string] => [
    readAxis(member),
    getLocalName(joinText(member).trim()),
  ]);
  const typed = listDescendants(context, 'xbrldi:typedMember').map((member): [string, string] => [
    readAxis(member),
    joinText(member).trim(),
  ]);
  const end = getNextDay(readDate('endDate') || readDate('instant'));
  return { period: start === '' ? end : `${start} - ${end}`, dimensions: [...explicit, ...typed] };
}

const dayMs = 24 * 60 * 60 * 1000;

/** Returns the following day. An end date without a time includes the whole day (XBRL 2.1, 4.7.2). */
function getNextDay(date: string): string {
  const day = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(day) ? date : new Date(day + dayMs).toISOString().slice(0, 10);
}

/** Returns `USD`, `shares`, `USD/shares`. */
function formatUnit(unit: XmlElement): string {
  const divide = findChild(unit, 'xbrli:divide');
  const joinMeasures = (part: XmlElement | undefined) =>
    listElements(part, 'xbrli:measure')
      .map((measure) => getLocalName(joinText(measure).trim()))
      .join('*');
  if (!divide) return joinMeasures(unit);
  const numerator = joinMeasures(findChild(divide, 'xbrli:unitNumerator'));
  return `${numerator}/${joinMeasures(findChild(divide, 'xbrli:unitDenominator'))}`;
}
