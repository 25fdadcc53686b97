/** Processor time of a payment, over the processes that made it, database and broker included. */
import { readStack } from '@gateway-infra/local/stack-file'
import { openProcessBook } from '@gateway-infra/system/process-book'
import { processorMs } from '@gateway-infra/system/processes'
import { untilSettled } from '@gateway-tools/load/receiver'
import { runPayments } from './end-to-end.ts'
import { eventIds, type Bench } from './stack.ts'

const PATIENCE_MS = 60_000
const CALLERS = 32

/** Milliseconds per payment at 50 payments per second. */
export function cpuAtFifty(bench: Bench, durationMs: number): Promise<number> {
  return cpuPerPayment(bench, async () => {
    const { load } = await runPayments(bench, { perSecond: 50, durationMs, patienceMs: PATIENCE_MS })
    return load.paidIds.length
  })
}

/** Milliseconds per payment while 32 callers create and pay as fast as they are answered. */
export function cpuAtFullLoad(bench: Bench, durationMs: number): Promise<number> {
  return cpuPerPayment(bench, async () => {
    const { receiver } = bench
    await receiver.call('take')
    const { transactionIds, paidIds } = await bench.load.call('callers', 'pay', { concurrency: CALLERS, durationMs })
    await untilSettled(receiver, [...eventIds(transactionIds, 1), ...eventIds(paidIds, 2)], PATIENCE_MS)
    return paidIds.length
  })
}

/** @param work resolves to the number of payments, once their webhooks have arrived */
async function cpuPerPayment(bench: Bench, work: () => Promise<number>): Promise<number> {
  const pids = () => [...enginesOf(bench), ...servicesOf(bench)].map(({ pid }) => pid)
  const before = processorMs(pids())
  const payments = await work()
  return (processorMs(pids()) - before) / payments
}

export interface NamedProcess {
  readonly name: string
  readonly pid: number
}

/** Throws when database and broker are no processes of this machine's stack: a sum without them would look too good. */
export function enginesOf({ stateDir }: Pick<Bench, 'stateDir'>): readonly NamedProcess[] {
  const engines = openProcessBook(stateDir, 'backing').running()
  if (engines.length === 0) throw new Error('the processor time of containers or given servers cannot be read')
  return engines
}

export function servicesOf({ stateDir }: Pick<Bench, 'stateDir'>): readonly NamedProcess[] {
  return Object.entries(readStack(stateDir)?.services ?? {}).map(([name, { pid }]) => ({ name, pid }))
}
