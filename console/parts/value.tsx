import { formatCount } from '../format';

const maxMembers = 60;

/** A value in readable form: objects as pairs, lists of plain values on one line, no JSON. */
export function Value({ value, depth = 0 }: { value: unknown; depth?: number }) {
  if (typeof value !== 'object' || value === null) return <>{cut(String(value))}</>;
  if (depth > 3) return <>{cut(JSON.stringify(value))}</>;
  const isPlain = (value: unknown) => typeof value !== 'object' || value === null;
  if (Array.isArray(value) && value.every(isPlain)) return <>{cut(value.map(String).join(', '))}</>;
  if (isTable(value)) return <Grid rows={value} />;
  const entries = Object.entries(value).filter(([, member]) => !isEmptyValue(member));
  return (
    <dl className="values nested">
      {entries.slice(0, maxMembers).map(([name, member]) => (
        <div key={name}>
          <dt>{Array.isArray(value) ? formatCount(Number(name) + 1) : name}</dt>
          <dd>
            <Value value={member} depth={depth + 1} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** True for a list of objects with plain values. */
function isTable(value: unknown): value is Record<string, unknown>[] {
  const isFlat = (value: unknown) =>
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((member) => typeof member !== 'object' || !member);
  return Array.isArray(value) && value.length > 0 && value.every(isFlat);
}

function Grid({ rows }: { rows: readonly Record<string, unknown>[] }) {
  const names = [...new Set(rows.flatMap(Object.keys))].filter((name) => rows.some((row) => !isEmptyValue(row[name])));
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={names.join(', ')}>
      <table className="grid">
        <thead>
          <tr>
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, maxMembers).map((row, index) => (
            <tr key={`${index}`}>
              {names.map((name) => (
                <td key={name}>{isEmptyValue(row[name]) ? '' : cut(String(row[name]))}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** True if there is nothing to display. */
export function isEmptyValue(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function cut(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)} …` : text;
}
