import type { Paths } from './paths.ts'
import type { Progress } from './progress.ts'

/** What every command receives. */
export interface Context {
  readonly paths: Paths
  readonly env: NodeJS.ProcessEnv
  readonly progress: Progress
  /** Resolves to the signal when this process is asked to stop. */
  readonly stopRequested: Promise<NodeJS.Signals>
}

/** A command's work; resolves to the exit code. */
export type Command = (context: Context, args: readonly string[]) => Promise<number>
