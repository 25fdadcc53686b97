/**
 * The filter of a partial index that holds only the documents with a field. A query through the index repeats it beside its range:
 * FerretDB does not use the index otherwise (docs/adr/0005). When nothing is left to do, the field is removed; it is never `null`.
 */
export const PRESENT = { $exists: true } as const
