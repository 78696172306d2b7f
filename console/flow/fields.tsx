import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { texts } from '../texts';
import type { OperatorMetadata } from './catalogue';

interface Schema {
  type?: string;
  description?: string;
  default?: unknown;
  anyOf?: { const?: unknown }[];
  /** All known values; others are rejected when the flow is validated. */
  examples?: unknown[];
}
type Config = Record<string, unknown>;

/** The settings of an operator as a form, from the schema of its configuration. */
export function ConfigFields({
  operator,
  config,
  hidden,
  onChange,
}: {
  operator: OperatorMetadata;
  config: Config;
  /** Settings that have a separate form. */
  hidden: readonly string[];
  onChange: (config: Config) => void;
}) {
  const { properties = {}, required = [] } = operator.config_schema as {
    properties?: Record<string, Schema>;
    required?: string[];
  };
  const set = (name: string, value: unknown) => {
    const { [name]: _old, ...others } = config;
    onChange(value === undefined ? others : { ...others, [name]: value });
  };
  // Settings that were present at first stay in place while they are edited.
  const [shownFirst] = useState(() => new Set([...required, ...Object.keys(config)]));
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
        <details className="more">
          <summary>{texts.flow.more(foldedNames.length)}</summary>
          <div className="fields">{foldedNames.map(renderField)}</div>
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
  return <JsonField {...common} value={value} onChange={onChange} />;
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
function JsonField({
  value,
  onChange,
  ...common
}: {
  label: string;
  description: string | undefined;
  required: boolean;
  value: unknown;
  onChange: (value: unknown) => void;
}) {
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
