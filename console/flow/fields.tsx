import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { texts } from '../texts';

interface Schema {
  type?: string;
  description?: string;
  default?: unknown;
  anyOf?: (Schema & { const?: unknown })[];
  items?: Schema;
  /** All known values; others are rejected when the flow is validated. */
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
}
type Config = Record<string, unknown>;

/** Settings as a form, from their schema. */
export function ConfigFields({
  schema: { properties = {}, required = [] },
  config,
  hidden = [],
  onChange,
}: {
  schema: Schema;
  config: Config;
  /** Settings that have a separate form. */
  hidden?: readonly string[];
  onChange: (config: Config) => void;
}) {
  const set = (name: string, value: unknown) => {
    const { [name]: _old, ...others } = config;
    onChange(value === undefined ? others : { ...others, [name]: value });
  };
  // Settings that were present at first stay in place while they are edited.
  const [shownFirst] = useState(() => new Set([...required, ...Object.keys(config)]));
  const [isUnfolded, setUnfolded] = useState(false);
  const names = Object.keys(properties).filter((name) => !hidden.includes(name));
  const foldedNames = names.filter((name) => !shownFirst.has(name));
  const renderField = (name: string) => (
    <Field
      key={name}
      {...{ name, schema: properties[name] ?? {}, value: config[name], isRequired: required.includes(name) }}
      onChange={(value) => set(name, value)}
    />
  );
  return (
    <>
      <div className="fields">{names.filter((name) => shownFirst.has(name)).map(renderField)}</div>
      {foldedNames.length > 0 ? (
        <details className="more" onToggle={({ currentTarget: { open } }) => setUnfolded(open)}>
          <summary>{texts.flow.more(foldedNames.length)}</summary>
          {isUnfolded ? <div className="fields">{foldedNames.map(renderField)}</div> : null}
        </details>
      ) : null}
    </>
  );
}

interface FieldProps {
  name: string;
  schema: Schema;
  value: unknown;
  isRequired: boolean;
  onChange: (value: unknown) => void;
}

function Field({ name, schema, value, isRequired, onChange }: FieldProps) {
  const common = { label: name, description: schema.description, required: isRequired };
  const choices = listChoices(schema);
  if (choices.length > 0)
    return (
      <NativeSelect
        {...common}
        value={typeof value === 'string' ? value : ''}
        data={[{ value: '', label: texts.flow.usual(formatDefault(schema)) }, ...choices]}
        onChange={(event) => onChange(event.currentTarget.value || undefined)}
      />
    );
  if (schema.type === 'boolean' && schema.default === undefined)
    return (
      <NativeSelect
        {...common}
        value={typeof value === 'boolean' ? String(value) : ''}
        data={[
          { value: '', label: texts.flow.usual(undefined) },
          { value: 'true', label: texts.flow.yes },
          { value: 'false', label: texts.flow.no },
        ]}
        onChange={({ currentTarget: { value: chosen } }) => onChange(chosen === '' ? undefined : chosen === 'true')}
      />
    );
  if (schema.type === 'boolean')
    return (
      <Checkbox
        label={name}
        description={schema.description}
        checked={(value ?? schema.default) === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    );
  const { type } = schema;
  if (type === 'string' || type === 'integer' || type === 'number')
    return (
      <TextInput
        {...common}
        type={type === 'string' ? 'text' : 'number'}
        step={type === 'number' ? 'any' : undefined}
        value={typeof value === 'string' || typeof value === 'number' ? String(value) : ''}
        placeholder={formatDefault(schema)}
        onChange={({ currentTarget }) => onChange(parseValue(currentTarget.value, type))}
      />
    );
  if (holdsStrings(schema) && isListOrNothing(value)) return <ListField {...{ common, schema, value, onChange }} />;
  if (schema.properties && isObjectOrNothing(value))
    return (
      <fieldset className="nested">
        <legend>{name}</legend>
        <p className="state-note">{schema.description}</p>
        <ConfigFields schema={schema} config={value ?? {}} onChange={onChange} />
      </fieldset>
    );
  return <JsonField {...common} value={value} onChange={onChange} />;
}

/** True for lists of strings, also where a single string may stand for a list of one. */
function holdsStrings({ type, items, anyOf = [] }: Schema): boolean {
  if (type === 'array') return items?.type === 'string' || listChoices(items ?? {}).length > 0;
  const [first, second, ...others] = anyOf;
  return first?.type === 'string' && second !== undefined && others.length === 0 && holdsStrings(second);
}

function isListOrNothing(value: unknown): value is string | string[] | undefined {
  if (value === undefined || typeof value === 'string') return true;
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isObjectOrNothing(value: unknown): value is Config | undefined {
  return value === undefined || (typeof value === 'object' && value !== null && !Array.isArray(value));
}

/** Labels and help of a field. */
interface Common {
  label: string;
  description: string | undefined;
  required: boolean;
}

/** Strings, one per line. */
function ListField({
  common,
  schema,
  value = [],
  onChange,
}: {
  common: Common;
  schema: Schema;
  value: string | string[] | undefined;
  onChange: (value: string[] | undefined) => void;
}) {
  const [draft, setDraft] = useState('');
  const storedText = typeof value === 'string' ? value : value.join('\n');
  // An empty last line is not part of the value, but must not vanish while a person writes the next one.
  const shownText = readLines(draft).join('\n') === storedText ? draft : storedText;
  return (
    <Textarea
      {...common}
      description={[common.description, texts.flow.lines(listChoices(schema.items ?? {}))].join(' ')}
      spellCheck={false}
      value={shownText}
      rows={Math.min(8, shownText.split('\n').length + 1)}
      onChange={({ currentTarget: { value: text } }) => {
        setDraft(text);
        const lines = readLines(text);
        onChange(lines.length > 0 ? lines : undefined);
      }}
    />
  );
}

function readLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** The value of a text field; an empty field has none. */
function parseValue(text: string, type: 'string' | 'integer' | 'number'): string | number | undefined {
  if (text === '') return undefined;
  return type === 'string' ? text : Number(text);
}

/** The values to choose from; empty if any value is allowed. */
function listChoices({ anyOf = [], examples = [] }: Schema): string[] {
  const values = anyOf.length > 0 ? anyOf.map((item) => item.const) : examples;
  const choices = values.filter((value) => typeof value === 'string');
  return choices.length === values.length ? choices : [];
}

/** The default as a text; undefined if there is none. */
function formatDefault({ default: defaultValue }: Schema): string | undefined {
  if (defaultValue === undefined) return undefined;
  return typeof defaultValue === 'string' ? defaultValue : JSON.stringify(defaultValue);
}

/** The field for settings without a simpler form. Text that is not JSON is kept and reported, but changes nothing. */
function JsonField({ value, onChange, ...common }: Common & { value: unknown; onChange: (value: unknown) => void }) {
  const [draft, setDraft] = useState<{ text: string; problem: string }>();
  const storedText = value === undefined ? '' : JSON.stringify(value, null, 2);
  const shownText = draft?.text ?? storedText;
  return (
    <Textarea
      {...common}
      classNames={{ input: 'json' }}
      spellCheck={false}
      value={shownText}
      rows={Math.min(8, shownText.split('\n').length + 1)}
      error={draft?.problem}
      onChange={({ currentTarget: { value: text } }) => {
        try {
          onChange(text.trim() === '' ? undefined : (JSON.parse(text) as unknown));
          setDraft(undefined);
        } catch (error) {
          setDraft({ text, problem: error instanceof Error ? error.message : String(error) });
        }
      }}
    />
  );
}
