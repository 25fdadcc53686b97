import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { contextOf } from '../context.ts'
import { day } from '../parse.ts'

export function addReports(program: Command): void {
  const reports = program.command('reports').description('movements of money')
  reports
    .command('daily')
    .argument('<date>', 'a day such as 2026-11-21', day)
    .description('print every movement of money on a day in IST, such as 2026-11-21: as CSV, or as JSON with --json')
    .action(async (date: string, _options: object, command: Command) => {
      const { gateway } = contextOf(command)
      const format = command.optsWithGlobals<{ json?: boolean }>().json === true ? 'json' : 'csv'
      const report = await gateway().reports.daily(date, { format })
      await pipeline(report, process.stdout, { end: false })
    })
}
