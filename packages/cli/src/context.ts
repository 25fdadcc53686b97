import type { Command } from 'commander'
import type { Gateway } from '@gateway/sdk'
import { createOutput, type Output } from './io.ts'
import { connect, readSettings, type GlobalFlags, type Settings } from './profile/settings.ts'

/** What a command works with. */
export interface CommandContext {
  readonly settings: Settings
  readonly output: Output
  /** Throws when the credentials are missing. */
  readonly gateway: () => Gateway
}

/** Reads the options that every command has. */
export function contextOf(command: Command): CommandContext {
  const flags = command.optsWithGlobals<GlobalFlags>()
  const settings = readSettings(flags, process.env)
  return { settings, output: createOutput(flags.json === true), gateway: () => connect(settings) }
}
