import { Command } from 'commander'
import type { Gateway, Paged } from '@gateway/sdk'
import { CliError } from './exit.ts'
import { createOutput, type Output } from './io.ts'
import { time, wholeNumber } from './parse.ts'
import { connect, readSettings, type GlobalFlags, type Settings } from './profile/settings.ts'

/** What a command works with. */
export interface CommandContext {
  readonly settings: Settings
  readonly output: Output
  /** Throws when the credentials are missing. */
  readonly gateway: () => Gateway
}

interface Listing<Item, Flags> {
  /** How many items are printed without `--limit`. */
  readonly limit: number
  /** @param flags the command's options, with the size of a page as `limit` */
  readonly list: (gateway: Gateway, flags: Flags, args: readonly string[]) => Paged<Item>
  readonly describe: (item: Item) => string
}

const MAX_PAGE_SIZE = 100

/** A command or a group of commands of `pgw`. */
export class PgwCommand extends Command {
  override createCommand(name?: string): PgwCommand {
    return new PgwCommand(name)
  }

  /** Sets what the command does; `run` gets the context, then the command's arguments and its options. */
  does(run: (context: CommandContext, ...args: never[]) => Promise<void>): this {
    return this.action((...args: unknown[]) => {
      const flags = this.optsWithGlobals<GlobalFlags>()
      const settings = readSettings(flags, process.env)
      const context = { settings, output: createOutput(flags.json === true), gateway: () => connect(settings) }
      return run(context, ...(args as never[]))
    })
  }

  /** Adds the options `--from` and `--to`. */
  hasPeriod(): this {
    const from = 'created then or later: how long ago (30m, 2h, 3d), a day (2026-01-31, in IST) or 2026-01-31T00:00:00Z'
    return this.option('--from <time>', from, time).option(
      '--to <time>',
      'created before this time; a day is its beginning',
      time,
    )
  }

  /** Prints the first `--limit` items of a list, or a note when there are none. Requests no more items than needed. */
  lists<Item extends object, Flags extends { readonly limit: number }>(listing: Listing<Item, Flags>): this {
    return this.option('--limit <number>', 'how many', wholeNumber, listing.limit).does(async ({ output, gateway }) => {
      const flags = this.opts<Flags>()
      if (flags.limit < 1) throw new CliError('--limit must be at least 1')
      let shown = 0
      const page = { ...flags, limit: Math.min(MAX_PAGE_SIZE, flags.limit) }
      for await (const item of listing.list(gateway(), page, this.args)) {
        if (shown >= flags.limit) break
        shown += 1
        output.result(item, listing.describe(item))
      }
      if (shown === 0) output.note('nothing found')
    })
  }
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> }

/** The fields that have a value. */
export function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>
}
