import { succeeds } from './run.ts'

/** Why containers cannot be used, or `undefined` when an engine answers. */
export async function dockerIsImpossible(): Promise<string | undefined> {
  return (await succeeds('docker', ['info'], { timeoutMs: 5_000 })) ? undefined : 'no Docker engine answers'
}
