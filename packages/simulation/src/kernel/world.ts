/** What a model needs of the simulated world. */
export interface World {
  /** The virtual time, in milliseconds since 1970. */
  now(): number
  /** Runs something after so many virtual milliseconds, outside any simulated process. Returns how to cancel it. */
  after(ms: number, run: () => void): () => void
  /** The next number of this model's own random stream, from 0 up to but not including 1. */
  random(): number
}
