import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { IdentityMapInput } from '../../client';
import { api } from '../api';
import { Failure, Panel } from '../parts/page';
import { navigate } from '../router';
import { texts } from '../texts';

const words = texts.identities.new;
const empty = { name: '', places: '', directory: 'system', rule: 'name', prefix: '' };
type Given = typeof empty;

/** The form for a new identity map. */
export function NewIdentityMap() {
  const queries = useQueryClient();
  const [given, setGiven] = useState<Given>(empty);
  const [file, setFile] = useState<File | null>(null);
  const create = useMutation({
    mutationFn: async () => api.identityMaps.put(given.name.trim(), await readInput(given, file)),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['identity-maps'] });
      navigate(`/admin/identities?map=${encodeURIComponent(given.name.trim())}`);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  const change = (member: Partial<Given>) => setGiven({ ...given, ...member });
  return (
    <Panel title={words.title}>
      <form onSubmit={submit} className="fields">
        <Members given={given} onChange={change} />
        {given.directory === 'given' ? (
          <label>
            {words.file}{' '}
            <input
              type="file"
              accept=".json,application/json"
              required
              onChange={({ currentTarget: { files } }) => setFile(files?.[0] ?? null)}
            />
          </label>
        ) : null}
        <div className="actions">
          <Button type="submit" loading={create.isPending} disabled={!given.name.trim() || !given.places.trim()}>
            {words.submit}
          </Button>
        </div>
      </form>
      {create.isError ? <Failure error={create.error} title={words.failed} isAction /> : null}
    </Panel>
  );
}

function Members({ given, onChange }: { given: Given; onChange: (member: Partial<Given>) => void }) {
  return (
    <>
      <TextInput
        label={words.name}
        description={words.nameHelp}
        value={given.name}
        required
        maxLength={63}
        onChange={({ currentTarget: { value } }) => onChange({ name: value })}
      />
      <Textarea
        label={words.places}
        description={words.placesHelp}
        value={given.places}
        required
        rows={2}
        onChange={({ currentTarget: { value } }) => onChange({ places: value })}
      />
      <div className="filters level">
        <NativeSelect
          label={words.directory}
          description={words.directoryHelp}
          value={given.directory}
          data={Object.entries(words.directories).map(([value, label]) => ({ value, label }))}
          onChange={({ currentTarget: { value } }) => onChange({ directory: value })}
        />
        <NativeSelect
          label={words.rule}
          value={given.rule}
          data={Object.entries(words.rules).map(([value, label]) => ({ value, label }))}
          onChange={({ currentTarget: { value } }) => onChange({ rule: value })}
        />
        {given.rule === 'name' ? (
          <TextInput
            label={words.prefix}
            description={words.prefixHelp}
            value={given.prefix}
            maxLength={100}
            onChange={({ currentTarget: { value } }) => onChange({ prefix: value })}
          />
        ) : null}
      </div>
    </>
  );
}

function getDirectory(chosen: string): Pick<IdentityMapInput, 'directory' | 'ldap'> {
  if (chosen === 'ldap-sid') return { directory: 'ldap', ldap: { ids: 'sid' } };
  if (chosen === 'ldap-number') return { directory: 'ldap', ldap: { ids: 'number' } };
  return { directory: chosen === 'given' ? 'given' : 'system' };
}

async function readInput({ places, directory, rule, prefix }: Given, file: File | null): Promise<IdentityMapInput> {
  const accounts = directory === 'given' ? await readAccounts(file) : {};
  return {
    places: places
      .split('\n')
      .map((place) => place.trim())
      .filter(Boolean),
    ...getDirectory(directory),
    ...(rule === 'mail' ? { match: [{ by: 'mail' }] } : {}),
    ...(rule === 'name' ? { match: [{ by: 'name', ...(prefix ? { prefix } : {}) }] } : {}),
    ...accounts,
  };
}

async function readAccounts(file: File | null): Promise<Pick<IdentityMapInput, 'accounts' | 'groups'>> {
  try {
    const { accounts, groups } = JSON.parse((await file?.text()) ?? '') as IdentityMapInput;
    return { ...(accounts ? { accounts } : {}), ...(groups ? { groups } : {}) };
  } catch (error) {
    throw new Error(words.wrongFile, { cause: error });
  }
}
