import { Argument, Option, type Command } from 'commander'
import type { SimulatedOutcome, SimulateOptions } from '@gateway/sdk'
import { duration } from '../parse.ts'
import { contextOf } from '../context.ts'
import { requireSandbox } from '../profile/settings.ts'
import { DEFAULT_AMOUNT, newOrder, waitForOrder } from './orders.ts'

const OUTCOMES = [
  'success',
  'failure',
  'pending',
  'expire',
  'late_success',
  'amount_mismatch',
  'network_timeout',
] as const satisfies readonly SimulatedOutcome[]

interface TriggerFlags {
  readonly order?: string
  readonly amount: string
  readonly method?: NonNullable<SimulateOptions['method']>
  readonly delay?: number
  readonly wait?: boolean
  readonly timeout: number
}

export function addTrigger(program: Command): void {
  program
    .command('trigger')
    .description('make a payment end in a chosen way, in the sandbox; the webhooks come as for a real payment')
    .addArgument(new Argument('<outcome>', 'how the payment ends').choices(OUTCOMES))
    .option('--order <id>', 'an order that exists (default: a new one)')
    .option('--amount <rupees>', 'of the new order', DEFAULT_AMOUNT)
    .addOption(new Option('--method <method>').choices(['upi', 'credit_card', 'debit_card', 'netbanking']))
    .option('--delay <duration>', 'until the outcome, at most 60s', duration)
    .option('--wait', 'wait until the payment has ended; 6 when it has not in time')
    .option('--timeout <duration>', 'how long --wait waits', duration, duration('20m'))
    .action(async (outcome: SimulatedOutcome, flags: TriggerFlags, command: Command) => {
      const context = contextOf(command)
      requireSandbox(context.settings)
      const gateway = context.gateway()
      const order = flags.order ?? (await gateway.orders.create(newOrder({ amount: flags.amount }, false))).order.order_id
      const { method, delay } = flags
      const simulation = await gateway.sandbox.simulate({
        order_id: order,
        outcome,
        ...(method === undefined ? {} : { method }),
        ...(delay === undefined ? {} : { delay_ms: delay }),
      })
      if (flags.wait === true) await waitForOrder(context, order, flags.timeout)
      else context.output.result(simulation, `${outcome} for ${order}`)
    })
}
