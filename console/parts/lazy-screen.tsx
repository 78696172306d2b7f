import { type ComponentType, useEffect, useState } from 'react';
import { watchServer } from '../reachability';
import { Loading } from './page';

/**
 * A screen whose code is loaded when it is first shown. React's `lazy` with `Suspense` would keep a placeholder for at least 300 ms;
 * this shows the screen as soon as its code is there.
 */
export function lazyScreen<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function LazyScreen(props: Props) {
    const [Screen, setScreen] = useState(() => loaded);
    useEffect(() => {
      if (Screen) return undefined;
      let isGone = false;
      void load().then(
        (screen) => {
          loaded = screen;
          if (!isGone) setScreen(() => screen);
        },
        (error: unknown) => {
          void watchServer();
          if (isGone) return;
          setScreen(() => {
            throw error;
          });
        },
      );
      return () => {
        isGone = true;
      };
    }, [Screen]);
    return Screen ? <Screen {...props} /> : <Loading />;
  };
}
