import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { nodeEnvironment } from './node-environment.ts'

export interface EndedScript {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const WITHIN_MS = 180_000

/** Runs a script to its end in its own process, with only this environment, as an operator's job does. */
export function runScript(options: {
  script: URL
  args: readonly string[]
  env: Readonly<Record<string, string | undefined>>
}): Promise<EndedScript> {
  const { script, args, env } = options
  const settings = { env: { ...nodeEnvironment(), ...env }, timeout: WITHIN_MS }
  return new Promise((resolve) => {
    execFile(process.execPath, [fileURLToPath(script), ...args], settings, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr })
    })
  })
}
