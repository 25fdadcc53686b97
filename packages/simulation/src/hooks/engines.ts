import type { Duplex } from 'node:stream'
import type { Kernel } from '../kernel/kernel.ts'
import type { Network } from '../kernel/network.ts'
import { currentProcess, type SimulatedProcess } from '../kernel/process.ts'

/** What a simulated process finds outside itself. */
export interface Engines {
  readonly network: Network
  /** Told of each webhook before it is sent. */
  readonly onWebhook: (process: SimulatedProcess, id: string, attempt: number) => void
  /** Opens a connection to the database or the broker. */
  readonly connect: (process: SimulatedProcess, host: string, port: number) => Duplex
}

const engines = new WeakMap<Kernel, Engines>()

export function useEngines(kernel: Kernel, its: Engines): void {
  engines.set(kernel, its)
}

/** The running process and its engines. Throws outside of simulated processes: nothing may reach the real world. */
export function theEngines(): Engines & { readonly process: SimulatedProcess } {
  const process = currentProcess()
  const its = process && engines.get(process.kernel)
  if (!its) throw new Error('the simulation makes no real connections')
  return { ...its, process }
}
