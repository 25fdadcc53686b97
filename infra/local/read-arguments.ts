import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { runThrough, type Context } from '@gateway-infra/system/command'
import { UserError } from '@gateway-infra/system/user-error'
import { readStack } from './stack-file.ts'

/** A path as the user wrote it: npm runs scripts in another directory. */
export function userPath(env: NodeJS.ProcessEnv, path: string): string {
  return resolve(env['INIT_CWD'] ?? '.', path)
}

/** `MONGO_URL` of the environment, else of the running stack. Throws a `UserError` when there is neither. */
export function databaseServer({ env, paths }: Pick<Context, 'env' | 'paths'>): string {
  const mongoUrl = env['MONGO_URL'] ?? readStack(paths.stateDir)?.mongo_url
  if (!mongoUrl) throw new UserError('No database: set MONGO_URL, or start the stack.')
  return mongoUrl
}

/** Runs the program that the arguments name; without one it prints `lines`, then waits for Ctrl-C. */
export async function runOrWait(args: readonly string[], context: Context, lines: readonly string[]): Promise<number> {
  const [command, ...rest] = args[0] === '--' ? args.slice(1) : args
  if (command !== undefined) return runThrough(command, rest, context)
  console.log(lines.join('\n'))
  context.progress.log('ready; stop with Ctrl-C')
  await context.stopRequested
  return 0
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
