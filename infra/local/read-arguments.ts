import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { UserError } from '@gateway-infra/system/user-error'

/** A path as the user wrote it: npm runs scripts in another directory. */
export function userPath(env: NodeJS.ProcessEnv, path: string): string {
  return resolve(env['INIT_CWD'] ?? '.', path)
}

/** The folder and the flags of `npm run <command> -- <folder> [--flag]`. Throws a `UserError` with the usage. */
export function readFolder(env: NodeJS.ProcessEnv, command: string, args: readonly string[], names: readonly string[]) {
  const usage = [`npm run ${command} -- <folder>`, ...names.map((name) => `[--${name}]`)].join(' ')
  try {
    const options = Object.fromEntries(names.map((name) => [name, { type: 'boolean' } as const]))
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [folder, ...more] = positionals
    if (folder === undefined || more.length > 0) throw new Error('one folder')
    return { folder: userPath(env, folder), flags: new Set(Object.keys(values)) }
  } catch (error) {
    throw new UserError(`${error instanceof Error ? error.message : String(error)}: ${usage}`)
  }
}
