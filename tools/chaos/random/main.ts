/**
 * `npm run chaos:random [-- --minutes 2] [-- --seed 1] [-- --per-second 3]`: two replicas of each service, faults drawn from the
 * seed, and a history of what merchants, shoppers and webhook receivers saw. Then quiet, and every rule is checked.
 */
import { parseArgs } from 'node:util'
import { runCommand } from '@gateway-infra/system/command'
import { unlessStopped } from '@gateway-infra/system/stopping'
import { unacknowledged, unacknowledgedRefunds, type History } from '@gateway/simulation/check/history'
import { execute } from './execute.ts'
import { observe, reportViolations } from './observe.ts'
import { planFaults } from './plan.ts'
import { withWorld } from './world.ts'

const OPTIONS = {
  minutes: { type: 'string', default: '2' },
  seed: { type: 'string', default: '1' },
  'per-second': { type: 'string', default: '3' },
} as const

await runCommand((context, args) => {
  const { values } = parseArgs({ args: [...args], options: OPTIONS })
  const [minutes, seed, perSecond] = [Number(values.minutes), Number(values.seed), Number(values['per-second'])]
  const { log } = context.progress
  return withWorld(context, (world) =>
    unlessStopped(async () => {
      const { history, result: faults } = await observe({ seed, perSecond, log }, world.fleet, (receivers) =>
        execute(planFaults(seed, minutes * 60_000), world, receivers, log),
      )
      const violations = await reportViolations(history, world.fleet)
      console.log(`again: npm run chaos:random -- --minutes ${minutes} --seed ${seed} --per-second ${perSecond}`)
      console.log(JSON.stringify({ ...figuresOf(history), faults, violations, seed, minutes }))
      return violations === 0 ? 0 : 1
    }),
  )
})

function figuresOf({ operations, webhooks, refundWebhooks, changes, payments, refunds }: History) {
  const created = operations.filter(({ action, type }) => action.f === 'create' && type === 'ok')
  return {
    orders: new Set(created.map(({ action }) => action.order)).size,
    requests: operations.length,
    unanswered: operations.filter(({ type }) => type === 'info').length,
    changes: changes.length,
    webhooks: webhooks.length,
    payments: payments.length,
    refunds: refunds.length,
    refund_webhooks: refundWebhooks.length,
    lost: unacknowledged({ webhooks, changes }).length + unacknowledgedRefunds({ refunds, refundWebhooks }).length,
  }
}
