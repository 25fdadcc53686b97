import { REFUND_BEHAVIOURS, type RefundBehaviour } from './refund-behaviours.ts'

/** Behaviours of a UPI payment, chosen by the part of the VPA before `@sandbox`. */
export const UPI_SCENARIOS = [
  'success',
  'failure',
  'slow',
  'pending',
  'duplicate',
  'reordered',
  'mismatch',
  'late',
  'silent',
  'twice',
] as const
export type UpiScenario = (typeof UPI_SCENARIOS)[number]

/** How the network answers a request to reverse a capture. */
export const REVERSAL_BEHAVIOURS = ['at_once', 'takes_a_while', 'refused'] as const
export type ReversalBehaviour = (typeof REVERSAL_BEHAVIOURS)[number]

export interface UpiBehaviour {
  readonly scenario: UpiScenario
  readonly reversal: ReversalBehaviour
  readonly refund: RefundBehaviour
}

const REVERSALS: Readonly<Record<string, ReversalBehaviour>> = { 'slow-reversal': 'takes_a_while', 'refused-reversal': 'refused' }

const REFUND_MODIFIER = /^(.+)-refund$/u

/**
 * The behaviour of a VPA: `late@sandbox` pays late, `late.refused-reversal@sandbox` also refuses the reversal, and
 * `success.slow-refund@sandbox` refunds slowly. Modifiers can be combined. A VPA without a scenario pays successfully.
 */
export function upiBehaviour(vpa: string): UpiBehaviour {
  const [, local = ''] = /^(.*)@sandbox$/iu.exec(vpa) ?? []
  const [name = '', ...modifiers] = local.toLowerCase().split('.')
  const refunds = modifiers.map((modifier) => REFUND_MODIFIER.exec(modifier)?.[1])
  return {
    scenario: UPI_SCENARIOS.find((scenario) => scenario === name) ?? 'success',
    reversal: modifiers.map((modifier) => REVERSALS[modifier]).find((found) => found !== undefined) ?? 'at_once',
    refund: REFUND_BEHAVIOURS.find((behaviour) => refunds.includes(behaviour)) ?? 'at_once',
  }
}
