import { Alert, Button, PasswordInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { api, ApiError } from '../api';
import { describeError } from '../describe-error';
import { buildHref, navigate, usePlace, useTitle } from '../router';
import { texts } from '../texts';

/** Login by name and password, by a provider, or by the single-use link that `docloom up` prints. */
export function LoginScreen({ isExpired, onDone }: { isExpired: boolean; onDone: () => void }) {
  useTitle(texts.login.title);
  const { path, query } = usePlace();
  const { problem, isWorking, submit } = useLogin(onDone);
  return (
    <main className="login">
      <h1>{texts.login.title}</h1>
      {isExpired && !problem ? (
        <Alert color="gray" variant="outline" mb={16}>
          {texts.login.expired}
        </Alert>
      ) : null}
      {!problem && path === '/login' ? <ProviderFailure reason={query.get('login_error')} /> : null}
      {problem ? (
        <Alert color="red" variant="outline" role="alert" mb={16}>
          {problem}
        </Alert>
      ) : null}
      <PasswordForm onSubmit={submit} isWorking={isWorking} />
      <Providers />
    </main>
  );
}

/** Exchanges the code of the address, if there is one, and logs in with name and password. */
function useLogin(onDone: () => void) {
  const { path, query } = usePlace();
  const [problem, setProblem] = useState<string>();
  const [isWorking, setWorking] = useState(false);
  const exchangedCode = useRef<string>(undefined);

  // The code of a login link is after the `#`, which reaches no server and no log; that of a provider is in the query.
  const isProviderReturn = path === '/login';
  const providerCode = isProviderReturn ? query.get('code') : null;
  const code = new URLSearchParams(location.hash.slice(1)).get('code') ?? providerCode ?? undefined;
  useEffect(() => {
    if (code === undefined || exchangedCode.current === code) return;
    exchangedCode.current = code;
    const whenRefused = providerCode === null ? texts.login.linkUsed : texts.login.byProvider['expired'];
    navigate(isProviderReturn ? findTarget(query) : path, { replace: true });
    setWorking(true);
    api.oauth2
      .exchange(code)
      .then(onDone, (error: unknown) =>
        setProblem(error instanceof ApiError && error.status === 401 ? whenRefused : describeError(error)),
      )
      .finally(() => setWorking(false));
  });

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // The form has text fields only. The password is sent as it was typed.
    const { username = '', password = '' } = Object.fromEntries(new FormData(event.currentTarget)) as Record<
      string,
      string
    >;
    setWorking(true);
    setProblem(undefined);
    api
      .login(username, password)
      .then(onDone, (error: unknown) => {
        const isWrong = error instanceof ApiError && error.status === 401;
        setProblem(isWrong ? texts.login.wrong : describeError(error));
      })
      .finally(() => setWorking(false));
  };
  return { problem, isWorking, submit };
}

function PasswordForm({
  onSubmit,
  isWorking,
}: {
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  isWorking: boolean;
}) {
  return (
    <form onSubmit={onSubmit}>
      <TextInput name="username" label={texts.login.username} autoComplete="username" required mb={12} />
      <PasswordInput
        name="password"
        label={texts.login.password}
        autoComplete="current-password"
        required
        mb={16}
        withErrorStyles={false}
      />
      <Button type="submit" fullWidth loading={isWorking}>
        {texts.login.submit}
      </Button>
    </form>
  );
}

/** The reason that the server put into the address when a login with a provider failed. */
function ProviderFailure({ reason }: { reason: string | null }) {
  if (reason === null) return null;
  return (
    <Alert color="red" variant="outline" role="alert" mb={16}>
      {texts.login.byProvider[reason] ?? texts.login.byProvider['unavailable']}
    </Alert>
  );
}

function Providers() {
  const { path, query } = usePlace();
  const providers = useQuery({ queryKey: ['providers'], queryFn: () => api.oauth2.providers() });
  const search = query.toString();
  const to = path === '/login' ? findTarget(query) : `${path}${search === '' ? '' : `?${search}`}`;
  return (
    <>
      {(providers.data?.providers ?? []).map(({ name, display_name, authorize_url }) => (
        <Button
          key={name}
          component="a"
          variant="default"
          fullWidth
          mt={12}
          href={`${authorize_url}&redirect_after=${encodeURIComponent(buildHref(`/login?to=${encodeURIComponent(to)}`))}`}
        >
          {texts.login.by(display_name)}
        </Button>
      ))}
    </>
  );
}

/** The address to open after the login; never one outside the console. */
function findTarget(query: URLSearchParams): string {
  const to = query.get('to') ?? '/';
  return /^\/(?!\/)/.test(to) && !to.includes('..') ? to : '/';
}
