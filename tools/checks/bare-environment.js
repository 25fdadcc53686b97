import { ModernFakeTimers } from '@jest/fake-timers'
import { ModuleMocker } from 'jest-mock'

const { process } = globalThis

/**
 * Jest's environment for tests in bare Node: the globals are those of the worker process. Puts back the globals that Jest or a test
 * file replaces, before the next file runs.
 */
export default class BareEnvironment {
  global = globalThis
  moduleMocker = new ModuleMocker(globalThis)
  #console = globalThis.console
  #env = { ...process.env }
  #exit = process.exit

  constructor({ projectConfig: config }) {
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis })
    // Tests use only the timers of Jest's object `jest`. It cannot mock modules here.
    globalThis.jest = this.fakeTimersModern
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose()
    globalThis.console = this.#console
    process.exit = this.#exit
    for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name]
    Object.assign(process.env, this.#env)
  }

  getVmContext() {
    return null
  }
}
