'use strict';
const { ModuleMocker } = require('jest-mock');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { TestEnvironment } = require('jest-environment-node');

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Tests run in the global scope of the worker process rather than in one of their own, so that they can share the modules that
 * `runtime.js` loads once per process: an `Error` of a shared module is an `Error` for the test. What a test file changes in the
 * global scope, in the variables of the environment or in the working folder is undone after it, and so are its listeners for
 * signals: with one that shuts down a server, Jest could not end the worker.
 */
module.exports = class SharedEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.kept = {
      globals: new Map(
        Reflect.ownKeys(globalThis).map((key) => [key, Object.getOwnPropertyDescriptor(globalThis, key)]),
      ),
      environment: { ...process.env },
      folder: process.cwd(),
      exit: Object.getOwnPropertyDescriptor(process, 'exit'),
      listeners: signals.map((signal) => process.listeners(signal)),
    };
    // Jest looks for what it needs of the machine, such as the actual clock, under symbols of the global scope.
    for (const symbol of Object.getOwnPropertySymbols(this.global))
      if (!(symbol in globalThis))
        Object.defineProperty(globalThis, symbol, { value: this.global[symbol], configurable: true, writable: true });
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: config.projectConfig, global: globalThis });
  }

  async teardown() {
    await super.teardown();
    const { globals, environment, folder, exit, listeners } = this.kept;
    for (const [index, signal] of signals.entries())
      for (const listener of process.listeners(signal))
        if (!listeners[index].includes(listener)) process.off(signal, listener);
    for (const key of Reflect.ownKeys(globalThis)) {
      const descriptor = globals.get(key);
      if (!descriptor) Reflect.deleteProperty(globalThis, key);
      else if (descriptor.configurable) Object.defineProperty(globalThis, key, descriptor);
    }
    for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
    Object.assign(process.env, environment);
    process.chdir(folder);
    Object.defineProperty(process, 'exit', exit);
  }
};
