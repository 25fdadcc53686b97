/** Why an attempt to import a settlement file failed. */
export interface ImportFailure {
  readonly at: Date
  /** In words, without any value of the file. */
  readonly reason: string
}

/** After this many failed attempts, later files go first. A short failure of the database does not change the order of the files. */
const ATTEMPTS_IN_TURN = 3
const FIRST_PAUSE_MS = 60_000
const GROWTH = 4
const MAX_PAUSE_MS = 60 * 60_000

/**
 * The pause after this many failed attempts without progress. Later files are imported meanwhile; 0 while the file keeps its turn.
 */
export function retryPauseMs(attempts: number): number {
  if (attempts < ATTEMPTS_IN_TURN) return 0
  return Math.min(FIRST_PAUSE_MS * GROWTH ** (attempts - ATTEMPTS_IN_TURN), MAX_PAUSE_MS)
}
