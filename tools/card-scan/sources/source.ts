import type { Policy } from '../finder/card-numbers.ts'

/** Something that may hold a card number: one file, or one collection. */
export interface Source {
  /** What it belongs to, such as `service logs`: a row of the report. */
  readonly group: string
  readonly name: string
  readonly policy: Policy
  /** Its bytes, in pieces of any size. */
  readonly open: () => AsyncIterable<Buffer>
}
