import type { NetworkReport } from '@gateway/contracts'
import type { Network } from '../kernel/network.ts'
import type { SimulatedProcess } from '../kernel/process.ts'
import { sendCallback } from './callbacks.ts'
import { answerAs, type TruePayment } from './network-answers.ts'

export type { TruePayment }

/** The payment network: it keeps the ground truth, answers enquiries with it, and reports in callbacks. */
export interface PaymentNetwork {
  readonly payments: readonly TruePayment[]
  /** Records a payment, or what has become of it. */
  record(report: NetworkReport): void
  /** Sends a signed callback until the gateway has acknowledged it. */
  report(report: NetworkReport): Promise<void>
}

export function createPaymentNetwork(process: SimulatedProcess, network: Network): PaymentNetwork {
  const payments = new Map<string, TruePayment>()
  const { kernel } = process
  network.listen('network', 8080, process, answerAs(process, payments))

  return {
    get payments() {
      return [...payments.values()]
    },
    record(report) {
      const before = payments.get(report.reference)
      const capturedAtMs = before?.capturedAtMs ?? (report.outcome === 'success' ? kernel.nowMs : undefined)
      const { reversedBy = new Set<string>(), refunds = new Map<string, number>() } = before ?? {}
      payments.set(report.reference, { report, capturedAtMs, reversedBy, refunds })
      kernel.trace(process.name, `${report.reference} of ${report.tr} is ${report.outcome} with ${report.amount}`)
    },
    report: (report) => process.run(() => sendCallback(network, report)),
  }
}
