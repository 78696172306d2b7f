// A busy machine takes ten times as long as a quiet one, which would exceed the default of five seconds.
jest.setTimeout(30_000);
