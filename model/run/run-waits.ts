/** A wait of a run's operator for an unavailable server. */
export interface RunWait {
  operator: string;
  part: string;
  code: string;
  message: string;
  /** ISO 8601. */
  since: string;
  /** When the run gives up, ISO 8601. */
  until?: string;
}

/** A wait without the part: an unavailable server affects all parts. */
export type Outage = Omit<RunWait, 'part'>;

/** The earliest wait of each operator. */
export function listOutages(waits: readonly RunWait[] = []): Outage[] {
  const outages = new Map<string, Outage>();
  for (const { part: _part, ...outage } of waits) {
    const knownOutage = outages.get(outage.operator);
    if (!knownOutage || outage.since < knownOutage.since) outages.set(outage.operator, outage);
  }
  return [...outages.values()];
}

/** The message of a run while operators wait: the wait that began first, so that it stays the same. Empty if none waits. */
export function describeWait(waits: readonly RunWait[]): string {
  const [wait] = waits.toSorted((one, other) => one.since.localeCompare(other.since));
  if (!wait) return '';
  const { operator, code, message, since, until } = wait;
  const end = until === undefined ? '' : `, until ${until} at the latest`;
  return `'${operator}' waits for a service that is unreachable. ${code}: ${message} Waiting since ${since}${end}.`;
}
