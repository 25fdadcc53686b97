import type { Command } from 'commander'
import type { Downtime } from '@gateway/sdk'
import { contextOf } from '../context.ts'
import { printable } from '../io.ts'

export function addDowntimes(program: Command): void {
  program
    .command('downtimes')
    .description('what does not work at the banks and networks now')
    .action(async (_options: object, command: Command) => {
      const { output, gateway } = contextOf(command)
      const downtimes = await gateway().downtimes.list()
      output.result({ downtimes }, downtimes.length === 0 ? 'Nothing is down.' : downtimes.map(describe).join('\n'))
    })
}

function describe({ method, instrument, severity, began_at, ended_at }: Downtime): string {
  const what = instrument === null ? method : `${method} ${printable(instrument)}`
  return `${severity}  ${what}  since ${began_at}${ended_at === null ? '' : `  until ${ended_at}`}`
}
