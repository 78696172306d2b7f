import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import type { IdentityMapInput, IdentityMapReply } from '../../client';
import { api } from '../api';
import { Failure } from '../parts/page';
import { texts } from '../texts';

/** A field for the login of one account, which becomes a pair of its map; empty removes the pair. */
export function AssignLogin({ map, account, login }: { map: IdentityMapReply; account: string; login: string | null }) {
  const queries = useQueryClient();
  const assign = useMutation({
    // The current map: somebody else may have changed it since it was shown.
    mutationFn: async (value: string) =>
      api.identityMaps.put(map.map_id, addPair(await api.identityMaps.get(map.map_id), account, value)),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['identity-maps'] }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const value = new FormData(event.currentTarget).get('login');
    assign.mutate(typeof value === 'string' ? value.trim() : '');
  };
  return (
    <form onSubmit={submit} className="actions">
      <TextInput
        name="login"
        size="xs"
        aria-label={texts.identities.assignOne(account)}
        placeholder={texts.identities.login}
        defaultValue={login ?? ''}
        maxLength={256}
      />
      <Button type="submit" size="xs" variant="default" loading={assign.isPending}>
        {texts.identities.assign}
      </Button>
      {assign.isError ? <Failure error={assign.error} title={texts.identities.assignFailed} isAction /> : null}
    </form>
  );
}

function addPair(map: IdentityMapReply, account: string, login: string): IdentityMapInput {
  const { map_id: _id, updated_at: _at, updated_by: _by, sync: _sync, pairs = [], ...members } = map;
  const others = pairs.filter((pair) => pair.account !== account);
  return { ...members, pairs: login === '' ? others : [...others, { account, login }] };
}
