import { spellCode } from '../../model/errors';
import { errorsOf } from './openapi';
import type { Route } from './route';

/** The table of `docs/api.md`: one line per route, in the order of the list. */
export function routeTable(routes: readonly Route[]): string {
  const lines = routes.map((route) => {
    const codes = errorsOf(route)
      .filter((code) => route.errors.includes(code))
      .map((code) => `\`${spellCode(code, 'upper')}\``);
    const cells = [
      `\`${route.method}\``,
      `\`${route.path}\``,
      route.auth === 'user' ? 'yes' : 'no',
      cell(route.summary),
      codes.join(', '),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '| Method | Path | Token | What it does | Errors of its own |',
    '| --- | --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
