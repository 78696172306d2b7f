// Servers take their time on a busy machine; a project's own testTimeout is not read by jest.
jest.setTimeout(300_000);
