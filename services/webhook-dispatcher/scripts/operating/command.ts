/** What every operators' command gets, and how it ends. */
import type { OperatorApi } from './operator-api.ts'

/** Resolves to the exit code. */
export type Command = (args: readonly string[], session: Session) => Promise<number>

export interface Session {
  readonly api: () => OperatorApi
  /** Aborted when the operator asks this program to stop. */
  readonly stopping: AbortSignal
  /** Writes a line to standard output. */
  readonly say: (line: string) => void
}
