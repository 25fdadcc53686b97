import { succeeds } from './run.ts'

/** The reason why containers cannot be used; `undefined` when a Docker engine answers. */
export async function dockerIsImpossible(): Promise<string | undefined> {
  return (await succeeds('docker', ['info'], { timeoutMs: 5_000 })) ? undefined : 'no Docker engine answers'
}
