/** What needs neither database nor broker: each runs the tools one after the other and fails with the first that fails. */
import { join } from 'node:path'
import { ROOT } from '../paths.ts'
import { runThrough } from '../system/run-through.ts'
import type { Command } from './context.ts'

const TOOLS = {
  eslint: 'eslint/bin/eslint.js',
  prettier: 'prettier/bin/prettier.cjs',
  tsc: 'typescript/bin/tsc',
} as const

type Call = readonly [tool: keyof typeof TOOLS, ...args: string[]]

export const lint = inTurn(['eslint', '.'], ['prettier', '--check', '.'])
export const typecheck = inTurn(['tsc', '--noEmit', '-p', 'tsconfig.json'])
export const format = inTurn(['prettier', '--write', '.'])

/** Prints how large files and functions are. */
export const size: Command = ({ env, stopRequested }) =>
  runThrough(process.execPath, [join(ROOT, 'infra/checks/size.ts')], { cwd: ROOT, env, stopRequested })

/** Whether the connector at a URL keeps the network contract. */
export const connector: Command = ({ env, stopRequested }, args) =>
  runThrough(process.execPath, [join(ROOT, 'infra/connector-contract/main.ts'), ...args], { cwd: ROOT, env, stopRequested })

/** Whether a card number is left in a stack's files and documents. */
export const cards: Command = ({ env, stopRequested }, args) =>
  runThrough(process.execPath, [join(ROOT, 'infra/card-scan/main.ts'), ...args], { cwd: ROOT, env, stopRequested })

/** Whether the manifests for Kubernetes are as their schemas and the services want them. */
export const kubernetesCheck: Command = ({ env, stopRequested }, args) =>
  runThrough(process.execPath, [join(ROOT, 'infra/kubernetes/check/main.ts'), ...args], { cwd: ROOT, env, stopRequested })

/** Writes docs/configuration.md from what the services read. */
export const configTable: Command = ({ env, stopRequested }) =>
  runThrough(process.execPath, [join(ROOT, 'infra/config-table/main.ts')], { cwd: ROOT, env, stopRequested })

function inTurn(...calls: readonly Call[]): Command {
  return async ({ env, stopRequested }, extraArgs) => {
    for (const [tool, ...args] of calls) {
      const script = join(ROOT, 'node_modules', TOOLS[tool])
      const code = await runThrough(process.execPath, [script, ...args, ...extraArgs], { cwd: ROOT, env, stopRequested })
      if (code !== 0) return code
    }
    return 0
  }
}
