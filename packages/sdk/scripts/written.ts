import { writtenOperations } from './write-operations.ts'
import { writtenTypes } from './write-types.ts'

/** The generated files by name, with what writes their text. */
export const WRITTEN: Readonly<Record<string, () => string>> = { 'operations.ts': writtenOperations, 'types.ts': writtenTypes }
