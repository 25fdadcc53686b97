import { resolve } from 'node:path'
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { UserError } from '@gateway-infra/system/user-error'

/** Parses options and positionals; throws a `UserError` for unknown ones. */
export function readOptions<const O extends NonNullable<ParseArgsConfig['options']>>(args: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UserError(error instanceof Error ? error.message : String(error))
  }
}

/** A path as the user wrote it: npm runs scripts in another directory. */
export function userPath(env: NodeJS.ProcessEnv, path: string): string {
  return resolve(env['INIT_CWD'] ?? '.', path)
}

/** The folder and the flags of `npm run <command> -- <folder> [--flag]`. Throws a `UserError` with the usage. */
export function readFolder(env: NodeJS.ProcessEnv, command: string, args: readonly string[], names: readonly string[]) {
  const usage = [`npm run ${command} -- <folder>`, ...names.map((name) => `[--${name}]`)].join(' ')
  try {
    const options = Object.fromEntries(names.map((name) => [name, { type: 'boolean' } as const]))
    const { values, positionals } = readOptions(args, options)
    const [folder, ...more] = positionals
    if (folder === undefined || more.length > 0) throw new UserError('one folder')
    return { folder: userPath(env, folder), flags: new Set(Object.keys(values)) }
  } catch (error) {
    throw error instanceof UserError ? new UserError(`${error.message}: ${usage}`) : error
  }
}
