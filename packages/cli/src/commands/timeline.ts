import type { Command } from 'commander'
import type { TimelineEvent } from '@gateway/sdk'
import { contextOf } from '../context.ts'
import { printable } from '../io.ts'
import { orderId } from '../parse.ts'

export function addTimeline(program: Command): void {
  program
    .command('timeline')
    .argument('<order>', 'the id of the order', orderId)
    .description('show what happened to an order, with its webhooks')
    .action(async (order: string, _options: object, command: Command) => {
      const { output, gateway } = contextOf(command)
      const timeline = await gateway().timeline(order)
      const missing = timeline.incomplete.map((source) => `missing now: ${source}`)
      output.result(timeline, [...timeline.events.map(describe), ...missing].join('\n'))
    })
}

function describe({ at, kind, sequence, detail }: TimelineEvent): string {
  const facts = Object.entries(detail)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${String(value)}`)
  return [at, kind, ...(sequence === null ? [] : [`change ${sequence}`]), printable(facts.join(', '))].join('  ')
}
