/** How the text of a setting is parsed. */
type Kind = 'text' | 'integer' | 'number' | 'boolean' | 'list' | 'port';

/** One setting: how it is parsed, its default, and the text of the documentation. */
export interface Setting {
  kind: Kind;
  /** The default, as text in the form used in the environment; undefined means not set. */
  default?: string;
  secret?: boolean;
  /** Values of a secret that may be shown, since they hold no password. */
  harmless?: RegExp;
  /** Set for secrets that only the api needs; they are removed from the environment of all other processes. */
  only?: 'api';
  oneOf?: readonly string[];
  minimum?: number;
  /** Alternative names, tried in this order when the setting itself is not set. */
  aliases?: readonly string[];
  /** For lists: boolean variables, each with the item it adds when true. Read only when the list itself is not set. */
  switches?: Readonly<Record<string, string>>;
  text: string;
}
