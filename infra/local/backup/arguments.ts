import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Context } from '@gateway-infra/system/context'
import { UserError } from '@gateway-infra/system/user-error'

export function prefixOf({ env }: Context): string {
  return env['DATABASE_PREFIX'] ?? ''
}

/** The folder and the flags of `npm run <command> -- <folder> [--flag]`. Throws a `UserError` with the usage. */
export function readArguments(
  { env }: Context,
  command: string,
  args: readonly string[],
  names: readonly string[],
): { readonly folder: string; readonly flags: ReadonlySet<string> } {
  try {
    const options = Object.fromEntries(names.map((name) => [name, { type: 'boolean' } as const]))
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
    const [folder] = positionals
    if (folder === undefined || positionals.length > 1) throw new Error('one folder')
    return { folder: resolve(env['INIT_CWD'] ?? '.', folder), flags: new Set(Object.keys(values)) }
  } catch (error) {
    const usage = [`npm run ${command} -- <folder>`, ...names.map((name) => `[--${name}]`)].join(' ')
    throw new UserError(`${error instanceof Error ? error.message : String(error)}: ${usage}`)
  }
}
