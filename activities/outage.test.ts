import { createOutageWatch } from './outage';

const at = (seconds: number) => new Date(seconds * 1_000).toISOString();

test('an outage is over when its time has passed, counted from its first failure', () => {
  let seconds = 0;
  const watch = createOutageWatch({ now: () => seconds * 1_000, waitMs: 60_000 });
  expect(watch.note(0)).toEqual({ since: at(0), until: at(60), isOver: false });
  seconds = 59;
  expect(watch.note(0).isOver).toBe(false);
  seconds = 60;
  expect(watch.note(0)).toEqual({ since: at(0), until: at(60), isOver: true });
});

test('work that got further before it failed again has a new outage', () => {
  let seconds = 0;
  const watch = createOutageWatch({ now: () => seconds * 1_000, waitMs: 60_000 });
  watch.note(5);
  seconds = 70;
  expect(watch.note(6)).toEqual({ since: at(70), until: at(130), isOver: false });
  seconds = 131;
  expect(watch.note(6).isOver).toBe(true);
});

test('an outage that an earlier attempt was waiting in continues', () => {
  const watch = createOutageWatch({ now: () => 100_000, waitMs: 60_000, earlier: at(30) });
  expect(watch.note(0)).toEqual({ since: at(30), until: at(90), isOver: true });
});

test('setting the clock neither ends an outage nor extends it', () => {
  let seconds = 0;
  let setBy = 0;
  const watch = createOutageWatch({
    now: () => (seconds + setBy) * 1_000,
    tick: () => seconds * 1_000,
    waitMs: 60_000,
  });
  watch.note(0);
  seconds = 30;
  setBy = 3_600;
  expect(watch.note(0)).toEqual({ since: at(0), until: at(3_660), isOver: false });
  setBy = -3_600;
  seconds = 60;
  expect(watch.note(0).isOver).toBe(true);
});

test('without a limit an outage is never over', () => {
  let now = 0;
  const watch = createOutageWatch({ now: () => now });
  watch.note(0);
  now = 1e12;
  expect(watch.note(0)).toEqual({ since: at(0), isOver: false });
});
